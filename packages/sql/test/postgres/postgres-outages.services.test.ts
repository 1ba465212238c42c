import { createPostgresStores, type PostgresPool, type SqlStores } from '@latchkey/sql'
import { createFreezingProxy, type FreezingProxy, useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeKitOutages } from '../describe-kits.ts'
import { createPostgresDatabase } from './postgres-database.ts'

/** Each test waits for it. */
const deadlineMs = 1000

describe.each<[string, (url: string) => PostgresPool]>([
  [
    'pg',
    (connectionString) => {
      const pool = new pg.Pool({ connectionString })
      // The next statement finds out; unheard, the event would end the process.
      pool.on('error', () => {})
      return pool
    },
  ],
  ['postgres.js', (url) => postgres(url, { onnotice: () => {} })],
])('PostgreSQL by %s, out of reach or frozen', (_driver, open) => {
  const server = useService('postgres')
  const opened: SqlStores[] = []
  let proxy: FreezingProxy
  let url = ''
  beforeAll(async () => {
    if (server === '') return
    proxy = await createFreezingProxy(Number(new URL(server).port))
    url = Object.assign(new URL(await createPostgresDatabase(server)), { port: String(proxy.port) }).href
    // The deadline of the stores is none for their tables.
    const stores = createPostgresStores({ pool: open(url), deadlineMs: 30_000 })
    await stores.migrate()
    await stores.close()
  })
  afterAll(async () => {
    for (const stores of opened) await stores.close()
    await proxy?.close()
  })

  const connect = async (to = url) => {
    const stores = createPostgresStores({ pool: open(to), deadlineMs })
    opened.push(stores)
    return stores
  }
  describeKitOutages(() => connect(), {
    unreachable: () => connect('postgres://nobody@127.0.0.1:1/none'),
    freeze: () => proxy.freeze(),
    thaw: () => proxy.thaw(),
    deadlineMs,
  })
})
