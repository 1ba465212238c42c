import type { AccountChange } from '../store/account-store.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount } from './assertions.ts'

export const accountSwaps: AccountTests = {
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
    const { email, name, roles, status, passwordHash, epoch } = account
    const others: readonly AccountChange[] = [
      { email: `x${email}` },
      { name: name.toLowerCase() },
      { name: `${name} ` },
      { roles: [] },
      { roles: [...roles].reverse() },
      { roles: roles.slice(1) },
      { status: 'disabled' },
      { passwordHash: null },
      { passwordHash: `${passwordHash}x` },
      { epoch: epoch - 1 },
      { keptKey: 'se_another' },
      { enrolled: ['totp'] },
      { email, name: 'Grace Hopper', epoch },
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
    const { id, ...current } = drawAccount()
    await store.insert({ id, ...current })
    const { email } = drawAccount()
    const next = {
      email,
      name: "Åda O'Hara 😀",
      roles: ['READER'],
      status: 'disabled',
      passwordHash: null,
      epoch: 7,
      keptKey: 'se_1',
      enrolled: ['totp', 'passkey'],
    } as const
    holds(await store.replace(id, current, next), 'every expected value is there')
    isAccount(await store.get(id), { id, ...next }, 'after the swap')
    holds(await store.replace(id, next, { epoch: 8, keptKey: 'se_2' }), 'a kept key is an expected value, too')
    holds(!(await store.replace(id, { keptKey: null }, { epoch: 9 })), 'no kept key must not equal one')
    isAccount(await store.get(id), { id, ...next, epoch: 8, keptKey: 'se_2' }, 'after the swaps')
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

  'a swap of the name changes one account, and keeps its key': async ({ store, other }) => {
    const [account, bystander] = [drawAccount(), drawAccount()]
    for (const one of [account, bystander]) await store.insert(one)
    const kept = { epoch: account.epoch + 1, keptKey: 'se_kept' }
    await store.replace(account.id, {}, kept)
    for (const _round of [1, 2]) holds(await store.replace(account.id, {}, { name: 'Grace Hopper' }), 'it is there')
    isAccount(await other.get(account.id), { ...account, ...kept, name: 'Grace Hopper' }, 'the account')
    isAccount(await other.get(bystander.id), bystander, 'another account')
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
    holds(await store.replace(account.id, { epoch: 4 }, {}), 'a swap that sets nothing')
    holds(!(await store.replace(account.id, { epoch: 3 }, {})), 'a swap that sets nothing, of another value')
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
}
