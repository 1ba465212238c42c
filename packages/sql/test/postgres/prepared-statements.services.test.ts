import { createPostgresStores, type PostgresPool, type PostgresStoresOptions, type SqlStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPostgresDatabase, textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

const server = useService('postgres')
let url: string
beforeAll(async () => {
  url = await createPostgresDatabase(server)
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString: url }), deadlineMs: 5000 })
  await stores.migrate()
  await stores.close()
})

const deadlineMs = 5000

function open(options: Partial<PostgresStoresOptions> = {}): { stores: SqlStores; pool: pg.Pool } {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const stores = createPostgresStores({ pool, deadlineMs, ...options })
  onTestFinished(() => stores.close())
  return { stores, pool }
}

/** The names of what the one connection has prepared for a table. */
async function preparedOf(pool: pg.Pool, table = 'latchkey_records'): Promise<string[]> {
  const { rows } = await pool.query('select name from pg_prepared_statements where statement like $1', [`%${table}%`])
  return rows.map(({ name }) => name).sort()
}

const account = {
  email: 'reader@example.com',
  name: 'A Reader',
  roles: ['READER'],
  status: 'active',
  passwordHash: null,
  epoch: 0,
} as const

describe('statements of the stores', () => {
  test('are prepared once for a connection, reads and changes', async () => {
    const { stores, pool } = open()
    for (let round = 0; round < 3; round++) await stores.records.get('se_1')
    const [read, ...none] = await preparedOf(pool)
    expect(none).toEqual([])
    await stores.records.remove('se_1')
    await stores.records.remove('se_2')
    const names = await preparedOf(pool)
    expect(names).toHaveLength(2)
    expect(names).toContain(read)
    for (const name of names) expect(name).toMatch(/^latchkey_[\w-]{43}$/)
  })

  test('are prepared again on a new connection', async () => {
    const { stores, pool } = open()
    await stores.records.get('se_1')
    const before = await preparedOf(pool)
    const { rows } = await pool.query('select pg_backend_pid() as pid')
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await other.end()
    await expect.poll(() => stores.records.get('se_1').catch(() => 'down'), { timeout: 5000 }).toBeNull()
    expect(await preparedOf(pool)).toEqual(before)
  })

  test('are not prepared if the option is false', async () => {
    const { stores, pool } = open({ preparedStatements: false })
    expect(await stores.records.get('se_1')).toBeNull()
    expect(await stores.records.remove('se_1')).toBe(false)
    expect(await preparedOf(pool)).toEqual([])
  })

  test('are sent without a name after a pooler has given the connection to another client', async () => {
    const { stores, pool } = open()
    await stores.records.get('se_1')
    await pool.query('deallocate all')
    expect(await stores.records.get('se_1')).toBeNull()
    expect(await stores.records.remove('se_1')).toBe(false)
    expect(await preparedOf(pool)).toEqual([])
  })

  test('are sent without a name where another client has prepared one of this name, also by the readiness check', async () => {
    const { stores, pool } = open()
    await stores.check()
    const names = await preparedOf(pool, 'latchkey_migrations')
    expect(names).toHaveLength(1)
    const { stores: second, pool: shared } = open()
    await shared.query(`prepare "${names[0]}" as select 1`)
    await second.check()
    expect(await second.records.get('se_1')).toBeNull()
    const { rows } = await shared.query('select name from pg_prepared_statements')
    expect(rows).toEqual([{ name: names[0] }])
  })

  test('are prepared by postgres.js too, unless its own option is false', async () => {
    for (const [prepare, expected] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const sql = postgres(url, { max: 1, prepare })
      const stores = createPostgresStores({ pool: sql, deadlineMs })
      onTestFinished(() => stores.close())
      await stores.records.get('se_1')
      const rows = await sql.unsafe("select 1 from pg_prepared_statements where statement like '%latchkey_records%'")
      expect(rows).toHaveLength(expected)
    }
  })

  test('"preparedStatements" is true or false', () => {
    const pool = new pg.Pool({ connectionString: url })
    expect(() => createPostgresStores({ pool, preparedStatements: 'yes' as never })).toThrow(
      /^"preparedStatements" must/,
    )
  })
})

