import { type Accounts, allowNativeDelivery } from '@latchkey/accounts'
import type { VerifiedClaims } from '@latchkey/jwt'
import { createPasswordHasher } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerContext } from '@latchkey/server'
import { StoreError } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { runIn } from '../world/machine.ts'
import { openApps } from './apps.ts'
import { readLine } from './line.ts'
import { engineOf } from './password-engine.ts'
import type { Presented, Service, ServiceParts } from './service.ts'
import { limits } from './terms.ts'

const policy = definePolicy({
  permissions: ['accounts:read', 'accounts:update', 'accounts:impersonate', 'articles:read'],
  roles: {
    READER: { permissions: ['articles:read'] },
    WRITER: { inherits: ['READER'] },
    ADMIN: { permissions: ['accounts:read', 'accounts:update', 'accounts:impersonate', 'articles:read'] },
  },
})

/** Starts a whole server in its machine. Credentials are presented to it in requests over HTTP. */
export function startServer(parts: ServiceParts): Service {
  return runIn(parts.machine, () => {
    const service = serve(parts)
    return { ...service, apps: openApps(parts, service.accounts) }
  })
}

function serve(parts: ServiceParts): Omit<Service, 'apps'> {
  const { world, stores, machine } = parts
  const server = createWholeServer(parts)
  return {
    machine,
    sweep: async () => stores.records.sweep?.(100),
    tokens: {
      verify: async (token) => readClaims(token, stores.records.now()),
    },
    accounts: whenOpen(server),
    async look(held) {
      const response = await server.fetch(requestOf(held))
      const { data } = (await response.json()) as { readonly data?: { readonly roles?: string } }
      if (response.status === 503) throw new StoreError('STORE_UNAVAILABLE', 'the service is not available')
      if (response.status !== 200 && response.status !== 401) throw new Error(`the answer was ${response.status}`)
      world.write(`${machine.name} answers ${response.status}`)
      return data?.roles === undefined ? null : { roles: data.roles.split(',') }
    },
    async listen(held) {
      const close = new AbortController()
      const response = await server.fetch(streamRequestOf(held, close.signal))
      if (response.status === 503) throw new StoreError('STORE_UNAVAILABLE', 'the service is not available')
      if (response.status !== 200 && response.status !== 401) throw new Error(`the answer was ${response.status}`)
      return response.status === 200 && response.body ? readLine(machine, response.body, close) : null
    },
  }
}

function createWholeServer({ world, stores, secrets, terms, board, mailed, happened }: ServiceParts): Server {
  return createServer({
    baseUrl: 'https://example.com',
    secrets: { load: async () => secrets },
    stores,
    policy,
    typeDefs: `
      type Query { roles: String! @authenticated }
      type Subscription { posted: String! @authenticated }`,
    resolvers: {
      Subscription: { posted: { subscribe: () => board.listen(), resolve: (text: string) => text } },
      Query: {
        roles: (_source: unknown, _args: unknown, { identity }: ServerContext<typeof policy>) => identity?.roles.join(),
      },
    },
    signUp: { role: 'READER' },
    signIn: {
      passwordHasher: createPasswordHasher({ engines: { argon2id: engineOf(world) }, now: () => stores.records.now() }),
      attemptLimits: { perAccount: limits.guesses },
      totp: createTotp,
      recoveryCodes: createRecoveryCodes,
    },
    sessions: {
      accessTokens: { algorithm: 'HS256', lifetimeSeconds: terms.accessToken },
      lifetimeSeconds: terms.session,
      idleSeconds: terms.idle,
      refresh: { tokenSeconds: terms.refreshToken, familySeconds: terms.family, graceSeconds: terms.grace },
      nativeDelivery: allowNativeDelivery,
    },
    accounts: {
      deletion: { onDelete: () => undefined },
      apiKeys: { prefix: 'lk_', scopes: ['articles:read'] },
      impersonation: { lifetimeSeconds: terms.acting },
    },
    http: { maxLoopDelayMs: Number.POSITIVE_INFINITY },
    observe: { onEvent: happened },
    mails: {
      maxDelayMs: 0,
      mailer: {
        async send(message) {
          await world.wait('mail', { failure: () => new Error('the mail server is away') })
          mailed(message)
        },
      },
    },
  })
}

/** Reads a token of this server, whose keys are in its stores. Requests over HTTP have it verified. */
function readClaims(
  token: string,
  now: number,
): { readonly ok: true; readonly claims: VerifiedClaims } | { ok: false } {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return 1000 * claims.exp > now ? { ok: true, claims } : { ok: false }
}

/** The use cases of the server, each of which opens it first. */
function whenOpen(server: Server): Accounts {
  return new Proxy({} as Accounts, {
    get:
      (_target, name) =>
      async (...input: unknown[]): Promise<unknown> => {
        const accounts = await server.accounts()
        return Reflect.apply(Reflect.get(accounts, name), accounts, input)
      },
  })
}

function requestOf(held: Presented): Request {
  const query = encodeURIComponent('{ roles }')
  return new Request(`https://example.com/graphql?query=${query}`, {
    headers: { ...headersOf(held), accept: 'application/json' },
  })
}

function streamRequestOf(held: Presented, signal: AbortSignal): Request {
  const query = encodeURIComponent('subscription { posted }')
  return new Request(`https://example.com/graphql/stream?query=${query}`, {
    headers: { ...headersOf(held), accept: 'text/event-stream', origin: 'https://example.com' },
    signal,
  })
}

function headersOf({ credential, accessToken }: Presented): Record<string, string> {
  return credential.kind === 'session'
    ? { cookie: `__Host-session=${credential.secret}` }
    : { authorization: `Bearer ${accessToken}` }
}
