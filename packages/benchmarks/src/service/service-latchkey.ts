import { DatabaseSync } from 'node:sqlite'
import { createMemoryAccountStore } from '@latchkey/accounts'
import { createPasswordHasher } from '@latchkey/password'
import { type AnyPolicy, definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerOptions, type ServerStores } from '@latchkey/server'
import { createEnvSecrets, listen } from '@latchkey/server/node'
import { createPostgresBroadcast, createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import pg from 'pg'
import type { HandStore } from '../sessions/session-by-hand.ts'
import { baseUrl, permission, resolvers, role, writeSdl } from './service-example.ts'

/** A listening service, and the credentials of its clients. */
export interface OpenService {
  readonly port: number
  readonly token: string
  readonly cookie: string
}

const policy = definePolicy({ permissions: [permission], roles: { [role]: { permissions: [permission] } } })
const rules = { everyone: '@public', account: '@authenticated', reader: `@requires(permissions: "${permission}")` }

/** A long deadline, because the benchmark measures processor time, not late answers of a busy machine. */
const deadlineMs = 5000

const stores: Readonly<Record<HandStore, (place: string) => ServerStores>> = {
  memory: () => ({
    records: createMemoryRecordStore(),
    accounts: createMemoryAccountStore(),
    documents: createMemoryDocumentStore(),
    lockouts: createMemoryCounterStore(),
  }),
  SQLite: (file) => createSqliteStores({ database: () => new DatabaseSync(file) }),
  PostgreSQL: (url) => createPostgresStores({ pool: new pg.Pool({ connectionString: url }), deadlineMs }),
}

const email = 'ada@example.com'
const password = 'otters read quietly at dawn'

/** Returns the option by which an identity is reused for these seconds, unless PostgreSQL pushes a change. */
function identityCacheOf(place: string, maxStalenessSeconds: number): ServerOptions<AnyPolicy>['sessions'] & object {
  if (maxStalenessSeconds === 0) return {}
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(place)
    await client.connect()
    return client
  }
  return { cache: { maxStalenessSeconds, broadcast: createPostgresBroadcast({ connect }) } }
}

/** Starts what people start: `createServer` and `listen`, in production, with an account that has signed in twice. */
export async function openLatchkeyService(
  store: HandStore,
  place: string,
  maxStalenessSeconds: number,
): Promise<OpenService> {
  const opened = stores[store](place)
  const server = createServer({
    baseUrl,
    mails: { mailer: { send: async () => {} } },
    secrets: createEnvSecrets({ environment: { LATCHKEY_SECRET: 'of the benchmark only: 32 characters' } }),
    stores: opened,
    sessions: identityCacheOf(place, maxStalenessSeconds),
    signUp: { role },
    policy,
    typeDefs: writeSdl((who) => rules[who]),
    resolvers: {
      Query: {
        openUser: resolvers.viewer,
        openNotes: resolvers.notes,
        thisUser: resolvers.viewer,
        thisNotes: resolvers.notes,
      },
    },
  })
  const { port } = await listen(server, { port: 0, migrate: true, print: null })
  const hasher = createPasswordHasher()
  const passwordHash = await hasher.hash(password)
  await hasher.close()
  const account = { id: 'acc_1', email, name: 'Ada', roles: [role], status: 'active', passwordHash, epoch: 0 } as const
  await opened.accounts.insert(account)
  const { accessToken } = (await signIn(server, 'TOKEN')).payload
  const { cookies } = await signIn(server, 'SESSION')
  return { port, token: accessToken ?? '', cookie: cookies.find((text) => text.startsWith('__Host-session=')) ?? '' }
}

interface SignedIn {
  readonly payload: { readonly accessToken: string | null }
  readonly cookies: readonly string[]
}

async function signIn(server: Server, delivery: 'TOKEN' | 'SESSION'): Promise<SignedIn> {
  const query = 'mutation SignIn($input: SignInInput!) { signIn(input: $input) { status accessToken } }'
  const response = await server.fetch(
    new Request(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: baseUrl },
      body: JSON.stringify({ query, variables: { input: { email, password, delivery } } }),
    }),
  )
  const { data } = (await response.json()) as { data?: { signIn: SignedIn['payload'] } }
  if (!data) throw new Error(`the sign-in was answered ${response.status}`)
  return { payload: data.signIn, cookies: response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '') }
}
