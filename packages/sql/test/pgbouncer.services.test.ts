import { randomUUID } from 'node:crypto'
import {
  createPostgresExecutor,
  createPostgresStores,
  type PostgresPool,
  type PostgresStoresOptions,
  type SqlStores,
} from '@latchkey/sql'
import { patienceMs, startPgbouncer, useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPostgresDatabase } from './postgres/postgres-database.ts'

const server = useService('postgres')
const rounds = 10
/** For what is no test of the deadline: no load of the machine makes it fail. */
const deadlineMs = 20_000

let direct = ''
let pooled = ''
let stop = async () => {}
beforeAll(async () => {
  if (server === '') return
  direct = await createPostgresDatabase(server)
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString: direct }), deadlineMs })
  await stores.migrate()
  await stores.close()
  const pooler = await startPgbouncer(direct, { default_pool_size: '2' })
  if (!pooler) throw new Error('PgBouncer is not installed')
  ;({ url: pooled, stop } = pooler)
})
afterAll(() => stop())

const drivers: readonly (readonly [name: string, open: (url: string) => PostgresPool])[] = [
  ['pg', (connectionString) => new pg.Pool({ connectionString, max: 6 })],
  ['postgres.js', (url) => postgres(url, { max: 6, onnotice: () => {}, backoff: () => 0.05 })],
]

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe.each(drivers)('through PgBouncer in transaction mode, by %s', (_name, openPool) => {
  function open(options: Partial<PostgresStoresOptions> = {}): SqlStores {
    const stores = createPostgresStores({ pool: openPool(pooled), deadlineMs, ...options })
    onTestFinished(() => stores.close())
    return stores
  }

  /** What twelve clients at once need: changes, and reads of them. */
  async function useAtOnce({ counters, records, accounts }: SqlStores): Promise<readonly unknown[]> {
    const keys = Array.from({ length: 12 }, () => randomUUID())
    const answers = keys.map(async (key) => [
      await records.insert({ key, owner: null, expiresAt: Date.now() + 60_000, value: key }),
      (await records.get(key))?.value === key,
      (await counters.hit(key, 60_000)).count,
      await accounts.identities.read(key),
      await records.remove(key),
    ])
    return Promise.all(answers)
  }
  const expected = Array.from({ length: 12 }, () => [true, true, 1, null, true])

  test.each([true, false])(
    'the stores answer during the slow query of another application, which is not cancelled, with prepared statements: %j',
    async (preparedStatements) => {
      const other = await connect(pooled)
      const executor = createPostgresExecutor({ pool: openPool(pooled), deadlineMs })
      onTestFinished(() => executor.close())
      for (let round = 0; round < rounds; round++) {
        const both = [open({ preparedStatements }), open({ preparedStatements })]
        await Promise.all([...both.map((stores) => stores.check()), executor.query('select 1')])
        // Longer than a store may take.
        const slow = other.query('select pg_sleep(0.3)')
        const answers = await Promise.all([...both.map(useAtOnce), slow])
        expect(answers).toEqual([expected, expected, expect.objectContaining({ rowCount: 1 })])
        expect((await other.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
        await Promise.all(both.map((stores) => stores.close()))
      }
    },
  )

  test('a statement that waits for a lock is given up at its deadline, by the server too', async () => {
    const stores = open({ deadlineMs: 250 })
    const key = randomUUID()
    await patiently(() => stores.counters.hit(key, 60_000))
    const holder = await connect(direct)
    await holder.query('begin')
    await holder.query('update latchkey_counters set hits = hits where key = $1', [key])
    for (let round = 0; round < 3; round++) {
      await expect(stores.counters.hit(key, 60_000)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    }
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(async () => (await holder.query(waiting)).rowCount, { timeout: 2000 }).toBe(0)
    await holder.query('commit')
    expect(await stores.counters.hit(key, 60_000, 0)).toMatchObject({ count: 1 })
  })
})

test('postgres.js prepares no statement through PgBouncer', async () => {
  const pooler = await startPgbouncer(direct, { default_pool_size: '1' })
  onTestFinished(async () => pooler?.stop())
  const stores = createPostgresStores({ pool: postgres(pooler?.url ?? ''), deadlineMs })
  onTestFinished(() => stores.close())
  await stores.check()
  expect(await stores.records.get('se_1')).toBeNull()
  const other = await connect(pooler?.url ?? '')
  const prepared = `select statement from pg_prepared_statements where statement like '%latchkey%'`
  expect((await other.query(prepared)).rows).toEqual([])
})

/** On a busy machine the deadline may pass, which is no fault of the pooler. */
const patiently = <T>(work: () => Promise<T>): Promise<T> => vi.waitFor(work, { timeout: patienceMs, interval: 50 })
