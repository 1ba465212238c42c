import { createMemoryAccountStore, type Message } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { isProduction } from '@latchkey/http'
import { createMemoryKeyStore } from '@latchkey/jwt'
import { allowWeakHashes, createPasswordHasher, type PasswordHasher } from '@latchkey/password'
import { type AnyPolicy, createMemoryRoleStore, type OpenRoles } from '@latchkey/rbac'
import { createMemoryRecordStore } from '@latchkey/store'
import { createServer, type Server } from '../create-server.ts'
import { type OpenableService, serviceOf } from '../service/openable-service.ts'
import type { ServerOptions, ServerStores } from '../service/server-options.ts'
import { printFailure, type ServerEvent } from '../settings/server-event.ts'
import { createCookieJar } from './cookie-jar.ts'
import { type SignedInVisitor, type SignInAs, signInAs } from './sign-in-as.ts'
import { createTestClock, type TestClock } from './test-clock.ts'
import { createTestVisitor, type TestVisitor, type TestVisitorOptions, type TestVisitorParts } from './test-visitor.ts'

/** A service for tests, and what a test moves it with. */
export interface TestServer {
  /** The one clock of the service: sessions, tokens, links, limits of age and step-up go by it. */
  readonly clock: TestClock
  /**
   * Gives somebody with a new account who has signed in, in a browser.
   * @throws TypeError for a role that the policy does not have.
   */
  signedIn(input: SignInAs): Promise<SignedInVisitor>
  /** Gives somebody whom nobody knows yet. */
  visitor(options?: TestVisitorOptions): TestVisitor
  /** Gives the mails that were sent so far, in their order, to one address or to all; those under way are awaited. */
  mails(to?: string): Promise<readonly Message[]>
  /** What the service told so far, in its order. */
  readonly events: readonly ServerEvent[]
  /** The roles that change, in a store of the test's own; `null` for a server without the option `roles`. */
  readonly roles: OpenRoles<AnyPolicy> | null
  /** The server itself, made anew: for whatever else a `Server` can do. */
  readonly server: Server
  /** Ends subscriptions, lets mails finish and closes the stores. A test that only asks and forgets may leave it out. */
  close(): Promise<void>
}

/** Everything that is made anew; all other options are those of the server. */
type Replaced = Required<
  Pick<ServerOptions<never>, 'stores' | 'secrets' | 'mailer' | 'mailDelayMs' | 'passwords' | 'now' | 'onEvent'>
>

/**
 * Makes a server anew for a test: with stores in memory, secrets that were just drawn, mails that are kept, cheap hashes
 * and a clock that the test moves. Schema, resolvers, policy and every other option are those of the server, and
 * requests pass the very stages that they pass in production: cookies, forgery check, plan, ownership. No socket is
 * opened, and the server that it is given is neither opened nor changed.
 *
 * Your resolvers, ownership functions, `rateLimit`, `passwordPolicy` and `onEvent` stay yours: they see the data and the
 * time that they see otherwise. Give them the clock's `now` where they shall see the same.
 *
 * @param server what `createServer` gave; it need not be open.
 * @throws TypeError when it is something else, and where `isProduction()` of `@latchkey/http`.
 *
 * @example
 * import assert from 'node:assert/strict'
 * import { test } from 'node:test'
 * import type { Server } from '@latchkey/server'
 * import { createTestServer } from '@latchkey/server/testing'
 * declare const server: Server // your own, imported
 * test('publishing asks for a fresh second factor', async () => {
 *   const { clock, signedIn } = await createTestServer(server)
 *   const editor = await signedIn({ role: 'EDITOR', factors: ['password', 'totp'] })
 *   await clock.advance({ minutes: 6 })
 *   const { status, code } = await editor.graphql('mutation { publishArticle(id: 1) { id } }')
 *   assert.deepEqual([status, code], [401, 'STEP_UP_REQUIRED'])
 * })
 */
export async function createTestServer(server: Server): Promise<TestServer> {
  const { options } = requireServer(server)
  if (isProduction()) {
    throw new TypeError(
      'createTestServer is for tests, and everything but NODE_ENV=test, development or none is production',
    )
  }
  const clock = createTestClock({ startsAt: (options.now ?? Date.now)(), settled: () => settled() })
  const sent: Message[] = []
  const events: ServerEvent[] = []
  const passwords = createPasswordHasher({ ...cheapHashes, now: clock.now })
  const made = createServer({ ...options, ...replaceOptions(options, { now: clock.now, sent, events, passwords }) })
  const plan = requireServer(made)
  const service = await plan.open()
  const settled = async (): Promise<void> => {
    await service.accounts.settled()
    await service.sessions.settled()
  }
  const partsOf = (): TestVisitorParts => ({ server: made, plan, service, jar: createCookieJar(clock.now) })
  let people = 0
  return {
    clock,
    events,
    roles: service.roles,
    server: made,
    async signedIn(input) {
      people += 1
      return signInAs(input, { ...partsOf(), number: people })
    },
    visitor: (visitorOptions) => createTestVisitor(partsOf(), visitorOptions),
    async mails(to) {
      await settled()
      return sent.filter((message) => to === undefined || message.to === to)
    },
    async close() {
      await made.close()
      await passwords.close()
    },
  }
}

interface ReplacedParts {
  readonly now: () => number
  readonly sent: Message[]
  readonly events: ServerEvent[]
  readonly passwords: PasswordHasher
}

function replaceOptions(
  { roles, onEvent = printFailure }: ServerOptions<AnyPolicy>,
  { now, sent, events, passwords }: ReplacedParts,
): Replaced & Pick<ServerOptions<AnyPolicy>, 'roles'> {
  return {
    stores: createMemoryStores(now),
    secrets: createDrawnSecrets(),
    mailer: { send: async (message) => void sent.push(message) },
    mailDelayMs: 0,
    passwords,
    now,
    onEvent(event) {
      events.push(event)
      return onEvent(event)
    },
    ...(roles && { roles: { ...roles, store: createMemoryRoleStore() } }),
  }
}

function requireServer(server: unknown): OpenableService {
  const service = serviceOf(server)
  if (service) return service
  throw new TypeError('"server" must be what createServer of this copy of @latchkey/server gave, and no copy of it')
}

/** The least that Argon2id can do: what it protects is made up, and gone with the test. */
const cheapHashes = {
  argon2id: { memoryKib: 8, iterations: 1 },
  strength: allowWeakHashes,
  concurrency: 1,
} as const

function createMemoryStores(now: () => number): ServerStores {
  return {
    records: createMemoryRecordStore({ now }),
    accounts: createMemoryAccountStore(),
    keys: createMemoryKeyStore(),
  }
}

function createDrawnSecrets(): Replaced['secrets'] {
  const secrets = [{ id: 'test', bytes: randomBytes(32) }] as const
  return { load: async () => secrets }
}
