import { readPages } from '@latchkey/store/internal/testing'
import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount, spoil } from './assertions.ts'

export const accountListing: AccountTests = {
  'every account is listed once, page by page': async ({ store, other }) => {
    const accounts = await insertMany(store, 9)
    const listed = await listAll(other, 4)
    for (const account of accounts) {
      const found = listed.filter(({ id }) => id === account.id)
      holds(found.length === 1, `an account was listed ${found.length} times`)
      isAccount(found[0] ?? null, account, 'the listed account')
    }
  },

  'a listing goes on after accounts of its earlier pages are removed': async ({ store }) => {
    const accounts = await insertMany(store, 60)
    const seen: string[] = []
    await readPages('list', 10, async (after) => {
      const page = await store.list({ limit: 10, ...after })
      const own = page.items.filter(({ id }) => accounts.some((account) => account.id === id))
      seen.push(...own.map(({ id }) => id))
      for (const { id } of own) await store.remove(id)
      return page
    })
    holds(new Set(seen).size === accounts.length, `${seen.length} of ${accounts.length} accounts were listed`)
  },

  'a listing has each account once while others are inserted': async ({ store, other }) => {
    const accounts = await insertMany(store, 12)
    // Each page that is inserted may follow: so the listing ends only with the insertions.
    let pages = 0
    const listed = await readPages('list', 5, async (after) => {
      const page = await other.list({ limit: 5, ...after })
      if (pages++ < 8) await insertMany(store, 2)
      return page
    })
    const seen = listed.map(({ id }) => id)
    for (const { id } of accounts) {
      const times = seen.filter((one) => one === id).length
      holds(times === 1, `an account was listed ${times} times`)
    }
  },

  'a text leaves out no account that it is a part of': async ({ store, other }) => {
    // Whole pages of them have no part of it.
    for (let left = 12; left > 0; left--) await store.insert(drawAccount({ name: 'Grace Hopper' }))
    for (const [text, name] of namesByText) {
      const account = drawAccount({ name })
      await store.insert(account)
      for (const part of [text, account.email.slice(5, 30), account.id.toLowerCase().slice(2)]) {
        const listed = await listAll(other, 3, part)
        const found = listed.filter(({ id }) => id === account.id)
        holds(found.length === 1, `an account was listed ${found.length} times by a part of it`)
      }
    }
  },

  'changing a listed account changes no account': async ({ store }) => {
    const [account] = await insertMany(store, 1)
    const listed = [...(await listAll(store, 50)), ...((await store.listRoleHolders?.()) ?? [])]
    for (const given of listed.filter(({ id }) => id === account?.id)) spoil(given)
    isAccount(await store.get(account?.id ?? ''), account ?? null, 'after the objects were changed')
  },

  'a removed account is no longer listed': async ({ store }) => {
    const [account] = await insertMany(store, 1)
    await store.remove(account?.id ?? '')
    const listed = await listAll(store, 50)
    holds(!listed.some(({ id }) => id === account?.id), 'a removed account was listed')
  },

  'a page has no more items than its limit': async ({ store }) => {
    await insertMany(store, 101)
    holds((await store.list({ limit: 2 })).items.length <= 2, 'a page of 2')
    holds((await store.list()).items.length <= 100, 'a page of unspecified length has at most 100')
  },
}

/** With the shortcut `listRoleHolders`. */
export const accountRoleHolders: AccountTests = {
  'of each list of roles that active accounts have two hold it, or the only one': async ({ store, other }) => {
    const [many, one, closed] = ['MANY', 'ONE', 'CLOSED'].map((name) => ['READER', `${name}_${drawAccount().id}`])
    for (const roles of [many, many, many, one, closed]) await store.insert(drawAccount({ roles: roles ?? [] }))
    for (const account of await listAll(store, 50)) {
      if (account.roles[1] === closed?.[1]) await store.replace(account.id, {}, { status: 'locked' })
    }
    const holders = (await other.listRoleHolders?.()) ?? []
    const held = (roles: readonly string[] | undefined) => holders.filter((account) => account.roles[1] === roles?.[1])
    holds(new Set(held(many).map(({ id }) => id)).size === 2, 'two of three accounts hold the same roles')
    holds(held(one).length === 1, 'the only account of its roles holds them')
    holds(held(closed).length === 0, 'a locked account holds no roles')
    for (const account of holders) isAccount(await store.get(account.id), account, 'an account that holds roles')
    const [first] = held(one)
    await store.replace(first?.id ?? '', {}, { roles: many ?? [] })
    holds(!(await other.listRoleHolders?.())?.some(({ roles }) => roles[1] === one?.[1]), 'roles that were given up')
  },
}

/** Names with a part to search for, in another case or with the wildcards of a pattern. */
const namesByText: readonly (readonly [text: string, name: string])[] = [
  ['lovelace', 'Ada Lovelace'],
  ['öd', 'ÖDÖN'],
  ['dö', 'ÖDÖN'],
  ['100%_\\', "100%_\\ O'Brien"],
  ["o'b", "O'Brien"],
  ['a  b', 'A  B'],
]

async function insertMany(store: AccountStore, count: number): Promise<readonly StoredAccount[]> {
  const accounts = Array.from({ length: count }, () => drawAccount())
  for (const account of accounts) await store.insert(account)
  return accounts
}

function listAll(store: AccountStore, limit: number, text?: string): Promise<readonly StoredAccount[]> {
  return readPages('list', limit, (page) => store.list({ limit, ...page, ...(text !== undefined && { text }) }))
}
