import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount, spoil } from './assertions.ts'

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

  'every text that an account can hold comes back whole': async ({ store, other }) => {
    const text = '\u00df \u00e9 \u043a\u043b\u044e\u0447 \u4e2d\u6587 \u{1f600}'
    const account = drawAccount({
      id: `${drawAccount().id}_${text}_e\u0301_${'x'.repeat(300)}`,
      email: `\u00e9\u043a\u043b\u044e\u0447\u4e2d_${drawAccount().email}`,
      name: `Mixed CASE ${text} '"`.concat('%_\\'),
    })
    const keptKey = `rt_${'A'.repeat(200)}${'a'.repeat(200)}`
    holds(await store.insert(account), 'a new account must be inserted')
    isAccount(await other.get(account.id), account, 'get')
    isAccount(await other.getByEmail(account.email), account, 'getByEmail')
    holds(await store.replace(account.id, {}, { keptKey, name: `${account.name}2` }), 'replace')
    isAccount(await other.get(account.id), { ...account, keptKey, name: `${account.name}2` }, 'get after a replace')
    isAccount(await other.get(account.email), null, 'get with an e-mail')
    isAccount(await other.getByEmail(account.id), null, 'getByEmail with an id')
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

  'e-mails that differ in one character belong to two accounts': async ({ store }) => {
    const { email } = drawAccount()
    const twins = [`jose_${email}`, `josé_${email}`, `jose-${email}`, `jos%_${email}`].map((twin) =>
      drawAccount({ email: twin }),
    )
    for (const account of twins) holds(await store.insert(account), `the e-mail of one refused another's`)
    for (const account of twins) isAccount(await store.getByEmail(account.email), account, 'getByEmail')
  },

  'ids that differ in one character belong to two accounts': async ({ store, other }) => {
    const { id } = drawAccount()
    const twins = [`${id}a`, `${id}A`, `${id}á`, `${id}_`].map((twin) => drawAccount({ id: twin }))
    for (const account of twins) holds(await store.insert(account), `the id of one refused another's`)
    for (const account of twins) {
      holds(await store.replace(account.id, {}, { epoch: 4 }), 'replace')
      isAccount(await other.get(account.id), { ...account, epoch: 4 }, 'get')
    }
    for (const text of [`${id} `, `${id}a `, id]) isAccount(await store.get(text), null, 'a text that is near an id')
    const [first, ...rest] = twins
    holds(await store.remove(first?.id ?? ''), 'remove')
    for (const account of rest) isAccount(await store.get(account.id), { ...account, epoch: 4 }, 'another account')
  },

  'an e-mail in another spelling finds no account': async ({ store }) => {
    const account = drawAccount()
    await store.insert(account)
    const { email } = account
    for (const text of [email.toUpperCase(), `${email} `, ` ${email}`, email.slice(1), `%${email.slice(1)}`])
      isAccount(await store.getByEmail(text), null, 'getByEmail')
  },

  'a removed account is gone on every client, and its e-mail is free': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    for (const client of [store, other]) isAccount(await client.getByEmail(account.email), account, 'getByEmail')
    holds(await store.remove(account.id), 'the account is there')
    holds(!(await other.remove(account.id)), 'the account is gone')
    isAccount(await other.get(account.id), null, 'get')
    holds((await other.getMany?.([account.id]))?.length !== 1, 'getMany')
    isAccount(await other.getByEmail(account.email), null, 'getByEmail')
    holds(await other.insert(drawAccount({ email: account.email })), 'the e-mail must be free again')
  },

  'a removal that expects another epoch changes nothing': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    for (const epoch of [account.epoch - 1, account.epoch + 1])
      holds(!(await store.remove(account.id, { epoch })), `a removal went through that expected the epoch ${epoch}`)
    isAccount(await other.getByEmail(account.email), account, 'after removals that were refused')
    holds(await other.replace(account.id, {}, { epoch: 2 ** 40 }), 'the account is there')
    holds(!(await store.remove(account.id, { epoch: 0 })), 'a removal that expects the epoch 0')
    holds(await store.remove(account.id, { epoch: 2 ** 40 }), 'the expected epoch is there')
    isAccount(await other.get(account.id), null, 'after the removal')
  },

  'changing an object that was passed in or returned changes no account': async ({ store }) => {
    const roles = ['AUTHOR', 'EDITOR']
    const account = drawAccount({ roles })
    const expected = { ...account, roles: [...roles], enrolled: ['totp'] }
    await store.insert(account)
    roles.push('ADMIN')
    const enrolled = ['totp']
    await store.replace(account.id, {}, { enrolled })
    enrolled.push('passkey')
    const [fromMany = null] = (await store.getMany?.([account.id])) ?? []
    for (const given of [await store.get(account.id), await store.getByEmail(account.email), fromMany]) spoil(given)
    isAccount(await store.get(account.id), expected, 'after the objects were changed')
  },
}

/** With the shortcut `getMany`. */
export const accountGetMany: AccountTests = {
  'many accounts are read at once: those that exist, each once, and no others': async ({ store, other }) => {
    const accounts = Array.from({ length: 20 }, () => drawAccount())
    for (const account of accounts) await store.insert(account)
    const odd = ['', '%', "' or 1=1 --", '__proto__', '\u0000', '\ud800']
    const strangers = [...odd, ...Array.from({ length: 1000 - 20 - odd.length }, () => drawAccount().id)]
    const found = await getMany(other, [...strangers, ...accounts.map(({ id }) => id)])
    holds(found.length === accounts.length, `${accounts.length} accounts exist, and ${found.length} came back`)
    const byId = new Map(found.map((account) => [account.id, account]))
    for (const account of accounts) isAccount(byId.get(account.id) ?? null, account, 'getMany')
    holds((await getMany(store, [])).length === 0, 'no id is no account')
    holds((await getMany(store, strangers)).length === 0, 'ids of no account')
  },
}

async function getMany(store: AccountStore, ids: readonly string[]): Promise<readonly StoredAccount[]> {
  return (await store.getMany?.(ids)) ?? []
}
