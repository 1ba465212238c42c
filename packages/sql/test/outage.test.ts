import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { createPostgresStores, createSqliteStores, type SqliteDatabase } from '@latchkey/sql'
import { StoreError } from '@latchkey/store'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'

type SqlValue = string | number | null

/** A deadline that is not what a test is about: no load of the machine makes it fail. */
const patientMs = 30_000
const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 3_600_000, value: '{}' }

describe('a lock of another connection', () => {
  let file: string
  let other: DatabaseSync

  beforeEach(async () => {
    file = newDatabaseFile()
    const stores = openStores()
    await stores.migrate()
    await stores.close()
    other = new DatabaseSync(file)
    onTestFinished(() => other.close())
  })

  function openStores(deadlineMs = 250) {
    const stores = createSqliteStores({ database: () => new DatabaseSync(file), deadlineMs })
    onTestFinished(() => stores.close())
    return stores
  }

  test('is waited for, while the event loop continues', async () => {
    const stores = openStores(patientMs)
    await stores.check()
    other.exec('begin immediate')
    let isInserted = false
    const inserting = stores.records.insert(record).finally(() => {
      isInserted = true
    })
    for (let turns = 0; turns < 10; turns++) await setTimeout(5)
    expect(isInserted).toBe(false)
    other.exec('commit')
    expect(await inserting).toBe(true)
  })

  test('fails as STORE_UNAVAILABLE at the deadline, with the cause, and no change is applied later', async () => {
    const stores = openStores(60)
    other.exec('begin immediate')
    const times: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const [start, elapsed] = [performance.now(), startStopwatch(60)]
      const error = await stores.records.insert(record).catch((reason: unknown) => reason)
      times.push(elapsed())
      expect(performance.now() - start).toBeGreaterThan(50)
      expect(error).toMatchObject(unavailable)
      expect((error as StoreError).cause).toMatchObject({ errcode: 5 })
    }
    expectWithin(60 + 50, 'SQLite locked, deadline of 60 ms: StoreError after', times)
    other.exec('commit')
    await setTimeout(50)
    expect(await stores.records.get(record.key)).toBeNull()
  })

  test('is retried by one of the waiting callers, and all of them continue when it is free', async () => {
    const database = new DatabaseSync(file)
    let attempts = 0
    const prepare = (sql: string) => {
      const statement = database.prepare(sql)
      return {
        all: (...parameters: SqlValue[]) => {
          attempts++
          return statement.all(...parameters)
        },
      }
    }
    const stores = createSqliteStores({
      database: () => ({ exec: (sql) => database.exec(sql), prepare, close: () => database.close() }),
      deadlineMs: patientMs,
    })
    onTestFinished(() => stores.close())
    other.exec('begin immediate')
    const inserting = Array.from({ length: 200 }, (_none, index) =>
      stores.records.insert({ ...record, key: `se_${index}` }),
    )
    await setTimeout(100)
    other.exec('commit')
    expect((await Promise.all(inserting)).every(Boolean)).toBe(true)
    expect(attempts).toBeLessThan(700)
  })

  test('fails every waiting caller at its own deadline', async () => {
    const stores = openStores(100)
    await stores.check()
    other.exec('begin immediate')
    const waitAfter = async (pauseMs: number) => {
      await setTimeout(pauseMs)
      const [start, elapsed] = [performance.now(), startStopwatch(100)]
      await expect(stores.records.remove(record.key)).rejects.toMatchObject(unavailable)
      expect(performance.now() - start).toBeGreaterThan(90)
      return elapsed()
    }
    const times: number[] = []
    for (let round = 0; round < 3; round++) times.push(...(await Promise.all([0, 30, 60].map(waitAfter))))
    expectWithin(100 + 50, 'SQLite locked, deadlines of 100 ms: StoreError after', times)
    other.exec('commit')
  })

  test('stops check(), which writes, and no readers', async () => {
    const stores = openStores(60)
    await stores.records.insert(record)
    await stores.counters.hit('sign-in', 60_000)
    other.exec('begin immediate')
    expect(await stores.records.get(record.key)).toEqual({ ...record, version: 1 })
    expect((await stores.counters.hit('sign-in', 60_000, 0)).count).toBe(1)
    await expect(stores.check()).rejects.toMatchObject(unavailable)
    other.exec('rollback')
    await stores.check()
  })

  test('does not stop readers while a change waits for it', async () => {
    const stores = openStores(patientMs)
    await stores.records.insert(record)
    other.exec('begin immediate')
    let isRemoved = false
    const removing = stores.records.remove(record.key).finally(() => {
      isRemoved = true
    })
    expect(await stores.records.get(record.key)).toEqual({ ...record, version: 1 })
    expect(isRemoved).toBe(false)
    other.exec('commit')
    await removing
    expect(await stores.records.get(record.key)).toBeNull()
  })

  test('allows another attempt to open the database', async () => {
    other.exec('pragma locking_mode = exclusive; begin exclusive')
    const stores = openStores(60)
    await expect(stores.records.get(record.key)).rejects.toMatchObject(unavailable)
    other.close()
    expect(await stores.records.get(record.key)).toBeNull()
    other = new DatabaseSync(file)
  })

  test('is waited for on a shared cache as well', async () => {
    const shared = () => new DatabaseSync(`file:${file}?cache=shared`)
    const [stores, holder] = [createSqliteStores({ database: shared, deadlineMs: patientMs }), shared()]
    onTestFinished(() => holder.close())
    onTestFinished(() => stores.close())
    await stores.check()
    holder.exec('begin immediate; delete from latchkey_records')
    const reading = stores.records.get(record.key)
    await setTimeout(30)
    holder.exec('commit')
    expect(await reading).toBeNull()
  })

  test('leaves one winner of every swap among waiting callers', async () => {
    const stores = [openStores(patientMs), openStores(patientMs), openStores(patientMs)]
    await stores[0]?.records.insert(record)
    other.exec('begin immediate')
    const swaps = stores.map(({ records }, index) =>
      records.replace({ ...record, version: 1 }, { ...record, value: `caller ${index}` }),
    )
    await setTimeout(30)
    other.exec('commit')
    expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1)
  })
})

