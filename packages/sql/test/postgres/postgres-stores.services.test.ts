import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPostgresStores, type PostgresPool, type SqlStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { latestVersion } from '../database-file.ts'
import { createPostgresDatabase, textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

const server = useService('postgres')
const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 3_600_000, value: 'first' }
const deadlineMs = 30_000

function open(pool: PostgresPool, options: { now?: () => number; deadlineMs?: number } = { deadlineMs }): SqlStores {
  const stores = createPostgresStores({ pool, ...options })
  onTestFinished(() => stores.close())
  return stores
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const tablesOf = async (client: pg.Client) =>
  (await client.query(`select table_name from information_schema.tables where table_schema = 'public' order by 1`)).rows

describe.each<[string, (url: string) => PostgresPool]>([
  ['pg', (connectionString) => new pg.Pool({ connectionString })],
  ['postgres.js', (url) => postgres(url, { onnotice: () => {} })],
])('migrate by %s', (_driver, connect) => {
  test('creates the tables once, however many do it at once', async () => {
    const url = await createPostgresDatabase(server)
    const reports = await Promise.all(Array.from({ length: 6 }, () => open(connect(url)).migrate()))
    expect(reports.filter(({ from }) => from === 0)).toHaveLength(1)
    expect(reports.filter(({ from }) => from === latestVersion)).toHaveLength(5)
    expect(await open(connect(url)).migrate()).toEqual({ from: latestVersion, to: latestVersion })
  })

  test('a migration that fails in the middle leaves no tables', async () => {
    const url = await createPostgresDatabase(server)
    const client = await openClient(url)
    await client.query('create table latchkey_documents (id text)')
    const before = await tablesOf(client)
    await expect(open(connect(url)).migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await tablesOf(client)).toEqual(before)
    await client.query('drop table latchkey_documents')
    expect(await open(connect(url)).migrate()).toEqual({ from: 0, to: latestVersion })
  })

  test('may wait for another longer than a request would', async () => {
    const url = await createPostgresDatabase(server)
    const client = await openClient(url)
    await client.query('begin; select pg_advisory_xact_lock(7809651138471421305)')
    const migrating = open(connect(url), {}).migrate()
    await setTimeout(600)
    await client.query('commit')
    expect(await migrating).toEqual({ from: 0, to: latestVersion })
  })

  test('tables of a newer release are left alone', async () => {
    const url = await createPostgresDatabase(server)
    await open(connect(url)).migrate()
    const client = await openClient(url)
    await client.query('insert into latchkey_migrations values (99)')
    const stores = open(connect(url))
    for (const call of [stores.migrate, stores.check, () => stores.records.insert(record)]) {
      await expect(call()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
    }
    expect((await client.query('select key from latchkey_records')).rows).toEqual([])
  })
})

test('the printed SQL does the same as migrate', async () => {
  const url = await createPostgresDatabase(server)
  const stores = open(new pg.Pool({ connectionString: url }))
  await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
  await expect(stores.records.insert(record)).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
  await (await openClient(url)).query(stores.migrationSql())
  await stores.check()
  expect(await stores.migrate()).toEqual({ from: latestVersion, to: latestVersion })
  expect(await stores.records.insert(record)).toBe(true)
})

test('check() rejects while the server takes no changes, as a hot standby does', async () => {
  const connectionString = await createPostgresDatabase(server)
  const stores = open(new pg.Pool({ connectionString }))
  await stores.migrate()
  await stores.check()
  const standby = open(new pg.Pool({ connectionString, options: '-c default_transaction_read_only=on' }))
  expect(await standby.records.get('se_1')).toBeNull()
  await expect(standby.check()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('it is read-only'),
  })
})

describe('the stores on PostgreSQL', () => {
  async function openMigrated(wrap = (pool: pg.Pool): PgPool => pool, now?: () => number): Promise<SqlStores> {
    const stores = open(wrap(new pg.Pool({ connectionString: await createPostgresDatabase(server) })), {
      deadlineMs,
      ...(now && { now }),
    })
    await stores.migrate()
    return stores
  }

  test('refuse what is not a pool, and a deadline that is not valid', async () => {
    const client = {} as PgPool
    expect(() => createPostgresStores({ pool: client })).toThrow(/^"pool" must be/)
    const pool = new pg.Pool({ connectionString: server })
    expect(() => createPostgresStores({ pool, deadlineMs: 0 })).toThrow(/^"deadlineMs" must be/)
    await pool.end()
  })

  test('are an outage when they are closed, and may be closed twice', async () => {
    const stores = createPostgresStores({ pool: new pg.Pool({ connectionString: server }) })
    await stores.close()
    await stores.close()
    await expect(stores.records.get('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('find no row for a key that PostgreSQL cannot hold', async () => {
    const { records } = await openMigrated()
    expect(await records.get('se_\0')).toBeNull()
    expect(await records.remove('se_\0')).toBe(false)
    await expect(records.insert({ ...record, value: '\0' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('accept an instant with a fraction', async () => {
    const { records, counters } = await openMigrated(undefined, () => 1_800_000_000_000.75)
    await records.insert({ ...record, expiresAt: 1_800_000_001_000.5 })
    expect(await records.get(record.key)).toMatchObject({ expiresAt: 1_800_000_001_000 })
    expect(await counters.hit('address', 1000.5)).toMatchObject({ count: 1 })
  })

  test('sweep in bounded steps', async () => {
    let time = Date.now()
    const { records } = await openMigrated(undefined, () => time)
    for (const index of [3, 1, 2]) await records.insert({ ...record, key: `se_${index}`, expiresAt: time + index })
    time += 10
    expect([await records.sweep(2), await records.sweep(2), await records.sweep(2)]).toEqual([2, 1, 0])
  })

  /** A pool whose server shows a time that is so many milliseconds behind, each time it is asked. */
  function withServerClock(...behindMs: number[]) {
    return (pool: pg.Pool): PgPool => ({
      connect: async () => {
        const client = await pool.connect()
        return {
          release: (destroy) => client.release(destroy),
          async query(asked, values) {
            const { rows } = await client.query(asked as string, values)
            if (!textOf(asked).includes('as now')) return { rows }
            return { rows: rows.map(({ now }) => ({ now: Number(now) - (behindMs.shift() ?? 0) })) }
          },
        }
      },
      end: () => pool.end(),
    })
  }

  test('notice that the clock of the server was set, and the change is made once', async () => {
    const { records, counters } = await openMigrated(withServerClock(3_600_000))
    expect(await records.insert(record)).toBe(true)
    expect(await counters.hit('address', 60_000)).toMatchObject({ count: 1 })
  })

  test('undo a change that the server made too late', async () => {
    const stores = await openMigrated(withServerClock(...Array.from({ length: 10_000 }, () => 3_600_000)))
    await expect(stores.records.insert(record)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await stores.records.get(record.key)).toBeNull()
  })

  test('keep what was acknowledged to processes that are killed in the middle of writing', async () => {
    const url = await createPostgresDatabase(server)
    const stores = open(new pg.Pool({ connectionString: url }))
    await stores.migrate()
    const program = fileURLToPath(new URL('../fixtures/write-records.ts', import.meta.url))
    const writer = spawn(process.execPath, ['--conditions=@latchkey/source', program, url, 'one'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    writer.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    while (output.split('\n').length < 60) await setTimeout(5)
    writer.kill('SIGKILL')
    await once(writer, 'close')
    for (const line of output.slice(0, output.lastIndexOf('\n')).split('\n')) {
      const [what, key = ''] = line.split(' ')
      const version = what === 'replaced' ? { version: 2, value: 'second' } : {}
      expect(await stores.records.get(key), line).toMatchObject({ key, ...version })
    }
  })
})
