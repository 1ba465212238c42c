import { DatabaseSync } from 'node:sqlite'
import { createPostgresStores, createSqliteStores, type SqliteDatabase } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'

const start = Date.UTC(2026, 0, 1)

describe('creating the stores', () => {
  test('does not open the database, which the first use opens once', async () => {
    let opened = 0
    const database = () => {
      opened++
      return new DatabaseSync(':memory:')
    }
    const stores = createSqliteStores({ database })
    stores.migrationSql()
    expect(opened).toBe(0)
    await Promise.all([stores.migrate(), stores.migrate()])
    await Promise.all([stores.records.get('a'), stores.records.get('b')])
    expect(opened).toBe(1)
    await stores.close()
  })

  test('declares its capabilities: strong consistency, times to the millisecond, and rows that no database removes', () => {
    const { records, counters } = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
    const capabilities = { contract: 1, consistency: 'strong' }
    expect(records.capabilities).toEqual({ ...capabilities, nativeExpiry: false, expiryGranularityMs: 1 })
    expect(counters.capabilities).toEqual({ ...capabilities, durable: true })
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a deadline of %d ms', (deadlineMs) => {
    const database = () => new DatabaseSync(':memory:')
    expect(() => createSqliteStores({ database, deadlineMs })).toThrow(/^"deadlineMs" must be a positive number$/)
  })

  test('refuses an open database in the place of the function that opens it', () => {
    const database = new DatabaseSync(':memory:')
    onTestFinished(() => database.close())
    // @ts-expect-error a function is asked for
    expect(() => createSqliteStores({ database })).toThrow(/^"database" must be a function that opens the database$/)
  })
})

describe('a connection', () => {
  test('acknowledges what is on the disk, checks foreign keys, and never makes the event loop wait for a lock', async () => {
    const database = new DatabaseSync(newDatabaseFile(), { timeout: 5000 })
    const stores = createSqliteStores({ database: () => database })
    await stores.migrate()
    const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('busy_timeout')).toBe(0)
    await stores.close()
  })

  test('prepares each statement once', async () => {
    const real = new DatabaseSync(':memory:')
    const prepared: string[] = []
    const stores = createSqliteStores({
      database: () => ({
        exec: (sql) => real.exec(sql),
        prepare: (sql) => {
          prepared.push(sql)
          return real.prepare(sql)
        },
        close: () => real.close(),
      }),
    })
    await stores.migrate()
    prepared.length = 0
    for (let index = 0; index < 5; index++) await stores.records.get(`se_${index}`)
    expect(prepared).toHaveLength(1)
    await stores.close()
  })
})

test('values are never part of a statement', async () => {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:'), now: () => start })
  await stores.migrate()
  const hostile = `'; drop table latchkey_records; -- $1 ?1 :x @y "`
  const record = { key: hostile, owner: hostile, expiresAt: start + 1000, value: hostile }
  await stores.records.insert(record)
  expect((await stores.records.listByOwner(hostile)).items).toEqual([{ ...record, version: 1 }])
  await stores.close()
})

test('counters of closed windows do not accumulate', async () => {
  let time = start
  const database = new DatabaseSync(':memory:')
  const stores = createSqliteStores({ database: () => database, now: () => time })
  await stores.migrate()
  for (let address = 0; address < 1000; address++) {
    await stores.counters.hit(`address ${address}`, 10)
    time++
  }
  const left = database.prepare('select count(*) as counters from latchkey_counters').get()
  expect(Number(left?.counters)).toBeLessThan(200)
  await stores.close()
})

test('a window expires at the instant that it returned, for every kind of hit', async () => {
  let time = start
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:'), now: () => time })
  await stores.migrate()
  const { counters } = stores
  const keys = ['added', 'read', 'taken back']
  for (const key of keys) expect(await counters.hit(key, 1000, 3)).toEqual({ count: 3, resetAt: start + 1000 })
  time = start + 999
  expect((await counters.hit('added', 1000)).count).toBe(4)
  expect((await counters.hit('read', 1000, 0)).count).toBe(3)
  expect((await counters.hit('taken back', 1000, -1)).count).toBe(2)
  time = start + 1000
  expect(await counters.hit('added', 1000)).toEqual({ count: 1, resetAt: start + 2000 })
  expect(await counters.hit('read', 1000, 0)).toEqual({ count: 0, resetAt: time })
  expect(await counters.hit('taken back', 1000, -1)).toEqual({ count: 0, resetAt: time })
  await stores.close()
})

