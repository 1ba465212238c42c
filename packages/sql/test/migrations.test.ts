import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { storedVersion } from '@latchkey/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { latestVersion, newDatabaseFile } from './database-file.ts'
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

/** Takes out what version 6 has added. */
const withoutHeads =
  'drop trigger latchkey_audit_head; drop table latchkey_audit_heads; drop index latchkey_audit_entry;'

/** Takes out what the versions 7 and 8 have added. */
const withoutAddresses = `drop trigger latchkey_address_taken; drop trigger latchkey_address_moved;
drop trigger latchkey_address_freed; drop table latchkey_addresses; drop index latchkey_accounts_roles;`

const dump = (database: DatabaseSync) =>
  database.prepare('select type, name, sql from sqlite_master order by type, name').all()

describe('migrate', () => {
  test('creates the tables once and then finds nothing to do', async () => {
    const stores = openStores(newDatabaseFile())
    expect(await stores.migrate()).toEqual({ from: 0, to: latestVersion })
    expect(await stores.migrate()).toEqual({ from: latestVersion, to: latestVersion })
  })

  test.each(versions)('brings the tables of version %i up to date, and keeps their rows', async (version, tables) => {
    const file = newDatabaseFile()
    openDatabase(file).exec(tables)
    const stores = openStores(file)
    await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
    expect(await stores.migrate()).toEqual({ from: version, to: latestVersion })
    for (const account of accountsOf(version)) expect(await stores.accounts.get(account.id)).toEqual(account)
    const [ada] = accountsOf(version)
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9' })).toBe(false)
    expect(await stores.accounts.replace(ada.id, { status: ada.status }, { status: 'locked' })).toBe(true)
    expect((await stores.records.get('se_1'))?.owner).toBe('acc_1')
  })

  test('brings the tables of the first version up to date, and keeps their rows', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec(readFileSync(new URL('fixtures/database-version-1.sql', import.meta.url), 'utf8'))
    const rowsOf = (table: string) => database.prepare(`select * from ${table} order by 1`).all()
    const before = ['latchkey_accounts', 'latchkey_records', 'latchkey_keys'].map(rowsOf)
    const stores = openStores(file)
    await expect(stores.check()).rejects.toMatchObject({
      code: 'STORE_NOT_MIGRATED',
      message: expect.stringMatching(/^the database has version 1 of \d+: call migrate\(\)$/),
    })
    expect(await stores.migrate()).toEqual({ from: 1, to: latestVersion })
    const [accounts, records, keys] = before
    expect(rowsOf('latchkey_accounts')).toEqual(
      accounts?.map((row) => expect.objectContaining({ ...row, kept_key: null })),
    )
    expect([rowsOf('latchkey_records'), rowsOf('latchkey_keys')]).toEqual([records, keys])
    await stores.check()
  })

  test('of a new database lets its values be written in the newest version, and that of an older one does not', async () => {
    const [file, olderFile] = [newDatabaseFile(), newDatabaseFile()]
    const [stores, older] = [openStores(file), openStores(olderFile)]
    openDatabase(olderFile).exec(readFileSync(new URL('fixtures/database-version-1.sql', import.meta.url), 'utf8'))
    await Promise.all([stores.migrate(), older.migrate()])
    expect(await stores.versions.get()).toBe(storedVersion)
    expect(await older.versions.get()).toBe(0)
    expect(await older.versions.raise(storedVersion)).toBe(storedVersion)
    await older.migrate()
    expect(await older.versions.get()).toBe(storedVersion)
  })

  test('adds what is new to a filled database of the version before, and keeps all of it', async () => {
    const file = newDatabaseFile()
    const before = openStores(file)
    await before.migrate()
    const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '{}' }
    await before.records.insert(record)
    const key = {
      id: 'k1',
      purpose: 'access-token',
      algorithm: 'HS256',
      sealed: 's',
      createdAt: 1,
      retiredAt: 2,
    } as const
    await before.keys.insert(key)
    openDatabase(file).exec(`drop table latchkey_denials; ${withoutHeads} ${withoutAddresses}
delete from latchkey_migrations where version > 3`)
    const stores = openStores(file)
    await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
    expect(await stores.migrate()).toEqual({ from: 3, to: latestVersion })
    expect([await stores.records.get('se_1'), await stores.keys.list()]).toEqual([{ ...record, version: 1 }, [key]])
    await stores.denials.deny('jti:a', Date.now() + 60_000)
    expect(await stores.denials.isAnyDenied(['jti:a'])).toBe(true)
  })

  test('knows the heads of the chains that are there, and moves them also where an older release appends', async () => {
    const file = newDatabaseFile()
    const before = openStores(file)
    await before.migrate()
    const row = { at: 1, entry: 'en', state: 'done', kind: 'a.b', accountId: null, personal: null } as const
    const rows = [1, 2, 3].map((sequence) => ({ ...row, chain: 'c', sequence, value: `value ${sequence}` }))
    await before.audit.append(rows)
    openDatabase(file).exec(`${withoutHeads} ${withoutAddresses} delete from latchkey_migrations where version > 5`)
    const stores = openStores(file)
    await stores.migrate()
    const chain = { chain: 'c', first: 1, last: 3, head: { chain: 'c', sequence: 3, value: 'value 3' } }
    expect(await stores.audit.listChains({ after: null, limit: 10 })).toEqual([chain])
    openDatabase(file).exec("insert into latchkey_audit values ('c', 4, 1, 'en', 'done', 'a.b', null, 'value 4', null)")
    expect(await stores.audit.listChains({ after: null, limit: 10 })).toEqual([
      { ...chain, last: 4, head: { chain: 'c', sequence: 4, value: 'value 4' } },
    ])
  })

  test('leaves the head of a chain where it is when its last row is removed and written anew', async () => {
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

  test('knows the addresses that are there, and keeps whose they are also where an older release writes', async () => {
    const file = newDatabaseFile()
    const before = openStores(file)
    await before.migrate()
    const [ada] = accountsOf(2)
    await before.accounts.insert(ada)
    openDatabase(file).exec(`${withoutAddresses} delete from latchkey_migrations where version > 6`)
    const stores = openStores(file)
    await stores.migrate()
    const reserved = { email: ada.email, accountId: ada.id, since: 1, until: 9 }
    expect(await stores.addresses.reserve(reserved, ada.epoch)).toBe(true)
    openDatabase(file).exec("update latchkey_accounts set email = 'ada@example.org' where id = 'acc_1'")
    expect(await stores.addresses.listReserved(ada.id, 2)).toEqual([reserved])
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9' })).toBe(false)
    expect(await stores.accounts.insert({ ...ada, id: 'acc_9', email: 'ada@example.org' })).toBe(false)
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

  test('says of each version whose code may go on using it: only one that takes nothing away', async () => {
    const file = newDatabaseFile()
    await openStores(file).migrate()
    const rows = openDatabase(file).prepare('select version, usable_by from latchkey_migrations order by version').all()
    expect(rows.map(({ version }) => version)).toEqual(rows.map((_row, index) => index + 1))
    expect(rows.filter(({ usable_by }) => usable_by !== null)).toEqual([
      { version: 5, usable_by: 4 },
      { version: 6, usable_by: 4 },
      { version: 7, usable_by: 4 },
      { version: 8, usable_by: 4 },
    ])
  })

  test('of PostgreSQL alters the table of accounts, which SQLite writes anew', () => {
    const sql = createPostgresStores({
      pool: { connect: () => Promise.reject(new Error('connected')), end: async () => {} },
    }).migrationSql()
    expect(sql).toContain("alter table latchkey_accounts add column enrolled text not null default '[]';")
    expect(sql).toContain("check (status in ('unverified', 'active', 'disabled', 'locked'));")
    expect(sql).not.toContain('latchkey_accounts_next')
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

  test('that fails in the middle leaves nothing behind, neither tables nor a lock', async () => {
    const file = newDatabaseFile()
    const database = openDatabase(file)
    database.exec('create table latchkey_keys (id text)')
    const before = dump(database)
    const stores = openStores(file)
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(dump(database)).toEqual(before)
    database.exec('drop table latchkey_keys')
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
    await expect(stores.factors.get('f_1')).rejects.toMatchObject(refusal)
    await expect(stores.accounts.getByEmail('a@example.com')).rejects.toMatchObject(refusal)
    await expect(stores.keys.list()).rejects.toMatchObject(refusal)
    await expect(stores.denials.isAnyDenied(['jti:a'])).rejects.toMatchObject(refusal)
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
  async function makeNewer(usableBy = 3): Promise<string> {
    const file = newDatabaseFile()
    await openStores(file).migrate()
    openDatabase(file).exec(`insert into latchkey_migrations (version, usable_by) values (98, 98), (99, ${usableBy})`)
    return file
  }

  test.each([3, latestVersion])('is ready, read and written, usable from version %i', async (usableBy) => {
    const stores = openStores(await makeNewer(usableBy))
    await stores.check()
    expect(await stores.records.get('se_1')).toBeNull()
    expect(await stores.counters.hit('a', 1000)).toMatchObject({ count: 1 })
  })

  test('is left as it is by migrate', async () => {
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
