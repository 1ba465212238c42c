import type { Accounts, SignInResult } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/core/internal'
import type { Access } from '@latchkey/graphql'
import type { SocketHandler } from '@latchkey/graphql/ws'
import { createHttpHandler, type HttpHandler, type HttpResponse } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import { features } from './features/features.ts'
import { createAuthorizationPages } from './features/oauth/authorization-pages.ts'
import type { Inline } from './options/inline.ts'
import { type FlatOptions, flattenOptions } from './options/server/flat-options.ts'
import type { ServerOptions } from './options/server/server-options.ts'
import type { ServerStores } from './options/server-stores.ts'
import type { AccessTokenSettings } from './options/sessions/access-tokens.ts'
import { guardSockets } from './pipeline/hosts.ts'
import { readinessMs } from './pipeline/probes.ts'
import { createPipeline } from './pipeline/run-request.ts'
import { giveTurns } from './pipeline/socket-turns.ts'
import { cookiesOf } from './service/account-session/cookies-of.ts'
import { createCoalescedCheck } from './service/coalesced-check.ts'
import { rememberService } from './service/openable-service.ts'
import { planService } from './service/plan/service-plan.ts'
import { createServiceLifecycle } from './service/service-lifecycle.ts'

/** A GraphQL service with accounts: one handler for every runtime. */
export interface Server extends HttpHandler {
  /** The public origin, as the option of that name, without a slash at its end. */
  readonly baseUrl: string
  /** The path of the GraphQL endpoint; server-sent events are at `stream` below it. */
  readonly path: string
  /**
   * Returns whether the service answers a path or request target. The query is ignored. Use it if your own server
   * passes these requests on and answers all others itself. The answer depends on the options.
   *
   * @example
   * import { createServer as createNodeServer } from 'node:http'
   * import { toNodeListener } from '@latchkey/http/node'
   * import type { Server } from '@latchkey/server'
   * declare const server: Server
   * const listener = toNodeListener(server)
   * createNodeServer((request, response) => {
   *   if (server.serves(request.url ?? '')) listener(request, response)
   *   else response.end('the rest is yours')
   * })
   */
  serves(target: string): boolean
  /** Every field with its rule. `reportAccess` of `@latchkey/graphql` prints it. */
  readonly access: Access
  /** The stores of the options, for migrations and scripts. */
  readonly stores: ServerStores
  /**
   * Opens the service as `open` does, and returns the use cases of its accounts, as resolvers have them: for scripts, jobs
   * and commands. They check no permission.
   */
  accounts(): Promise<Accounts>
  /**
   * Returns the `Set-Cookie` lines of a sign-in by `accounts()`, for routes of your own.
   *
   * If the user is signed in, the cookies hold the session or the refresh token, and the device. If a second factor is
   * needed, the cookie holds the challenge: redirect to `/second-factor`. A refused sign-in and native delivery set no
   * cookies.
   *
   * @example
   * import { type Server } from '@latchkey/server'
   * import { type SignInResult } from '@latchkey/accounts'
   * export function answer(server: Server, result: SignInResult): Response {
   *   if (!result.ok) return new Response('The sign-in was refused.', { status: 401 })
   *   const location = result.status === 'signed-in' ? '/account' : '/second-factor'
   *   const cookies = server.cookiesOf(result).map((line): [string, string] => ['Set-Cookie', line])
   *   return new Response(null, { status: 303, headers: [['Location', location], ...cookies] })
   * }
   */
  cookiesOf(result: SignInResult): readonly string[]
  /**
   * Reads the secrets and opens the stores, once. The first request does it otherwise. After a failure the next call tries
   * again.
   *
   * @param options `migrate`: creates or upgrades the tables first.
   * @throws what made it impossible: a `StoreError`, a `JwtError` `JWT_KEY_UNREADABLE` when the signing keys were sealed
   * with other secrets, a `TypeError` when the secrets are malformed, an `AccessError` after `close`.
   */
  open(options?: { readonly migrate?: boolean }): Promise<void>
  /**
   * Opens the service as `open` does, and returns the handler of subscriptions over WebSockets. `listen` connects it;
   * elsewhere on Node.js `toUpgradeListener` of `@latchkey/graphql/node` does.
   */
  sockets(): Promise<SocketHandler>
  /** How access tokens are signed: the option of that name, with its defaults. */
  readonly accessTokens: Inline<AccessTokenSettings>
  /**
   * Signs access tokens by the next key from now on. Other processes follow within a minute. Tokens of the previous key
   * stay valid until they expire. Opens the service as `open` does.
   *
   * Rotates the keys for clients' tokens too, if their next key was published long enough.
   *
   * @returns the id of the new key, the `kid` of its tokens.
   * @throws JwtError `JWT_ROTATION_TOO_EARLY` if the service's own next key was not published long enough. No key is
   * rotated then.
   */
  rotateKeys(): Promise<{ readonly keyId: string }>
  /**
   * Replaces all keys after a leak. The new key signs at once. All earlier access tokens are refused, in other
   * processes within a minute; sessions and refresh tokens stay valid. A service that verifies tokens itself may refuse
   * new tokens until it fetches the keys again.
   *
   * @returns the id of the new key.
   */
  replaceKeys(): Promise<{ readonly keyId: string }>
  /**
   * Revokes an access token in every process, from the next request. Its session stays valid. Opens the service as
   * `open` does.
   *
   * @returns `false` if the token was not valid.
   */
  revokeToken(token: string): Promise<boolean>
  /** Opens the service as `open` does, and returns the access that each tool of `mcp` needs; `null`: the option is omitted. */
  tools(): Promise<ReturnType<Required<ServerOptions<AnyPolicy>>['mcp']>['verdicts'] | null>
  /**
   * Closes all subscriptions, so that their clients reconnect elsewhere, and refuses new ones: the first step of a
   * shutdown.
   */
  endStreams(): Promise<void>
  /**
   * Waits for mails and other pending work, then closes the stores. Further calls share the result. Stop accepting
   * requests before: they are answered 503 from here on.
   */
  close(): Promise<void>
}

