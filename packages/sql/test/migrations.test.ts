import { execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { latestVersion, newDatabaseFile } from './database-file.ts'

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

const ada = {
  id: 'acc_1',
  email: 'ada@example.com',
  name: 'Ada',
  roles: ['AUTHOR'],
  status: 'active',
  passwordHash: null,
  epoch: 4,
} as const

const dump = (database: DatabaseSync) =>
  database.prepare('select type, name, sql from sqlite_master order by type, name').all()

describe('migrate', () => {
  test('creates the tables once, and changes no table the second time', async () => {
    const stores = openStores(newDatabaseFile())
    expect(await stores.migrate()).toEqual({ from: 0, to: latestVersion })
    expect(await stores.migrate()).toEqual({ from: latestVersion, to: latestVersion })
  })

  test('moves the head of a chain also where another program appends', async () => {
    const file = newDatabaseFile()
    const stores = openStores(file)
    await stores.migrate()
    const row = { at: 1, entry: 'en', state: 'done', kind: 'a.b', accountId: null, personal: null } as const
    const rows = [1, 2, 3].map((sequence) => ({ ...row, chain: 'c', sequence, value: `value ${sequence}` }))
    await stores.audit.append(rows)
    const chain = { chain: 'c', first: 1, last: 3, head: { chain: 'c', sequence: 3, value: 'value 3' } }
    expect(await stores.audit.listChains({ after: null, limit: 10 })).toEqual([chain])
    openDatabase(file).exec("insert into latchkey_audit values ('c', 4, 1, 'en', 'done', 'a.b', null, 'value 4', null)")
    expect(await stores.audit.listChains({ after: null, limit: 10 })).toEqual([
      { ...chain, last: 4, head: { chain: 'c', sequence: 4, value: 'value 4' } },
    ])
  })

  test('keeps the head of a chain when its last row is removed and inserted again', async () => {
    const file = newDatabaseFile()
    const stores = openStores(file)
    await stores.migrate()
    const row = { at: 1, entry: 'en', state: 'done', kind: 'a.b', accountId: null, personal: null } as const
    await stores.audit.append([{ ...row, chain: 'c', sequence: 1, value: 'as written' }])
    openDatabase(file).exec(`delete from latchkey_audit;
insert into latchkey_audit values ('c', 1, 1, 'en', 'done', 'a.b', null, 'changed', null)`)
    const [chain] = await stores.audit.listChains({ after: null, limit: 10 })
    expect(chain?.head).toEqual({ chain: 'c', sequence: 1, value: 'as written' })
  })

  test('keeps whose addresses are reserved also where another program changes them', async () => {
    const file = newDatabaseFile()
    const stores = openStores(file)
    await stores.migrate()
    await stores.accounts.insert(ada)
    const reserved = { email: ada.email, accountId: ada.id, since: 1, until: 9 }
    expect(await stores.accounts.reservations.reserve(reserved, ada.epoch)).toBe(true)
    openDatabase(file).exec("update latchkey_accounts set email = 'ada@example.org' where id = 'acc_1'")
    expect(await stores.accounts.reservations.listByAccount(ada.id, 2)).toEqual([reserved])
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9' })).toBe(false)
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9', email: 'ada@example.org' })).toBe(false)
  })

  test('creates only objects with the prefix latchkey_, and leaves the tables of others unchanged', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec("create table records (key text); insert into records values ('mine')")
    await openStores(file).migrate()
    const names = dump(database).map(({ name }) => String(name))
    expect(names.filter((name) => !/^(sqlite_autoindex_)?latchkey_/.test(name))).toEqual(['records'])
    expect(database.prepare('select key from records').all()).toMatchObject([{ key: 'mine' }])
  })

  test('creates in PostgreSQL the tables, indexes and triggers that it creates in SQLite', async () => {
    const { migrationSql } = createPostgresStores({
      pool: { connect: () => Promise.reject(new Error('connected')), end: async () => {} },
    })
    const file = newDatabaseFile()
    await openStores(file).migrate()
    const created = dump(openDatabase(file)).filter(({ sql }) => sql !== null)
    const names = [...migrationSql().matchAll(/^create (?:table|index|trigger) (?:if not exists )?(\w+)/gm)]
    expect(names.map(([, name]) => name).sort()).toEqual(created.map(({ name }) => name).sort())
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

  test('leaves no tables and no lock if it fails in the middle', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec('create table latchkey_documents (id text)')
    const before = dump(database)
    const stores = openStores(file)
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(dump(database)).toEqual(before)
    database.exec('drop table latchkey_documents')
    expect(await stores.migrate()).toEqual({ from: 0, to: latestVersion })
  })

  test('waits for the migration of another process beyond the deadline of other operations', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec('pragma journal_mode = WAL; begin immediate')
    setTimeout(() => database.exec('commit'), 400)
    expect(await openStores(file).migrate()).toEqual({ from: 0, to: latestVersion })
  })

  test('may be called by several processes that start together', async () => {
    const file = newDatabaseFile()
    const program = fileURLToPath(new URL('fixtures/migrate.ts', import.meta.url))
    const run = promisify(execFile)
    const start = () => run(process.execPath, ['--conditions=@latchkey/source', program, file])
    const reports = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout)
    expect(reports.filter((report) => report === `{"from":0,"to":${latestVersion}}`)).toHaveLength(1)
    expect(reports.filter((report) => report === `{"from":${latestVersion},"to":${latestVersion}}`)).toHaveLength(2)
  })

  test('prints the same statements to be applied by hand', async () => {
    const [byHand, byUs] = [newDatabaseFile(), newDatabaseFile()]
    const stores = openStores(byHand)
    openDatabase(byHand).exec(stores.migrationSql())
    await openStores(byUs).migrate()
    expect(dump(openDatabase(byHand))).toEqual(dump(openDatabase(byUs)))
    expect(await stores.migrate()).toEqual({ from: latestVersion, to: latestVersion })
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
    await expect(stores.documents.get('factor-totp', 'acc_1')).rejects.toMatchObject(refusal)
    await expect(stores.accounts.getByEmail('a@example.com')).rejects.toMatchObject(refusal)
    await expect(stores.documents.list('signing-key')).rejects.toMatchObject(refusal)
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

  test('is refused by migrate, and the database does not change', async () => {
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
    expect(String(error)).toContain(`has version 99, and this code knows versions up to ${latestVersion}`)
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

describe('a database that a newer release migrated, and that this one may go on using', () => {
  async function makeNewer(): Promise<string> {
    const file = newDatabaseFile()
    await openStores(file).migrate()
    openDatabase(file).exec(
      `insert into latchkey_migrations (version, usable_by) values (98, 98), (99, ${latestVersion})`,
    )
    return file
  }

  test('is ready, read and written', async () => {
    const stores = openStores(await makeNewer())
    await stores.check()
    expect(await stores.records.get('se_1')).toBeNull()
    expect(await stores.counters.hit('a', 1000)).toMatchObject({ count: 1 })
  })

  test('is left unchanged by migrate', async () => {
    const file = await makeNewer()
    const before = dump(openDatabase(file))
    expect(await openStores(file).migrate()).toEqual({ from: 99, to: 99 })
    expect(dump(openDatabase(file))).toEqual(before)
  })

  test('is refused again once a later migration says so', async () => {
    const file = await makeNewer()
    openDatabase(file).exec('insert into latchkey_migrations (version, usable_by) values (100, 99)')
    await expect(openStores(file).check()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
  })
})
