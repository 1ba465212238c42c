import { PGlite } from '@electric-sql/pglite'
import { createPostgresStores, type PostgresPool, type SqlStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeKits } from '../describe-kits.ts'
import { createPostgresDatabase } from './postgres-database.ts'

// The races of the kit open many transactions at once on a machine that runs other tests beside this one.
const deadlineMs = 30_000

// Each kit has two clients or more, and the server a number of connections that other tests use besides.
const max = 4

describe.each<[string, (url: string) => PostgresPool]>([
  ['pg', (connectionString) => new pg.Pool({ connectionString, max })],
  [
    'pg, where every transaction is serializable',
    (connectionString) =>
      new pg.Pool({ connectionString, max, options: '-c default_transaction_isolation=serializable' }),
  ],
  ['postgres.js', (url) => postgres(url, { max, idle_timeout: 5, onnotice: () => {} })],
])('PostgreSQL by %s', (_driver, open) => {
  const server = useService('postgres')
  const opened: SqlStores[] = []
  let admin: pg.Pool | null = null
  let database: Promise<string> | null = null
  const connect = async (now?: () => number) => {
    database ??= createPostgresDatabase(server)
    const stores = createPostgresStores({ pool: open(await database), deadlineMs, ...(now && { now }) })
    opened.push(stores)
    await stores.migrate()
    return stores
  }
  afterAll(async () => {
    for (const stores of opened) await stores.close()
    await admin?.end()
  })
  const setVersion = async (key: string, version: number) => {
    admin ??= new pg.Pool({ connectionString: (await database) ?? '' })
    await admin.query('update latchkey_records set version = $2 where key = $1', [key, version])
  }
  describeKits(connect, { setVersion })
})

// It needs no server, but seconds to start and half a gigabyte: that is too much for `npm test`.
describe('PGlite', () => {
  const pool = new PGlite()
  let stores: SqlStores
  beforeAll(async () => {
    stores = createPostgresStores({ pool, deadlineMs })
    await stores.migrate()
  })
  afterAll(() => stores.close())
  describeKits(async (now) => (now ? createPostgresStores({ pool, deadlineMs, now }) : stores))
})