/**
 * Creates a whole service: your schema and accounts with sign-up, sign-in by cookie and by token, roles and ownership.
 * Options are checked at once; files and stores are opened later, so a test can import a server.
 *
 * @throws TypeError that names the problem: a field without a rule, an unknown role, an option that cannot be used.
 *
 * @example
 * import { DatabaseSync } from 'node:sqlite'
 * import { definePolicy } from '@latchkey/rbac'
 * import { createServer, createTerminalMailer } from '@latchkey/server'
 * import { createFileSecrets } from '@latchkey/server/node'
 * import { createSqliteStores } from '@latchkey/sql'
 * const server = createServer({
 *   baseUrl: 'http://127.0.0.1:4000',
 *   secrets: createFileSecrets({ path: 'secret.key' }),
 *   stores: createSqliteStores({ database: () => new DatabaseSync('app.db') }),
 *   mails: { mailer: createTerminalMailer() },
 *   signUp: { role: 'MEMBER' },
 *   policy: definePolicy({ permissions: ['notes:read'], roles: { MEMBER: { permissions: ['notes:read'] } } }),
 *   typeDefs: 'type Query { note: String! @requires(permissions: "notes:read") }',
 *   resolvers: { Query: { note: () => 'Only members read this.' } },
 * })
 */
export function createServer<P extends AnyPolicy, Added = unknown>(options: ServerOptions<P, Added>): Server {
  // The names in the policy's type were checked by the compiler; behind this line any policy will do.
  return createFlatServer(flattenOptions(options as unknown as ServerOptions<AnyPolicy>))
}

const schemas = features.flatMap((feature) => feature.schemas ?? [])

/** Creates a server of options without their groups. */
export function createFlatServer(options: FlatOptions): Server {
  const plan = planService(options, { schemas, createPages: createAuthorizationPages })
  const { open, opened, close } = createServiceLifecycle(plan)
  const service = { ...plan, open, shareReadiness: createCoalescedCheck<HttpResponse>(readinessMs) }
  const pipeline = createPipeline(service)
  const server: Server = {
    ...createHttpHandler(pipeline.run, { batchable: plan.fairQueue === null }),
    serves: pipeline.serves,
    baseUrl: plan.base.origin,
    path: plan.path,
    access: plan.access,
    stores: options.stores,
    accounts: async () => (await open()).accounts,
    cookiesOf: (result) => cookiesOf(plan.cookies, result),
    async open(given = {}) {
      const { migrate = false } = checkOptionNames('server.open', given, { migrate: true })
      if (migrate) await options.stores.migrate?.()
      // Creates the keys that the first request would wait for.
      await (await open()).jwks()
    },
    sockets: async () => giveTurns(guardSockets(await open(), service), service),
    accessTokens: plan.accessTokens,
    rotateKeys: async () => (await open()).rotateKeys(),
    replaceKeys: async () => (await open()).replaceKeys(),
    revokeToken: async (token) => (await open()).revokeToken(token),
    tools: async () => (await open()).tools?.verdicts ?? null,
    endStreams: async () => (await opened())?.streams.close(),
    close,
  }
  rememberService(server, service)
  return server
}
