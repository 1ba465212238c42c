import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqliteDatabase, type SqlStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const key = 'se_ada'
const id = 'acc_ada'
const account = { id, email: 'ada@example.com', name: 'Ada', roles: ['READER'], status: 'active', epoch: 0 } as const
const record = { key, owner: id, expiresAt: start + hour, value: '{"n":0}' }

interface Opened {
  readonly stores: SqlStores
  readonly database: DatabaseSync
  readonly file: string
  /** How many identities were read from the tables. */
  reads(): number
  /** How often SQLite was asked whether others have changed anything. */
  questions(): number
}

/** Stores with an account and a session whose identity was read. */
async function open({
  transactions = 'isTransaction',
  now = () => start,
  beforeRead = () => undefined,
}: {
  /** Called before an identity is read from the tables. */
  readonly beforeRead?: () => void
  readonly transactions?: string | null
  readonly now?: () => number
} = {}): Promise<Opened> {
  const file = newDatabaseFile()
  const database = new DatabaseSync(file)
  let reads = 0
  let questions = 0
  const counted: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      const isIdentity = /join latchkey_accounts/.test(sql)
      return {
        all(...parameters) {
          if (isIdentity) beforeRead()
          if (isIdentity) reads++
          if (sql === 'pragma data_version') questions++
          return statement.all(...parameters)
        },
      }
    },
    close: () => database.close(),
  }
  if (transactions) Object.defineProperty(counted, transactions, { get: () => database.isTransaction })
  const stores = createSqliteStores({ database: () => counted, now })
  onTestFinished(() => stores.close())
  await stores.migrate()
  await stores.accounts.insert({ ...account, passwordHash: null })
  await stores.records.insert(record)
  await stores.identities.readIdentity(key)
  return { stores, database, file, reads: () => reads, questions: () => questions }
}

/** What an identity depends on, in one line. */
async function look({ identities }: SqlStores, denialIds: readonly string[] = []): Promise<string> {
  const found = await identities.readIdentity(key, denialIds)
  if (found === null) return 'none'
  const { status, epoch, roles, keptKey, enrolled } = found.account
  return [
    found.record.value,
    found.record.expiresAt - start,
    status,
    epoch,
    roles,
    keptKey,
    enrolled,
    found.isDenied,
  ].join(' ')
}

test('an identity is read once from the tables while nothing in the database has changed', async () => {
  const { stores, reads } = await open()
  const first = await look(stores)
  for (let index = 0; index < 20; index++) expect(await look(stores)).toBe(first)
  expect(reads()).toBe(1)
  // With ids of denials it is another question.
  await look(stores, ['jti:a', 'sid:b'])
  await look(stores, ['jti:a', 'sid:b'])
  await look(stores, ['jti:c', 'sid:b'])
  expect(reads()).toBe(3)
})

const changes: readonly (readonly [name: string, change: (stores: SqlStores) => Promise<unknown>, seen: string])[] = [
  [
    'a replaced record',
    ({ records }) => records.replace({ key, owner: id, version: 1 }, { value: 'new', expiresAt: start + hour }),
    'new 3600000 active 0 READER   false',
  ],
  [
    'a use that moves its expiry',
    ({ records }) => records.touch({ key, owner: id }, start + 2 * hour),
    '{"n":0} 7200000 active 0 READER   false',
  ],
  ['a removed record', ({ records }) => records.remove(key), 'none'],
  ['the records of its owner removed', ({ records }) => records.removeByOwner(id), 'none'],
  [
    'another status',
    ({ accounts }) => accounts.replace(id, {}, { status: 'disabled' }),
    '{"n":0} 3600000 disabled 0 READER   false',
  ],
  [
    'another epoch with a kept key',
    ({ accounts }) => accounts.replace(id, { epoch: 0 }, { epoch: 1, keptKey: key }),
    `{"n":0} 3600000 active 1 READER ${key}  false`,
  ],
  ['other roles', ({ accounts }) => accounts.replace(id, {}, { roles: [] }), '{"n":0} 3600000 active 0    false'],
  [
    'another enrolled factor',
    ({ accounts }) => accounts.replace(id, {}, { enrolled: ['totp'] }),
    '{"n":0} 3600000 active 0 READER  totp false',
  ],
  ['a removed account', ({ accounts }) => accounts.remove(id), 'none'],
  ['a denial', ({ denials }) => denials.deny('jti:a', start + hour), '{"n":0} 3600000 active 0 READER   true'],
]

test.each(changes)(
  '%s is in force with the next request, whether these stores have changed it or others',
  async (_name, change, seen) => {
    const own = await open()
    const before = await look(own.stores, ['jti:a'])
    await change(own.stores)
    expect(await look(own.stores, ['jti:a'])).toBe(seen)

    const { stores, file } = await open()
    expect(await look(stores, ['jti:a'])).toBe(before)
    const others = createSqliteStores({ database: () => new DatabaseSync(file), now: () => start })
    onTestFinished(() => others.close())
    await change(others)
    expect(await look(stores, ['jti:a'])).toBe(seen)
  },
)

