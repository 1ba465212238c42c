import { DatabaseSync } from 'node:sqlite'
import type { AccountChange, StoredAccount } from '@latchkey/accounts'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const ada: StoredAccount = {
  id: 'acc_1',
  email: 'ada@example.com',
  name: 'Ada',
  roles: ['AUTHOR', 'EDITOR'],
  status: 'active',
  passwordHash: '$argon2id$1',
  epoch: 3,
  keptKey: null,
  enrolled: [],
}
const bob: StoredAccount = {
  ...ada,
  id: 'acc_2',
  email: 'bob@example.com',
  roles: [],
  status: 'unverified',
  passwordHash: null,
  epoch: 0,
}

let stores: SqlStores

beforeEach(async () => {
  stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await stores.migrate()
})

afterEach(() => stores.close())

describe('an account', () => {
  test.each([ada, bob])('comes back by id and by e-mail as it was stored: $id', async (account) => {
    expect(await stores.accounts.insert(account)).toBe(true)
    expect(await stores.accounts.get(account.id)).toEqual(account)
    expect(await stores.accounts.getByEmail(account.email)).toEqual(account)
  })

  test('comes back whatever its texts are', async () => {
    const text = fc.string({ unit: anyCharacter })
    const accounts = fc.record({ name: text, roles: fc.array(text), passwordHash: fc.option(text), email: text })
    await fc.assert(
      fc.asyncProperty(accounts, async (fields) => {
        const account = { ...ada, ...fields }
        await stores.accounts.insert(account)
        expect(await stores.accounts.getByEmail(account.email)).toEqual(account)
        await stores.accounts.remove(account.id)
      }),
    )
  })

  test('is null if it is unknown', async () => {
    await stores.accounts.insert(ada)
    expect(await stores.accounts.get('acc_9')).toBeNull()
    expect(await stores.accounts.getByEmail('ADA@example.com')).toBeNull()
    expect(await stores.accounts.getByEmail('ada@example.co_')).toBeNull()
  })

  test.each([
    ['id', { ...bob, id: ada.id }],
    ['e-mail', { ...bob, email: ada.email }],
  ])('is not inserted if the %s is taken, and no account changes', async (_what, intruder) => {
    await stores.accounts.insert(ada)
    expect(await stores.accounts.insert(intruder)).toBe(false)
    expect(await stores.accounts.get(ada.id)).toEqual(ada)
    expect((await stores.accounts.list()).items).toEqual([ada])
  })

  test('is removed once, and its e-mail is free again', async () => {
    await stores.accounts.insert(ada)
    expect([await stores.accounts.remove(ada.id), await stores.accounts.remove(ada.id)]).toEqual([true, false])
    expect(await stores.accounts.getByEmail(ada.email)).toBeNull()
    expect(await stores.accounts.insert({ ...bob, email: ada.email })).toBe(true)
  })

  test('is refused by the table if its status does not exist', async () => {
    await expect(stores.accounts.insert({ ...ada, status: 'owner' as 'active' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })
})

describe('a swap', () => {
  beforeEach(async () => {
    await stores.accounts.insert(ada)
    await stores.accounts.insert(bob)
  })

  const next: AccountChange = { passwordHash: '$argon2id$2', epoch: 4 }

  test.each<[string, AccountChange, AccountChange]>([
    ['the hash', { passwordHash: '$argon2id$1' }, { passwordHash: '$argon2id$2' }],
    ['hash and epoch', { passwordHash: '$argon2id$1', epoch: 3 }, next],
    ['the hash by none', { passwordHash: '$argon2id$1' }, { passwordHash: null }],
    ['the roles', { roles: ['AUTHOR', 'EDITOR'] }, { roles: [] }],
    ['the status', { status: 'active' }, { status: 'disabled', epoch: 4 }],
    ['the e-mail', { email: 'ada@example.com' }, { email: 'ada@example.org' }],
    ['something without any expectation', {}, { epoch: 4 }],
    ['nothing', { epoch: 3 }, {}],
    [
      'every field',
      { ...fieldsOf(ada) },
      { email: 'x@example.com', roles: ['X'], status: 'disabled', passwordHash: null, epoch: 9 },
    ],
  ])('replaces %s when everything is as expected', async (_what, expected, change) => {
    expect(await stores.accounts.replace(ada.id, expected, change)).toBe(true)
    expect(await stores.accounts.get(ada.id)).toEqual({ ...ada, ...change })
    expect(await stores.accounts.get(bob.id)).toEqual(bob)
  })

  test.each<[string, AccountChange]>([
    ['hash', { passwordHash: '$argon2id$0' }],
    ['hash where none is expected', { passwordHash: null }],
    ['epoch', { passwordHash: '$argon2id$1', epoch: 2 }],
    ['status', { status: 'disabled' }],
    ['e-mail', { email: 'bob@example.com' }],
    ['list of roles', { roles: ['AUTHOR'] }],
    ['order of roles', { roles: ['EDITOR', 'AUTHOR'] }],
  ])('is false on another %s, and nothing changes', async (_what, expected) => {
    expect(await stores.accounts.replace(ada.id, expected, next)).toBe(false)
    expect(await stores.accounts.get(ada.id)).toEqual(ada)
  })

  test('distinguishes no password from some password', async () => {
    expect(await stores.accounts.replace(bob.id, { passwordHash: '$argon2id$1' }, next)).toBe(false)
    expect(await stores.accounts.replace(bob.id, { passwordHash: null }, next)).toBe(true)
    expect(await stores.accounts.get(bob.id)).toEqual({ ...bob, ...next })
  })

  test('is false if the new e-mail is taken, and no account changes', async () => {
    expect(await stores.accounts.replace(ada.id, {}, { email: bob.email, epoch: 4 })).toBe(false)
    expect(await stores.accounts.get(ada.id)).toEqual(ada)
    expect(await stores.accounts.getByEmail(bob.email)).toEqual(bob)
  })

  test('creates no account', async () => {
    expect(await stores.accounts.replace('acc_9', {}, next)).toBe(false)
    expect(await stores.accounts.get('acc_9')).toBeNull()
  })

  test('has one winner among callers who expect the same', async () => {
    const swaps = Array.from({ length: 20 }, (_none, index) =>
      stores.accounts.replace(ada.id, { epoch: 3 }, { epoch: 4, passwordHash: `caller ${index}` }),
    )
    const outcomes = await Promise.all(swaps)
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect(await stores.accounts.get(ada.id)).toMatchObject({ passwordHash: `caller ${outcomes.indexOf(true)}` })
  })

  test('stores any text as a role', async () => {
    const roles = ['a"b', "a'b", 'a,b', 'é😀', '']
    await stores.accounts.replace(ada.id, {}, { roles })
    expect((await stores.accounts.get(ada.id))?.roles).toEqual(roles)
    expect(await stores.accounts.replace(ada.id, { roles }, { roles: [] })).toBe(true)
  })
})

function fieldsOf({ email, roles, status, passwordHash, epoch }: StoredAccount): AccountChange {
  return { email, roles, status, passwordHash, epoch }
}

describe('the directory', () => {
  test('returns every account once, page by page', async () => {
    const ids = Array.from({ length: 7 }, (_none, index) => `acc_${index}`)
    for (const id of ids) await stores.accounts.insert({ ...ada, id, email: `${id}@example.com` })
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await stores.accounts.list({ limit: 3, ...(cursor !== undefined && { cursor }) })
      pages.push(page.items.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
  })

  test('leaves out accounts of which a text is no part, in any case of the letters', async () => {
    const names = ['Ada Lovelace', 'Bob 100%', 'Cyd 1000', 'ÖDÖN']
    for (const [index, name] of names.entries()) {
      await stores.accounts.insert({ ...ada, id: `acc_${index}`, email: `r${index}@example.com`, name })
    }
    const find = async (text: string) => (await stores.accounts.list({ text })).items.map(({ name }) => name)
    expect(await find('lovelace')).toEqual(['Ada Lovelace'])
    expect(await find('100%')).toEqual(['Bob 100%'])
    expect(await find('r2@')).toEqual(['Cyd 1000'])
    expect(await find('acc_1')).toEqual(['Bob 100%'])
    expect(await find('acc%')).toEqual([])
    expect(await find("' or 1=1 --")).toEqual([])
    expect(await stores.accounts.list({ text: '100', limit: 1 })).toMatchObject({
      items: [{ name: 'Bob 100%' }],
      cursor: 'acc_1',
    })
  })

  test('has no cursor when the last page is full', async () => {
    for (const account of [ada, bob]) await stores.accounts.insert(account)
    expect(await stores.accounts.list({ limit: 2 })).toEqual({ items: [ada, bob] })
  })
})

test.each(['', '{}', 'AUTHOR', '["AUTHOR'])(
  'roles that are stored as %j are an outage, and are not overwritten',
  async (roles) => {
    const database = new DatabaseSync(':memory:')
    const changed = createSqliteStores({ database: () => database })
    onTestFinished(() => changed.close())
    await changed.migrate()
    await changed.accounts.insert(ada)
    database.prepare('update latchkey_accounts set roles = ?').run(roles)
    const error = await changed.accounts.get(ada.id).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_DATA_INVALID' })
    expect(String(error)).not.toContain('AUTHOR')
    expect(database.prepare('select roles from latchkey_accounts').all()).toMatchObject([{ roles }])
  },
)