test('closed windows are looked for once in fifty new ones, and not with each', async () => {
  const database = new DatabaseSync(':memory:')
  let sweeps = 0
  const prepare: SqliteDatabase['prepare'] = (sql) => {
    const statement = database.prepare(sql)
    const isSweep = sql.includes('delete from latchkey_counters') && sql.includes('limit')
    return isSweep ? { all: (...values) => [sweeps++, ...statement.all(...values)].slice(1) } : statement
  }
  const counted: SqliteDatabase = { exec: (sql) => database.exec(sql), prepare, close: () => database.close() }
  const stores = createSqliteStores({ database: () => counted, now: () => start })
  await stores.migrate()
  for (let address = 0; address < 49; address++) await stores.counters.hit(`address ${address}`, 60_000)
  expect(sweeps).toBe(0)
  for (let address = 49; address < 100; address++) await stores.counters.hit(`address ${address}`, 60_000)
  for (let again = 0; again < 100; again++) await stores.counters.hit('address 0', 60_000)
  expect(sweeps).toBe(2)
  await stores.close()
})

test('a count is answered even if the sweep after it fails', async () => {
  const database = new DatabaseSync(':memory:')
  const stores = createSqliteStores({ database: () => database, now: () => start })
  await stores.migrate()
  database.exec(`create trigger no_sweep before delete on latchkey_counters begin select raise(abort, 'no'); end`)
  await stores.counters.hit('closed', 0)
  for (let address = 0; address < 200; address++) {
    expect((await stores.counters.hit(`address ${address}`, 60_000)).count).toBe(1)
  }
  await stores.close()
})

test('a sweep removes the records that expired first', async () => {
  let time = start
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:'), now: () => time })
  await stores.migrate()
  for (const index of [3, 1, 2]) {
    await stores.records.insert({ key: `k${index}`, owner: null, expiresAt: start + index, value: '' })
  }
  time = start + 2
  expect(await stores.records.sweep(1)).toBe(1)
  time = start
  expect([await stores.records.get('k1'), (await stores.records.get('k2'))?.key]).toEqual([null, 'k2'])
  time = start + 2
  expect([await stores.records.sweep(10), await stores.records.sweep(10)]).toEqual([1, 0])
  await stores.close()
})

test('all records of an account are removed in steps that leave the event loop free between them', async () => {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:'), now: () => start })
  onTestFinished(() => stores.close())
  await stores.migrate()
  for (let index = 0; index < 3001; index++) {
    await stores.records.insert({ key: `se_${index}`, owner: 'acc_1', expiresAt: start + 1, value: '' })
  }
  await stores.records.insert({ key: 'se_other', owner: 'acc_2', expiresAt: start + 1, value: '' })
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  onTestFinished(() => clearInterval(ticking))
  expect(await stores.records.removeByOwner('acc_1', { except: 'se_7' })).toBe(3000)
  expect(turns).toBeGreaterThanOrEqual(2)
  expect((await stores.records.listByOwner('acc_1')).items.map(({ key }) => key)).toEqual(['se_7'])
  expect((await stores.records.listByOwner('acc_2')).items).toHaveLength(1)
})

test.each([0, -1, 1.5, Number.NaN])('a page of %d is a TypeError', async (limit) => {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await stores.migrate()
  await expect(stores.records.listByOwner('acc_1', { limit })).rejects.toThrow(/^"limit" must be an integer/)
  await expect(stores.accounts.list({ limit })).rejects.toThrow(TypeError)
  await stores.close()
})

describe('stores know whether they are kept in memory', () => {
  test.each<[what: string, path: () => string, isInMemory: boolean]>([
    ['a file', newDatabaseFile, false],
    [':memory:', () => ':memory:', true],
    ['a name without a file', () => '', true],
    ['memory that connections of one process share', () => 'file:shared?mode=memory&cache=shared', true],
  ])('those of SQLite: %s', async (_what, path, isInMemory) => {
    const stores = createSqliteStores({ database: () => new DatabaseSync(path()) })
    expect(await stores.isInMemory()).toBe(isInMemory)
    await stores.close()
  })

  test('stores on PostgreSQL are not in memory, unless they are a PGlite without a folder', async () => {
    const server = { connect: () => Promise.reject(new Error('nothing connects here')), end: async () => {} }
    expect(await createPostgresStores({ pool: server }).isInMemory()).toBe(false)
    const embedded = (dataDir?: string) =>
      createPostgresStores({
        pool: {
          dataDir,
          query: async () => ({ rows: [] }),
          exec: async () => {},
          transaction: async () => {},
          close: async () => {},
        },
      })
    expect(await embedded().isInMemory()).toBe(true)
    expect(await embedded('memory://pages').isInMemory()).toBe(true)
    expect(await embedded('./data').isInMemory()).toBe(false)
  })
})