test('a change by the application over the same connection is in force with the next request', async () => {
  const { stores, database } = await open()
  await look(stores)
  database.exec(`update latchkey_accounts set status = 'disabled'`)
  expect(await look(stores)).toBe('{"n":0} 3600000 disabled 0 READER   false')
})

test('it is not hidden by a change of the stores that follows it', async () => {
  const { stores, database } = await open()
  await look(stores)
  database.exec(`update latchkey_accounts set status = 'disabled'`)
  await stores.records.insert({ ...record, key: 'se_other' })
  expect(await look(stores)).toBe('{"n":0} 3600000 disabled 0 READER   false')
})

test('what was read in a transaction of the application is forgotten with it', async () => {
  const { stores, database } = await open()
  database.exec(`begin; update latchkey_accounts set roles = '["ADMINISTRATOR"]'`)
  expect(await look(stores)).toContain('ADMINISTRATOR')
  database.exec('rollback')
  expect(await look(stores)).toBe('{"n":0} 3600000 active 0 READER   false')
})

test('it ends with its expiry, by the clock of the stores', async () => {
  let now = start
  const { stores, reads } = await open({ now: () => now })
  await look(stores)
  now = start + hour - 1
  expect(await look(stores)).not.toBe('none')
  now = start + hour
  expect(await look(stores)).toBe('none')
  expect(reads()).toBe(1)
})

test('what was not read before is no identity from its expiry on either', async () => {
  let now = start
  const { stores } = await open({ now: () => now })
  await stores.records.insert({ ...record, key: 'se_other' })
  now = start + hour
  expect(await stores.identities.readIdentity('se_other')).toBeNull()
})

const ofOthers: readonly (readonly [what: string, change: (stores: SqlStores, nth: number) => Promise<unknown>])[] = [
  ['a use', ({ records }, nth) => records.touch({ key: 'se_other', owner: id }, start + hour + nth)],
  ['a sign-in', ({ records }, nth) => records.insert({ ...record, key: `se_other_${nth}` })],
  [
    'a change',
    async ({ records }, nth) => {
      const found = await records.get('se_other')
      if (found) await records.replace(found, { value: `{"n":${nth}}`, expiresAt: start + hour })
    },
  ],
  ['a sign-out', ({ records }, nth) => records.remove(`se_gone_${nth}`)],
]

test.each(ofOthers)('%s of one session leaves the identities of others as they were read', async (_what, change) => {
  const { stores, reads } = await open()
  await stores.records.insert({ ...record, key: 'se_other' })
  for (let nth = 1; nth <= 20; nth++) await stores.records.insert({ ...record, key: `se_gone_${nth}` })
  await look(stores)
  const before = reads()
  for (let nth = 1; nth <= 20; nth++) {
    await change(stores, nth)
    await look(stores)
  }
  expect(reads()).toBe(before)
})

