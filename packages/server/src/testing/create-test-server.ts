import { createMemoryAccountStore, type Message } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { wallClock } from '@latchkey/core/internal'
import { isProduction } from '@latchkey/http/internal'
import { allowWeakHashes, createPasswordHasher, type PasswordHasher } from '@latchkey/password'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { createFlatServer, type Server } from '../create-server.ts'
import { printWarning } from '../options/observe/announcer.ts'
import type { ServerEvent } from '../options/observe/server-event.ts'
import type { FlatOptions } from '../options/server/flat-options.ts'
import type { ServerStores } from '../options/server-stores.ts'
import { type OpenableService, serviceOf } from '../service/openable-service.ts'
import { createCookieJar } from './cookie-jar.ts'
import { signInAs } from './sign-in-as.ts'
import { createTestClock } from './test-clock.ts'
import type { TestServer } from './test-server.ts'
import { createTestVisitor, type TestVisitorParts } from './test-visitor.ts'

/** The options that a test server replaces. */
type Replaced = Required<
  Pick<FlatOptions, 'stores' | 'secrets' | 'mailer' | 'mailDelayMs' | 'passwords' | 'onEvent' | 'maxLoopDelayMs'>
>

/**
 * Creates a copy of a server for a test: with stores in memory, new secrets, kept mails, cheap hashes and a clock that
 * the test advances. Schema, resolvers, policy and all other options are the server's, and requests pass the same
 * stages as in production: cookies, forgery check, plan, ownership. No socket is opened, breached passwords are not
 * looked up, and the given server is neither opened nor changed.
 *
 * Your resolvers, ownership functions, `graphql.rateLimit`, `signIn.passwordPolicy` and `observe.onEvent` are not
 * replaced: they use their own data and time. Pass them the `now` of the clock if they need the same time.
 *
 * @param server the result of `createServer`; it need not be open.
 * @throws TypeError for any other value, and unless `NODE_ENV` is `development`, `test`, empty or unset.
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
  // What a test chooses as passwords is no business of a service elsewhere.
  const { breachedPasswords: _left, ...options } = requireServer(server).options
  if (isProduction()) {
    throw new TypeError(
      'createTestServer is for tests; every NODE_ENV but "test", "development" and none is production',
    )
  }
  const clock = createTestClock({ startsAt: startOf(options.stores), settled: () => settled() })
  const sent: Message[] = []
  const events: ServerEvent[] = []
  const passwords = createPasswordHasher({ ...cheapHashes, now: clock.now })
  const made = createFlatServer({ ...options, ...replaceOptions(options, { now: clock.now, sent, events, passwords }) })
  const plan = requireServer(made)
  const service = await plan.open()
  const settled = async (): Promise<void> => {
    await service.accounts.settled()
    await service.sessions.settled()
    await service.authorization?.settled()
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

/** Stores with a clock of their own have a test begin at its time. */
function startOf({ records }: ServerStores): number {
  return records.capabilities.clock === 'given' ? records.now() : wallClock()
}

interface ReplacedParts {
  readonly now: () => number
  readonly sent: Message[]
  readonly events: ServerEvent[]
  readonly passwords: PasswordHasher
}

function replaceOptions(
  { stores, onEvent = printWarning }: FlatOptions,
  { now, sent, events, passwords }: ReplacedParts,
): Replaced {
  return {
    stores: createMemoryStores(now, stores),
    secrets: createDrawnSecrets(),
    mailer: { send: async (message) => void sent.push(message) },
    mailDelayMs: 0,
    passwords,
    // A test that sends many requests without a pause is no overload.
    maxLoopDelayMs: Number.POSITIVE_INFINITY,
    onEvent(event) {
      events.push(event)
      return onEvent(event)
    },
  }
}

function requireServer(server: unknown): OpenableService {
  const service = serviceOf(server)
  if (service) return service
  throw new TypeError('"server" must be what createServer of this copy of @latchkey/server returned, not a copy of it')
}

/** The least cost of Argon2id: the hashes are discarded after the test. */
const cheapHashes = {
  argon2id: { memoryKib: 8, iterations: 1 },
  strength: allowWeakHashes,
  concurrency: 1,
} as const

/** The schema has the operations that the stores of the server have given it. */
function createMemoryStores(now: () => number, { accounts: { reservations } }: ServerStores): ServerStores {
  const { reservations: inMemory, ...accounts } = createMemoryAccountStore()
  return {
    records: createMemoryRecordStore({ now }),
    accounts: { ...accounts, ...(reservations && { reservations: inMemory }) },
    documents: createMemoryDocumentStore(),
    counters: createMemoryCounterStore({ now }),
  }
}

function createDrawnSecrets(): Replaced['secrets'] {
  const secrets = [{ id: 'test', bytes: randomBytes(32) }] as const
  return { load: async () => secrets }
}
