// One of several processes of a service over the same stores: asks itself what its parent sends, all of it at one moment.
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { allowUnlimitedAttempts, type Mailer, type Message, unknownAttempt } from '@latchkey/accounts'
import { allowWeakHashes, createPasswordHasher, type PasswordHasher } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import { createRedisStores } from '@latchkey/redis'
import { createServer, type Server, type ServerEvent, type ServerStores } from '@latchkey/server'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { Redis } from 'ioredis'
import pg from 'pg'

export interface LinkSettings {
  /** A file of SQLite, or the URL of a PostgreSQL. */
  readonly database: string
  /** Where records and counters lie; `null`: in the database. */
  readonly redisUrl: string | null
  readonly secret: string
}

/** A request to the service for which a change of address is undone within so many days. */
export interface Question {
  readonly undoDays: 0 | 7
  readonly query: string
  readonly variables: object
  readonly bearer?: string | null
  /** Of the browser that asks. */
  readonly cookie?: string
}

export interface Reply {
  readonly status: number
  // Each test says what it expects.
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly data: any
  readonly errors: readonly { readonly extensions: { readonly code: string; readonly field?: string } }[]
  /** Those that are set, as a browser sends them back. */
  readonly cookies: readonly string[]
}

export type Order =
  /** From that moment on, on the clock of the machine. */
  | { readonly id: number; readonly at: number; readonly questions: readonly Question[] }
  /** An account without a password, whose owner gets a link. */
  | { readonly id: number; readonly invite: string }

export type Report =
  | { readonly id: number; readonly replies: readonly Reply[] | string }
  | { readonly mail: Message }
  /** What it does not answer: why a sign-in was refused, and which mail was withheld. */
  | { readonly kept: string }
  | 'ready'

export const origin = 'https://example.com'
const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
// What is shown here is who wins, not how soon.
const deadlineMs = 30_000

/** Opens the stores as every process of a service would. */
export function openStores({ database, redisUrl }: Pick<LinkSettings, 'database' | 'redisUrl'>) {
  const durable = database.startsWith('postgres')
    ? createPostgresStores({ pool: new pg.Pool({ connectionString: database, max: 8 }), deadlineMs })
    : createSqliteStores({ database: () => new DatabaseSync(database), deadlineMs })
  const client = redisUrl === null ? null : new Redis(redisUrl)
  const { records, counters } = client ? createRedisStores({ client, deadlineMs, waitReplicas: 0 }) : durable
  return {
    stores: { ...durable, records, counters },
    async close() {
      client?.disconnect()
      await durable.close()
    },
  }
}

interface ServiceParts {
  readonly secret: string
  readonly undoDays: number
  readonly mailer: Mailer
  /** @default 0 */
  readonly mailDelayMs?: number
  readonly onEvent?: (event: ServerEvent) => void
}

/** The weakest hashes there are: what is shown here is not how long they take. */
export const passwords: PasswordHasher = createPasswordHasher({
  argon2id: { memoryKib: 8, iterations: 1 },
  strength: allowWeakHashes,
})

export function createService(
  stores: ServerStores,
  { secret, undoDays, mailer, mailDelayMs = 0, onEvent = () => undefined }: ServiceParts,
): Server {
  return createServer({
    ...{ baseUrl: origin, stores, policy, signUp: { role: 'READER' } },
    accounts: { emailUndoDays: undoDays, apiKeys: { prefix: 'lk_', scopes: ['notes:read'] } },
    signIn: {
      emailCode: {},
      passwordHasher: passwords,
      // What counts here are links and codes, and all that is tried comes from one place.
      attemptLimits: allowUnlimitedAttempts,
    },
    typeDefs: 'type Query { hello: String! @public, notes: String! @requires(permissions: "notes:read") }',
    resolvers: { Query: { hello: () => 'Hello', notes: () => 'Notes' } },
    secrets: { load: async () => [{ id: 'one', bytes: new Uint8Array(Buffer.from(secret, 'hex')) }] },
    mails: { mailer, maxDelayMs: mailDelayMs },
    observe: { onEvent },
  })
}

async function ask(server: Server, { query, variables, bearer, cookie }: Question): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(cookie && { cookie }),
  }
  const body = JSON.stringify({ query, variables })
  const response = await server.fetch(new Request(`${origin}/graphql`, { method: 'POST', headers, body }))
  const { data, errors = [] } = (await response.json()) as Partial<Reply>
  const cookies = response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  return { status: response.status, data, errors, cookies }
}

function report(said: Report): void {
  process.send?.(said)
}

// The tests import what stands above; as a program it waits for orders.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { secret, ...settings }: LinkSettings = JSON.parse(process.argv[2] ?? '')
  const { stores } = openStores(settings)
  const mailer: Mailer = { send: async (mail) => report({ mail }) }
  const onEvent = (event: ServerEvent): void => {
    if (event.type === 'sign-in.failed') report({ kept: event.reason })
    if (event.type === 'mail.withheld') report({ kept: event.purpose })
  }
  const open = (undoDays: number): Server => createService(stores, { secret, undoDays, mailer, onEvent })
  const servers = { 0: open(0), 7: open(7) }
  // What a service does once is no part of a race.
  for (const server of Object.values(servers)) {
    await ask(server, { undoDays: 7, query: '{ hello }', variables: {} })
  }
  const carryOut = async (order: Order): Promise<readonly Reply[]> => {
    if ('invite' in order) {
      const accounts = await servers[7].accounts()
      const person = { email: order.invite, name: 'Ada', roles: ['READER'], password: null }
      await accounts.create({ ...person, attempt: unknownAttempt })
      return []
    }
    await new Promise((resolve) => setTimeout(resolve, order.at - Date.now()))
    return Promise.all(order.questions.map((question) => ask(servers[question.undoDays], question)))
  }
  process.on('message', async (order: Order) => {
    const replies = await carryOut(order).catch((error: Error) => `failed: ${error.stack} ${error.cause}`)
    report({ id: order.id, replies })
  })
  process.on('disconnect', () => process.exit())
  report('ready')
}