describe('a database that cannot be used', () => {
  test.each([
    ['a folder that is not there', () => new DatabaseSync('/nonexistent/app.db'), { errcode: 14 }],
    [
      'a file that is no database',
      () => {
        const file = newDatabaseFile()
        writeFileSync(file, 'no database '.repeat(1000))
        return new DatabaseSync(file)
      },
      { errcode: 26 },
    ],
    [
      'a factory that throws anything',
      () => {
        throw 'down'
      },
      'down',
    ],
  ])('%s is an outage with its cause', async (_what, database: () => SqliteDatabase, cause) => {
    const stores = createSqliteStores({ database })
    const calls = [stores.check(), stores.migrate(), stores.records.get('se_1')]
    for (const error of await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)))) {
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ ...unavailable, cause })
    }
  })

  test('is closed again when opening it fails halfway', async () => {
    let closed = 0
    const fail = () => {
      throw new Error('disk I/O error')
    }
    const stores = createSqliteStores({ database: () => ({ exec: fail, prepare: fail, close: () => closed++ }) })
    await expect(stores.check()).rejects.toMatchObject(unavailable)
    expect(closed).toBe(1)
  })

  test('is opened again when it is available', async () => {
    const file = newDatabaseFile()
    let isDown = true
    const stores = createSqliteStores({ database: () => new DatabaseSync(isDown ? '/nonexistent/app.db' : file) })
    await expect(stores.migrate()).rejects.toMatchObject(unavailable)
    isDown = false
    await stores.migrate()
    expect(await stores.records.get('se_1')).toBeNull()
    await stores.close()
  })

  test('because the application has closed it is an outage', async () => {
    const database = new DatabaseSync(':memory:')
    const stores = createSqliteStores({ database: () => database })
    await stores.migrate()
    database.close()
    await expect(stores.records.get('se_1')).rejects.toMatchObject(unavailable)
  })
})

describe('closed stores', () => {
  test('are an outage, and may be closed twice', async () => {
    const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
    await stores.migrate()
    await stores.close()
    await stores.close()
    const closed = { ...unavailable, message: 'the stores are closed' }
    await expect(stores.records.get('se_1')).rejects.toMatchObject(closed)
    await expect(stores.check()).rejects.toMatchObject(closed)
  })

  test('do not open the database', async () => {
    let opened = 0
    const stores = createSqliteStores({
      database: () => {
        opened++
        return new DatabaseSync(':memory:')
      },
    })
    await stores.close()
    await expect(stores.migrate()).rejects.toMatchObject(unavailable)
    expect(opened).toBe(0)
  })
})

describe('the message of an outage has its reason and remedy', () => {
  const failing = (error: object) => {
    const refuse = (): never => {
      throw Object.assign(new Error('secret of the driver'), error)
    }
    return {
      sqlite: () => createSqliteStores({ database: refuse }),
      postgres: () => createPostgresStores({ pool: { connect: async () => refuse(), end: async () => {} } }),
    }
  }

  test.each<[driver: 'sqlite' | 'postgres', error: object, words: string]>([
    ['sqlite', { errcode: 13 }, 'its disk is full'],
    ['sqlite', { errcode: 1032 }, 'it is read-only'],
    ['sqlite', { errcode: 778 }, 'its disk failed'],
    ['sqlite', { code: 'SQLITE_READONLY_DIRECTORY' }, 'this user must be able to write'],
    ['sqlite', { code: 'SQLITE_NOTADB' }, 'is not a SQLite database'],
    ['sqlite', { code: 'EACCES' }, 'for the reason in "cause"'],
    ['postgres', { code: 'ECONNREFUSED' }, 'nothing listens at its address'],
    ['postgres', { code: '28P01' }, 'it refuses the user or the password'],
    ['postgres', { code: '3D000' }, 'it has no database of this name'],
    ['postgres', { code: '53300' }, 'it has no connection left'],
    ['postgres', { code: 'XX000' }, 'for the reason in "cause"'],
  ])('of %s with %j', async (driver, error, words) => {
    const stores = failing(error)[driver]()
    const thrown: unknown = await stores.check().catch((one: unknown) => one)
    expect(thrown).toMatchObject({ ...unavailable, cause: expect.objectContaining(error) })
    expect(String(thrown)).toContain(words)
    expect(String(thrown)).not.toContain('secret')
  })

  test.each([
    [
      'a file that is something else',
      () => {
        const file = newDatabaseFile()
        writeFileSync(file, 'Dear diary, '.repeat(200))
        return file
      },
      'its file is not a SQLite database',
    ],
    ['a folder that does not exist', () => `${newDatabaseFile()}/none/app.db`, 'the folder must exist'],
  ])('for a real SQLite: %s', async (_what, path, words) => {
    const file = path()
    const stores = createSqliteStores({ database: () => new DatabaseSync(file) })
    await expect(stores.check()).rejects.toThrow(words)
    await stores.close()
  })
})
