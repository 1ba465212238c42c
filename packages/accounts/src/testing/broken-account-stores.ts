import type { AccountDirectory, AccountStore } from '../store/account-store.ts'
import { applyChange, createSlowAccountStore, hasValues, type SlowAccountStore } from './slow-account-store.ts'

type Store = AccountStore & AccountDirectory

/** A store with one mistake that real stores have had, and the test of the kit that finds it. */
export interface BrokenAccountStore {
  /** The mistake. */
  readonly name: string
  /** The title of the test of the kits that fails. Others may fail as well. */
  readonly fails: string
  /** Creates the store on a fresh backend of its own; use the one store for both clients. */
  readonly createStore: () => Store
}

/**
 * Account stores that look correct and are not. Each fails a test of `describeAccountStore` or
 * `describeAccountDirectory`, which it names. They prove the kits, and they show an author what each test is for.
 *
 * @example
 * import { brokenAccountStores } from '@latchkey/accounts/testing'
 * for (const { name, fails } of brokenAccountStores) process.stdout.write(`${name}: ${fails}\n`)
 */
export const brokenAccountStores: readonly BrokenAccountStore[] = [
  broken(
    'insert looks for the e-mail and then writes',
    'of parallel inserts of one e-mail exactly one wins',
    (slow) => ({
      async insert(account) {
        if (await slow.store.getByEmail(account.email)) return false
        await slow.roundTrip()
        if (slow.accounts.has(account.id)) return false
        slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
        return true
      },
    }),
  ),

  broken('insert looks for the id and then writes', 'of parallel inserts of one id exactly one wins', (slow) => ({
    async insert(account) {
      if (await slow.store.get(account.id)) return false
      await slow.roundTrip()
      if (slow.findByEmail(account.email)) return false
      slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
  })),

  broken('insert overwrites', 'an id or an e-mail that is taken refuses an insert and changes nothing', (slow) => ({
    async insert(account) {
      await slow.roundTrip()
      slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
  })),

  broken(
    'addresses are compared without accents',
    'addresses that differ in one character belong to two accounts',
    (slow) => {
      const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
      const insert: Store['insert'] = async (account) => {
        const isTaken = [...slow.accounts.values()].some(({ email }) => fold(email) === fold(account.email))
        return !isTaken && slow.store.insert(account)
      }
      return { insert }
    },
  ),

  broken(
    'replace reads, compares and then writes',
    'of parallel swaps on one password hash exactly one wins',
    lateReplace,
  ),
  broken('replace counts up from what it read', 'parallel swaps that raise the epoch lose none', lateReplace),
  broken('replace writes the whole row back', 'swaps of different fields at once do not undo each other', (slow) => ({
    async replace(id, expected, next) {
      const before = await slow.store.get(id)
      await slow.roundTrip()
      const account = slow.accounts.get(id)
      if (!before || !account || !hasValues(account, expected)) return false
      if (next.email !== undefined && next.email !== before.email) return slow.store.replace(id, expected, next)
      slow.accounts.set(id, applyChange(before, next))
      return true
    },
  })),

  broken('replace creates what is not there', 'a swap in flight does not bring a removed account back', (slow) => ({
    async replace(id, expected, next) {
      const account = await slow.store.get(id)
      if (!account || !hasValues(account, expected)) return false
      if (await slow.store.replace(id, expected, next)) return true
      await slow.roundTrip()
      if (!slow.accounts.has(id)) slow.accounts.set(id, applyChange(account, next))
      return false
    },
  })),

  broken(
    'replace takes an expected null for any value',
    'no password is a value that can be expected and set',
    (slow) => ({
      replace(id, { passwordHash, ...expected }, next) {
        const hash = passwordHash === null || passwordHash === undefined ? {} : { passwordHash }
        return slow.store.replace(id, { ...expected, ...hash }, next)
      },
    }),
  ),

  broken('replace does not look at roles', 'a swap that expects another value changes nothing', (slow) => ({
    replace: (id, { roles: _roles, ...expected }, next) => slow.store.replace(id, expected, next),
  })),

  broken('replace forgets to set roles', 'a swap may expect and set every field', (slow) => ({
    replace: (id, expected, { roles: _roles, ...next }) => slow.store.replace(id, expected, next),
  })),

  broken('replace forgets the enrolled kinds', 'the kinds of second factors are kept, compared and set', (slow) => ({
    replace: (id, expected, { enrolled: _enrolled, ...next }) => slow.store.replace(id, expected, next),
  })),

  broken(
    'replace does not look at the enrolled kinds',
    'the kinds of second factors are kept, compared and set',
    (slow) => ({
      replace: (id, { enrolled: _enrolled, ...expected }, next) => slow.store.replace(id, expected, next),
    }),
  ),

  broken(
    'a raise of the epoch empties the enrolled kinds',
    'the kinds of second factors are kept, compared and set',
    (slow) => ({
      replace: (id, expected, next) =>
        slow.store.replace(id, expected, next.epoch === undefined ? next : { enrolled: [], ...next }),
    }),
  ),

  broken('no account can be locked', 'any text and any number that an account can hold comes back', (slow) => ({
    insert: async (account) => account.status !== 'locked' && slow.store.insert(account),
  })),

  broken(
    'a raise of the epoch leaves the kept key',
    'a swap that sets the epoch keeps what it names, or nothing',
    (slow) => ({
      async replace(id, expected, next) {
        const before = await slow.store.get(id)
        const isSwapped = await slow.store.replace(id, expected, next)
        const account = slow.accounts.get(id)
        if (isSwapped && before && account)
          slow.accounts.set(id, { ...account, keptKey: next.keptKey ?? before.keptKey })
        return isSwapped
      },
    }),
  ),

  broken(
    'the kept key is set after the epoch',
    'the epoch and the key that a raise keeps change in one step',
    (slow) => ({
      async replace(id, expected, { keptKey, ...next }) {
        if (!(await slow.store.replace(id, expected, next))) return false
        if (keptKey !== undefined) await slow.store.replace(id, {}, { keptKey })
        return true
      },
    }),
  ),

  broken('replace sets an e-mail that is taken', 'a swap to an e-mail that is taken changes nothing', (slow) => ({
    async replace(id, expected, next) {
      await slow.roundTrip()
      const account = slow.accounts.get(id)
      if (!account || !hasValues(account, expected)) return false
      slow.accounts.set(id, applyChange(account, next))
      return true
    },
  })),

  broken(
    'replace looks for the new e-mail and then writes',
    'of parallel swaps to one free e-mail exactly one wins',
    (slow) => ({
      async replace(id, expected, { email, ...next }) {
        const holder = email === undefined ? null : await slow.store.getByEmail(email)
        if (holder && holder.id !== id) return false
        if (!(await slow.store.replace(id, expected, next))) return false
        const account = slow.accounts.get(id)
        if (account && email !== undefined) slow.accounts.set(id, { ...account, email })
        return true
      },
    }),
  ),

  broken(
    'the old e-mail still finds the account',
    'after a change of e-mail the old one finds no account and is free',
    (slow) => {
      const formerIds = new Map<string, string>()
      return {
        async insert(account) {
          const inserted = await slow.store.insert(account)
          if (inserted) formerIds.set(account.email, account.id)
          return inserted
        },
        async getByEmail(email) {
          return (await slow.store.getByEmail(email)) ?? slow.store.get(formerIds.get(email) ?? '')
        },
      }
    },
  ),

  broken('remove is true for every caller that saw the account', 'of parallel removes exactly one wins', (slow) => ({
    async remove(id) {
      const found = await slow.store.get(id)
      await slow.store.remove(id)
      return found !== null
    },
  })),

  broken(
    'get returns the stored object itself',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async get(id) {
        await slow.roundTrip()
        return slow.accounts.get(id) ?? null
      },
    }),
  ),

  broken(
    'of many accounts a hundred are read',
    'many accounts are read at once: those that exist, each once, and no others',
    (slow) => ({ getMany: (ids) => slow.store.getMany(ids.slice(0, 100)) }),
  ),

  broken(
    'many accounts are read as stored objects',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async getMany(ids) {
        await slow.roundTrip()
        return ids.flatMap((id) => slow.accounts.get(id) ?? [])
      },
    }),
  ),

  broken(
    'pages are counted from the start',
    'a listing goes on after accounts of its earlier pages are removed',
    (slow) => ({
      async list({ limit = 100, cursor = '0' } = {}) {
        const { items } = await slow.store.list({ limit: 100_000 })
        const end = Number(cursor) + limit
        const page = items.slice(Number(cursor), end)
        return end < items.length ? { items: page, cursor: String(end) } : { items: page }
      },
    }),
  ),

  broken('a listing ends with the first page', 'every account is listed once, page by page', (slow) => ({
    list: async (page) => ({ items: (await slow.store.list(page)).items }),
  })),

  broken(
    'one account alone stands for its roles',
    'of each list of roles that active accounts have two hold it, or the only one',
    (slow) => ({
      async listRoleHolders() {
        const holders = (await slow.store.listRoleHolders?.()) ?? []
        return holders.filter(({ roles }, at) => holders.findIndex((one) => `${one.roles}` === `${roles}`) === at)
      },
    }),
  ),

  broken(
    'closed accounts hold roles',
    'of each list of roles that active accounts have two hold it, or the only one',
    (slow) => ({
      async listRoleHolders() {
        const { items } = await slow.store.list({ limit: 100_000 })
        const lists = Map.groupBy(items, ({ roles }) => JSON.stringify(roles))
        return [...lists.values()].flatMap((holders) => holders.slice(0, 2))
      },
    }),
  ),

  broken('a text is looked for in one case only', 'a text leaves out no account that it is a part of', (slow) => ({
    async list({ text = '', ...page } = {}) {
      const { items, ...rest } = await slow.store.list(page)
      return { ...rest, items: items.filter(({ id, name, email }) => `${id} ${name} ${email}`.includes(text)) }
    },
  })),
]

function lateReplace(slow: SlowAccountStore): Partial<Store> {
  return {
    async replace(id, expected, next) {
      const account = await slow.store.get(id)
      if (!account || !hasValues(account, expected)) return false
      if (next.email !== undefined) return slow.store.replace(id, expected, next)
      await slow.roundTrip()
      const latest = slow.accounts.get(id)
      if (latest) slow.accounts.set(id, applyChange(latest, next))
      return true
    },
  }
}

function broken(name: string, fails: string, mistake: (slow: SlowAccountStore) => Partial<Store>): BrokenAccountStore {
  const createStore = () => {
    const slow = createSlowAccountStore()
    return { ...slow.store, ...mistake(slow) }
  }
  return { name, fails, createStore }
}