test('ten thousand identities are kept, and no more', async () => {
  const { stores, database, reads } = await open()
  database.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
insert into latchkey_records (key, owner, version, expires_at, value)
select 'se_' || n, '${id}', 1, ${start + hour}, '{}' from numbers`)
  const read = (n: number) => stores.identities.readIdentity(`se_${n}`)
  // As often as it takes to be worth it.
  for (let n = 1; n <= 10_000; n++) for (let again = 0; again < 3; again++) await read(n)
  const before = reads()
  await read(1)
  expect(reads() - before).toBe(0)
  await look(stores)
  await read(1)
  expect(reads() - before).toBe(2)
})

test('a key that is not there is looked for each time', async () => {
  const { stores, reads } = await open()
  const before = reads()
  expect(await stores.identities.readIdentity('se_none')).toBeNull()
  await stores.records.insert({ ...record, key: 'se_none' })
  expect(await stores.identities.readIdentity('se_none')).not.toBeNull()
  expect(reads()).toBe(before + 2)
})

test('what several requests get cannot be changed by one of them', async () => {
  const { stores } = await open()
  const found = (await stores.identities.readIdentity(key))!
  for (const shared of [found, found.record, found.account, found.account.roles, found.account.enrolled]) {
    expect(Object.isFrozen(shared)).toBe(true)
  }
})

test('every identity is read where the driver does not say whether a transaction is open', async () => {
  const { stores, reads } = await open({ transactions: null })
  for (let index = 0; index < 5; index++) await look(stores)
  expect(reads()).toBe(6)
})

test('a driver may say by either name whether a transaction is open', async () => {
  for (const transactions of ['isTransaction', 'inTransaction']) {
    const { stores, reads } = await open({ transactions })
    for (let index = 0; index < 5; index++) await look(stores)
    expect(reads()).toBe(1)
  }
})

test('after 256 reads that nothing was kept for, the tables are read 4095 times before it is asked again', async () => {
  const { stores, file, reads } = await open()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  const raise = other.prepare('update latchkey_accounts set epoch = epoch + 1')
  for (let read = 2; read <= 256; read++) {
    raise.run()
    await look(stores)
  }
  const before = reads()
  await look(stores)
  expect(reads() - before).toBe(1)
  for (let read = 0; read < 4200; read++) await look(stores)
  expect(reads() - before).toBe(4095)
})

test('nothing more is asked for a while where others change the database between all requests', async () => {
  const { stores, file, reads } = await open()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  const raise = other.prepare('update latchkey_accounts set epoch = epoch + 1')
  for (let epoch = 1; epoch <= 300; epoch++) {
    raise.run()
    expect(await look(stores)).toBe(`{"n":0} 3600000 active ${epoch} READER   false`)
  }
  const before = reads()
  for (let index = 0; index < 100; index++) await look(stores)
  expect(reads()).toBe(before + 100)
})

test('what a trigger of the application changes beside a change of the stores is in force with the next request', async () => {
  const { stores, database } = await open()
  database.exec(`create trigger lock_out after insert on latchkey_records
    begin update latchkey_accounts set status = 'disabled'; end`)
  await look(stores)
  await stores.records.insert({ ...record, key: 'se_other' })
  expect(await look(stores)).toBe('{"n":0} 3600000 disabled 0 READER   false')
})

test('those that ask at the same time are answered by one question, and each by its own key', async () => {
  const { stores, reads, questions } = await open()
  await stores.records.insert({ ...record, key: 'se_other', value: 'other' })
  const keys = [key, 'se_other', 'se_none', key, 'se_other']
  const ask = () => Promise.all(keys.map((one) => stores.identities.readIdentity(one)))
  await ask()
  const [asked, read] = [questions(), reads()]
  for (let round = 1; round <= 10; round++) {
    const found = await ask()
    expect(found.map((one) => one?.record.value)).toEqual([record.value, 'other', undefined, record.value, 'other'])
    expect(questions()).toBe(asked + round)
    // The key that is not there is looked for.
    expect(reads()).toBe(read + round)
  }
})

test('it is asked after the last of them: what another connection changes meanwhile is in force for all', async () => {
  const { stores, file } = await open()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  const first = look(stores)
  other.exec(`update latchkey_accounts set status = 'disabled'`)
  const [before, after] = await Promise.all([first, look(stores)])
  expect(after).toBe('{"n":0} 3600000 disabled 0 READER   false')
  expect(before).toBe(after)
})

test('one that cannot be read fails for who has asked for it, and for no other', async () => {
  const { stores, database } = await open()
  await stores.accounts.insert({ ...account, id: 'acc_bob', email: 'bob@example.com', passwordHash: null })
  await stores.records.insert({ ...record, key: 'se_bob', owner: 'acc_bob' })
  database.exec(`update latchkey_accounts set roles = 'no list' where id = 'acc_bob'`)
  const [own, foreign] = await Promise.allSettled([key, 'se_bob'].map((one) => stores.identities.readIdentity(one)))
  expect(own).toMatchObject({ status: 'fulfilled', value: { account: { id } } })
  expect(foreign).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })
  expect((foreign as PromiseRejectedResult).reason.cause).toBeInstanceOf(SyntaxError)
})

test('all that have asked are answered once another connection no longer holds the lock', async () => {
  let locked = 0
  const beforeRead = (): void => {
    if (locked-- > 0) throw Object.assign(new Error('database is locked'), { errcode: 5 })
  }
  const { stores } = await open({ beforeRead })
  await stores.records.insert({ ...record, key: 'se_other', value: 'other' })
  locked = 2
  const found = await Promise.all([key, 'se_other'].map((one) => stores.identities.readIdentity(one)))
  expect(found.map((one) => one?.record.value)).toEqual([record.value, 'other'])
})

test('all that have asked are refused where the database fails', async () => {
  const { stores } = await open()
  const asked = [key, 'se_none'].map((one) => stores.identities.readIdentity(one))
  await stores.close()
  const settled = await Promise.allSettled(asked)
  expect(settled).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })))
})

test('one whose row the driver does not return fails for who has asked for it, and for no other', async () => {
  const { stores, database } = await open()
  await stores.accounts.insert({ ...account, id: 'acc_bob', email: 'bob@example.com', passwordHash: null })
  await stores.records.insert({ ...record, key: 'se_bob', owner: 'acc_bob' })
  // More than a number of JavaScript holds, which `node:sqlite` refuses.
  database.exec(`update latchkey_records set expires_at = 9223372036854775807 where key = 'se_bob'`)
  const [own, foreign] = await Promise.allSettled([key, 'se_bob'].map((one) => stores.identities.readIdentity(one)))
  expect(own).toMatchObject({ status: 'fulfilled', value: { account: { id } } })
  expect(foreign).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })
})
