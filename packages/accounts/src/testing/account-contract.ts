import type { AccountChange, StoredAccount } from '../store/account-store.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount } from './assertions.ts'

export const accountContract: AccountTests = {
  'an account comes back as it was inserted, by its id and by its e-mail, on every client': async ({
    store,
    other,
  }) => {
    const account = drawAccount()
    holds(await store.insert(account), 'a new account must be inserted')
    for (const client of [store, other]) {
      isAccount(await client.get(account.id), account, 'get')
      isAccount(await client.getByEmail(account.email), account, 'getByEmail')
    }
  },

  'any text and any number that an account can hold comes back': async ({ store }) => {
    const accounts = [
      drawAccount({ roles: [], passwordHash: null, epoch: 0, status: 'unverified' }),
      drawAccount({ name: `O'Brien "Ωλ 😀" \\ %_; --`, roles: ['a,b', 'c"d', "e'f", '[]', '\\'] }),
      drawAccount({ passwordHash: `$${'x'.repeat(1000)}`, epoch: Number.MAX_SAFE_INTEGER, status: 'disabled' }),
      drawAccount({ status: 'locked' }),
    ]
    for (const account of accounts) {
      holds(await store.insert(account), 'a new account must be inserted')
      isAccount(await store.get(account.id), account, 'get')
    }
  },

  'an id or an e-mail that is taken refuses an insert and changes nothing': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const [sameId, sameEmail] = [drawAccount({ id: account.id }), drawAccount({ email: account.email })]
    holds(!(await other.insert(sameId)), 'an id that is taken must refuse the insert')
    holds(!(await other.insert(sameEmail)), 'an e-mail that is taken must refuse the insert')
    isAccount(await store.get(account.id), account, 'the account that was there')
    isAccount(await store.getByEmail(account.email), account, 'the account that was there')
    isAccount(await store.getByEmail(sameId.email), null, 'the e-mail of a refused insert')
    isAccount(await store.get(sameEmail.id), null, 'the id of a refused insert')
  },

  'a text that is not an id or an e-mail finds no account': async ({ store }) => {
    const { id, email } = drawAccount()
    await store.insert(drawAccount())
    for (const text of [
      '',
      id,
      email,
      '%',
      '*',
      '__proto__',
      'constructor',
      "' or 1=1 --",
      '\u0000',
      'x'.repeat(512),
    ]) {
      isAccount(await store.get(text), null, 'get')
      isAccount(await store.getByEmail(text), null, 'getByEmail')
      holds(!(await store.replace(text, {}, { epoch: 1 })), 'replace')
      holds(!(await store.remove(text)), 'remove')
    }
  },

  'addresses that differ in one character belong to two accounts': async ({ store }) => {
    const { email } = drawAccount()
    const twins = [`jose_${email}`, `josé_${email}`, `jose-${email}`, `jos%_${email}`].map((twin) =>
      drawAccount({ email: twin }),
    )
    for (const account of twins) holds(await store.insert(account), `the address of one refused another's`)
    for (const account of twins) isAccount(await store.getByEmail(account.email), account, 'getByEmail')
  },

  'a swap changes what it names and nothing else': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const { passwordHash, epoch } = account
    const next = { passwordHash: 'another', epoch: epoch + 1, roles: ['ADMIN'] }
    holds(await store.replace(account.id, { passwordHash, epoch }, next), 'the expected values are there')
    isAccount(await other.get(account.id), { ...account, ...next }, 'after the swap')
  },

  'a swap that expects another value changes nothing': async ({ store }) => {
    const account = drawAccount()
    await store.insert(account)
    const { email, roles, status, passwordHash, epoch } = account
    const others: readonly AccountChange[] = [
      { email: `x${email}` },
      { roles: [] },
      { roles: [...roles].reverse() },
      { roles: roles.slice(1) },
      { status: 'disabled' },
      { passwordHash: null },
      { passwordHash: `${passwordHash}x` },
      { epoch: epoch - 1 },
      { keptKey: 'se_another' },
      { enrolled: ['totp'] },
      { email, roles, status, passwordHash, epoch: epoch + 1 },
      { email, status: 'unverified', epoch },
    ]
    for (const expected of others) {
      const isSwapped = await store.replace(account.id, expected, { epoch: 99 })
      holds(!isSwapped, `a swap went through that expected ${Object.keys(expected).join(', ')}`)
    }
    isAccount(await store.get(account.id), account, 'after swaps that were refused')
  },

  'a swap may expect and set every field': async ({ store }) => {
    const { id, name, ...current } = drawAccount()
    await store.insert({ id, name, ...current })
    const { email } = drawAccount()
    const next = {
      email,
      roles: ['READER'],
      status: 'disabled',
      passwordHash: null,
      epoch: 7,
      keptKey: 'se_1',
      enrolled: ['totp', 'passkey'],
    } as const
    holds(await store.replace(id, current, next), 'every expected value is there')
    isAccount(await store.get(id), { id, name, ...next }, 'after the swap')
    holds(await store.replace(id, next, { epoch: 8, keptKey: 'se_2' }), 'a kept key is an expected value, too')
  },

  'a swap that sets the epoch keeps what it names, or nothing': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const { id, epoch } = account
    holds(await store.replace(id, { epoch }, { epoch: epoch + 1, keptKey: 'rt_1' }), 'the expected epoch is there')
    isAccount(await other.get(id), { ...account, epoch: epoch + 1, keptKey: 'rt_1' }, 'after a raise that keeps a key')
    holds(await store.replace(id, {}, { passwordHash: 'rehashed' }), 'the account is there')
    const rehashed = { ...account, passwordHash: 'rehashed' }
    isAccount(await other.get(id), { ...rehashed, epoch: epoch + 1, keptKey: 'rt_1' }, 'after a swap without an epoch')
    holds(await other.replace(id, { epoch: epoch + 1 }, { epoch: epoch + 2 }), 'the expected epoch is there')
    isAccount(await store.get(id), { ...rehashed, epoch: epoch + 2 }, 'after a raise that names no key')
  },

  'the kinds of second factors are kept, compared and set': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const { id, epoch } = account
    const enrolled = ['totp', 'passkey']
    holds(await store.replace(id, { epoch, enrolled: [] }, { epoch: epoch + 1, enrolled }), 'a new account has none')
    isAccount(await other.get(id), { ...account, epoch: epoch + 1, enrolled }, 'after they were set')
    holds(!(await store.replace(id, { enrolled: [] }, { epoch: 9 })), 'none is not two of them')
    holds(!(await store.replace(id, { enrolled: ['passkey', 'totp'] }, { epoch: 9 })), 'another order')
    holds(await other.replace(id, { enrolled }, { epoch: epoch + 2 }), 'the expected kinds are there')
    isAccount(await store.get(id), { ...account, epoch: epoch + 2, enrolled }, 'after a raise that names none')
    holds(await store.replace(id, { enrolled }, { enrolled: ['totp'] }), 'one may be taken away')
    isAccount(await other.getByEmail(account.email), { ...account, epoch: epoch + 2, enrolled: ['totp'] }, 'by e-mail')
  },

  'no password is a value that can be expected and set': async ({ store }) => {
    const account = drawAccount({ passwordHash: null })
    await store.insert(account)
    holds(await store.replace(account.id, { passwordHash: null }, { passwordHash: 'hash' }), 'null must equal null')
    holds(!(await store.replace(account.id, { passwordHash: null }, { epoch: 9 })), 'null must not equal a hash')
    holds(await store.replace(account.id, { passwordHash: 'hash' }, { passwordHash: null }), 'a hash may be taken away')
    isAccount(await store.get(account.id), account, 'after three swaps')
  },

  'a swap that expects nothing only requires that the account exists': async ({ store }) => {
    const account = drawAccount()
    holds(!(await store.replace(account.id, {}, { epoch: 4 })), 'an account that is not there')
    isAccount(await store.get(account.id), null, 'a swap must not create')
    await store.insert(account)
    holds(await store.replace(account.id, {}, { epoch: 4 }), 'an account that is there')
  },

  'a swap to an e-mail that is taken changes nothing': async ({ store }) => {
    const [account, owner] = [drawAccount(), drawAccount()]
    await store.insert(account)
    await store.insert(owner)
    const next = { email: owner.email, epoch: 4 }
    holds(!(await store.replace(account.id, { epoch: account.epoch }, next)), 'the e-mail is taken')
    isAccount(await store.get(account.id), account, 'the account that wanted it')
    isAccount(await store.getByEmail(owner.email), owner, 'the account that has it')
    holds(await store.replace(owner.id, {}, { email: owner.email, epoch: 5 }), 'an account may keep its own e-mail')
  },

  'after a change of e-mail the old one finds no account and is free': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const { email } = drawAccount()
    holds(await store.replace(account.id, { email: account.email }, { email }), 'the new e-mail is free')
    isAccount(await other.getByEmail(account.email), null, 'by the old e-mail')
    isAccount(await other.getByEmail(email), { ...account, email }, 'by the new e-mail')
    holds(await store.insert(drawAccount({ email: account.email })), 'the old e-mail must be free again')
  },

  'many accounts are read at once: those that exist, each once, and no others': async ({ store, other }) => {
    const accounts = Array.from({ length: 20 }, () => drawAccount())
    for (const account of accounts) await store.insert(account)
    const odd = ['', '%', "' or 1=1 --", '__proto__', '\u0000', '\ud800']
    const strangers = [...odd, ...Array.from({ length: 1000 - 20 - odd.length }, () => drawAccount().id)]
    const found = await other.getMany([...strangers, ...accounts.map(({ id }) => id)])
    holds(found.length === accounts.length, `${accounts.length} accounts exist, and ${found.length} came back`)
    const byId = new Map(found.map((account) => [account.id, account]))
    for (const account of accounts) isAccount(byId.get(account.id) ?? null, account, 'getMany')
    holds((await store.getMany([])).length === 0, 'no id is no account')
    holds((await store.getMany(strangers)).length === 0, 'ids of no account')
  },

  'a removed account is gone on every client, and its e-mail is free': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    holds(await store.remove(account.id), 'the account is there')
    holds(!(await other.remove(account.id)), 'the account is gone')
    isAccount(await other.get(account.id), null, 'get')
    holds((await other.getMany([account.id])).length === 0, 'getMany')
    isAccount(await other.getByEmail(account.email), null, 'getByEmail')
    holds(await other.insert(drawAccount({ email: account.email })), 'the e-mail must be free again')
  },

  'changing an object that was passed in or returned changes no account': async ({ store }) => {
    const roles = ['AUTHOR', 'EDITOR']
    const account = drawAccount({ roles })
    const expected = { ...account, roles: [...roles] }
    await store.insert(account)
    roles.push('ADMIN')
    const [fromMany = null] = await store.getMany([account.id])
    for (const given of [await store.get(account.id), await store.getByEmail(account.email), fromMany]) spoil(given)
    isAccount(await store.get(account.id), expected, 'after the objects were changed')
  },
}

/** A frozen object cannot be changed, which is as good as a copy. */
function spoil(account: StoredAccount | null): void {
  try {
    Object.assign(account ?? {}, { status: 'disabled', epoch: 99 })
  } catch {
    // Frozen.
  }
  try {
    Array.prototype.push.call(account?.roles, 'ADMIN')
  } catch {
    // Frozen.
  }
}
