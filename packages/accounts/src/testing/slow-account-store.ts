import { pause } from '@latchkey/core/internal'
import type { AccountChange, AccountDirectory, AccountStore, StoredAccount } from '../store/account-store.ts'

/** A correct store on a backend whose commands take time, with its parts exposed so that one method can be broken. */
export interface SlowAccountStore {
  readonly store: AccountStore & AccountDirectory
  readonly accounts: Map<string, StoredAccount>
  /** Waits for a round trip. What was read before may be out of date after it. */
  roundTrip(): Promise<void>
  findByEmail(email: string): StoredAccount | null
}

/** Returns the account as a swap leaves it: a raise of the epoch that names no key keeps none. */
export function applyChange(account: StoredAccount, next: AccountChange): StoredAccount {
  return structuredClone({ ...account, ...(next.epoch !== undefined && { keptKey: null }), ...next })
}

/** Whether the account has every expected value. */
export function hasValues(account: StoredAccount, expected: AccountChange): boolean {
  return Object.entries(expected).every(
    ([name, value]) => JSON.stringify(account[name as keyof AccountChange]) === JSON.stringify(value),
  )
}

export function createSlowAccountStore(): SlowAccountStore {
  const accounts = new Map<string, StoredAccount>()
  const roundTrip = () => pause(0)
  const findByEmail = (email: string) => [...accounts.values()].find((account) => account.email === email) ?? null
  const copy = (account: StoredAccount | null | undefined) => (account ? structuredClone(account) : null)

  const store: AccountStore & AccountDirectory = {
    async insert(account) {
      await roundTrip()
      if (accounts.has(account.id) || findByEmail(account.email)) return false
      accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
    async get(id) {
      await roundTrip()
      return copy(accounts.get(id))
    },
    async getMany(ids) {
      await roundTrip()
      return ids.flatMap((id) => copy(accounts.get(id)) ?? [])
    },
    async getByEmail(email) {
      await roundTrip()
      return copy(findByEmail(email))
    },
    async replace(id, expected, next) {
      await roundTrip()
      const account = accounts.get(id)
      const holder = next.email === undefined ? null : findByEmail(next.email)
      if (!account || !hasValues(account, expected) || (holder && holder.id !== id)) return false
      accounts.set(id, applyChange(account, next))
      return true
    },
    async remove(id) {
      await roundTrip()
      return accounts.delete(id)
    },
    async listRoleHolders() {
      await roundTrip()
      const active = [...accounts.values()].filter(({ status }) => status === 'active')
      const lists = Map.groupBy(active, ({ roles }) => JSON.stringify(roles))
      return structuredClone([...lists.values()].flatMap((holders) => holders.slice(0, 2)))
    },
    async list({ limit = 100, cursor = '' } = {}) {
      await roundTrip()
      const rest = [...accounts.keys()].sort().filter((id) => id > cursor)
      const items = rest.slice(0, limit).flatMap((id) => copy(accounts.get(id)) ?? [])
      return rest.length > limit ? { items, cursor: items.at(-1)?.id ?? '' } : { items }
    },
  }
  return { store, accounts, roundTrip, findByEmail }
}