describe('identities that are read at once', () => {
  /** Notes what is sent. */
  function noting(sent: string[]): PgPool {
    const pool = new pg.Pool({ connectionString: url, max: 4 })
    return {
      async connect() {
        const client = await pool.connect()
        return {
          release: (destroy) => client.release(destroy),
          query(asked, values) {
            if (textOf(asked).includes('latchkey_records')) sent.push(textOf(asked))
            return client.query(asked as string, values)
          },
        }
      },
      end: () => pool.end(),
    }
  }

  async function openWith(sent: string[]): Promise<{ stores: SqlStores; keys: string[] }> {
    const { stores } = open({ pool: noting(sent) })
    const id = `acc_${Math.random()}`
    await stores.accounts.insert({ ...account, id, email: `${id}@example.com` })
    const keys = Array.from({ length: 250 }, (_none, index) => `se_${id}_${index}`)
    const expiresAt = stores.records.now() + 60_000
    for (const key of keys) await stores.records.insert({ key, owner: id, expiresAt, value: key })
    sent.length = 0
    return { stores, keys }
  }

  test('are few statements, each answered for its own key', async () => {
    const sent: string[] = []
    const { stores, keys } = await openWith(sent)
    const found = await Promise.all(keys.map((key) => stores.accounts.identities.read(key)))
    expect(found.map((read) => read?.record.value)).toEqual(keys)
    // The first alone, and 249 in hundreds.
    expect(sent).toHaveLength(4)
  })

  test.each([true, false])('are answered through postgres.js, prepared: %j', async (preparedStatements) => {
    const { keys } = await openWith([])
    const stores = createPostgresStores({ pool: postgres(url, { max: 2 }), deadlineMs, preparedStatements })
    onTestFinished(() => stores.close())
    for (let round = 0; round < 2; round++) {
      const found = await Promise.all(keys.map((key) => stores.accounts.identities.read(key)))
      expect(found.map((read) => read?.record.value)).toEqual(keys)
    }
  })

  test('are not found at the very moment at which they expire', async () => {
    const { stores, keys } = await openWith([])
    const [record] = (await stores.records.listByOwner((await stores.records.get(keys[0] ?? ''))?.owner ?? '')).items
    const expiresAt = record?.expiresAt ?? 0
    for (const [before, found] of [
      [1, true],
      [0, false],
    ] as const) {
      const { stores: timed } = open({ now: () => expiresAt - before })
      const reads = await Promise.all(keys.slice(0, 3).map((key) => timed.accounts.identities.read(key)))
      expect(reads.map((read) => read !== null)).toEqual([found, found, found])
    }
  })

  test('are single statements if no other read is under way', async () => {
    const sent: string[] = []
    const { stores, keys } = await openWith(sent)
    for (const key of keys.slice(0, 3)) expect((await stores.accounts.identities.read(key))?.record.key).toBe(key)
    expect(sent).toHaveLength(3)
    expect(sent.join()).not.toContain('json_to_recordset')
  })

  test('start after they were requested: a session revoked before is not found, even among others that are', async () => {
    const { stores, keys } = await openWith([])
    for (let round = 0; round < 20; round++) {
      const [revoked = '', ...others] = keys.slice(round * 10, round * 10 + 10)
      const crowd = others.map((key) => stores.accounts.identities.read(key))
      await stores.records.remove(revoked)
      const again = others.map((key) => stores.accounts.identities.read(key))
      expect(await stores.accounts.identities.read(revoked)).toBeNull()
      for (const read of await Promise.all([...crowd, ...again])) expect(read).not.toBeNull()
    }
  })

  test('fail together when the database does, and none of them is taken for absent', async () => {
    const { stores, keys } = await openWith([])
    await stores.close()
    const verdicts = await Promise.allSettled(keys.map((key) => stores.accounts.identities.read(key)))
    for (const verdict of verdicts) expect(verdict).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } })
  })
})
