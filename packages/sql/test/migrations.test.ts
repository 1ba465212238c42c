import { execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSqliteStores } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'
import { accountsOf, versions } from './fixtures/earlier-tables.ts'

function openStores(file: string) {
  const stores = createSqliteStores({ database: () => new DatabaseSync(file) })
  onTestFinished(() => stores.close())
  return stores
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  return database
}

const dump = (database: DatabaseSync) =>
  database.prepare('select type, name, sql from sqlite_master order by type, name').all()

/** The version of this code. */
const { to: latest } = await createSqliteStores({ database: () => new DatabaseSync(':memory:') }).migrate()

describe('migrate', () => {
  test('creates the tables once and then finds nothing to do', async () => {
    const stores = openStores(newDatabaseFile())
    expect(await stores.migrate()).toEqual({ from: 0, to: latest })
    expect(await stores.migrate()).toEqual({ from: latest, to: latest })
  })

  test.each(versions)('brings the tables of version %i up to date, and keeps their rows', async (version, tables) => {
    const file = newDatabaseFile()
    openDatabase(file).exec(tables)
    const stores = openStores(file)
    await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
    expect(await stores.migrate()).toEqual({ from: version, to: latest })
    for (const account of accountsOf(version)) expect(await stores.accounts.get(account.id)).toEqual(account)
    const [ada] = accountsOf(version)
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9' })).toBe(false)
    expect(await stores.accounts.replace(ada.id, { status: ada.status }, { status: 'locked' })).toBe(true)
    expect((await stores.records.get('se_1'))?.owner).toBe('acc_1')
  })

  test('creates only what begins with latchkey_, and leaves the tables of others alone', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec("create table records (key text); insert into records values ('mine')")
    await openStores(file).migrate()
    const names = dump(database).map(({ name }) => String(name))
    expect(names.filter((name) => !/^(sqlite_autoindex_)?latchkey_/.test(name))).toEqual(['records'])
    expect(database.prepare('select key from records').all()).toMatchObject([{ key: 'mine' }])
  })

  test('keeps what is stored', async () => {
    const file = newDatabaseFile()
    const stores = openStores(file)
    await stores.migrate()
    const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '{}' }
    await stores.records.insert(record)
    await openStores(file).migrate()
    expect(await stores.records.get('se_1')).toEqual({ ...record, version: 1 })
  })

  test('that fails in the middle leaves nothing behind, neither tables nor a lock', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec('create table latchkey_keys (id text)')
    const before = dump(database)
    const stores = openStores(file)
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(dump(database)).toEqual(before)
    database.exec('drop table latchkey_keys')
    expect(await stores.migrate()).toEqual({ from: 0, to: latest })
  })

  test('waits for the migration of another process beyond the deadline of other operations', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec('pragma journal_mode = WAL; begin immediate')
    setTimeout(() => database.exec('commit'), 400)
    expect(await openStores(file).migrate()).toEqual({ from: 0, to: latest })
  })

  test('may be called by several processes that start together', async () => {
    const file = newDatabaseFile()
    const program = fileURLToPath(new URL('fixtures/migrate.ts', import.meta.url))
    const run = promisify(execFile)
    const start = () => run(process.execPath, ['--conditions=@latchkey/source', program, file])
    const reports = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout)
    expect(reports.filter((report) => report === `{"from":0,"to":${latest}}`)).toHaveLength(1)
    expect(reports.filter((report) => report === `{"from":${latest},"to":${latest}}`)).toHaveLength(2)
  })

  test('prints the same statements to be applied by hand', async () => {
    const [byHand, byUs] = [newDatabaseFile(), newDatabaseFile()]
    const stores = openStores(byHand)
    openDatabase(byHand).exec(stores.migrationSql())
    await openStores(byUs).migrate()
    expect(dump(openDatabase(byHand))).toEqual(dump(openDatabase(byUs)))
    expect(await stores.migrate()).toEqual({ from: latest, to: latest })
    await stores.check()
  })
})

describe('a database that was not migrated', () => {
  test('is not ready', async () => {
    const error = await openStores(newDatabaseFile())
      .check()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_NOT_MIGRATED' })
    expect(String(error)).toContain('has no tables of Latchkey: call migrate()')
  })

  test('is refused by every store, and becomes usable by migrate', async () => {
    const stores = openStores(newDatabaseFile())
    const refusal = { code: 'STORE_NOT_MIGRATED' }
    await expect(stores.records.get('se_1')).rejects.toMatchObject(refusal)
    await expect(stores.records.remove('se_1')).rejects.toMatchObject(refusal)
    await expect(stores.counters.hit('a', 1000)).rejects.toMatchObject(refusal)
    await expect(stores.factors.get('f_1')).rejects.toMatchObject(refusal)
    await expect(stores.accounts.getByEmail('a@example.com')).rejects.toMatchObject(refusal)
    await expect(stores.keys.list()).rejects.toMatchObject(refusal)
    await stores.migrate()
    expect(await stores.records.get('se_1')).toBeNull()
    await stores.check()
  })
})

describe('a database that a newer release migrated', () => {
  async function makeNewer(): Promise<string> {
    const file = newDatabaseFile()
    await openStores(file).migrate()
    openDatabase(file).exec('insert into latchkey_migrations (version) values (99)')
    return file
  }
  const refusal = { name: 'StoreError', code: 'STORE_TOO_NEW' }

  test('is refused by migrate, and nothing changes', async () => {
    const file = await makeNewer()
    const database = openDatabase(file)
    const before = [dump(database), database.prepare('select * from latchkey_migrations').all()]
    await expect(openStores(file).migrate()).rejects.toMatchObject(refusal)
    expect([dump(database), database.prepare('select * from latchkey_migrations').all()]).toEqual(before)
  })

  test('is not ready, and the reason is clear', async () => {
    const error = await openStores(await makeNewer())
      .check()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject(refusal)
    expect(String(error)).toContain(`has version 99, and this code knows versions up to ${latest}`)
  })

  test('is read and written by no store', async () => {
    const stores = openStores(await makeNewer())
    await expect(stores.records.get('se_1')).rejects.toMatchObject(refusal)
    await expect(stores.counters.hit('a', 1000)).rejects.toMatchObject(refusal)
  })

  test('is noticed by migrate and check of a process that had opened it before', async () => {
    const file = newDatabaseFile()
    const stores = openStores(file)
    await stores.migrate()
    openDatabase(file).exec('insert into latchkey_migrations (version) values (99)')
    await expect(stores.migrate()).rejects.toMatchObject(refusal)
    await expect(stores.check()).rejects.toMatchObject(refusal)
  })
})
