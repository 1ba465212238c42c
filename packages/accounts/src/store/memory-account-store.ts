import type { AccountChange, AccountDirectory, AccountStore, StoredAccount } from './account-store.ts'
import type { ProfileStore } from './profile-store.ts'

/**
 * Creates a store in the memory of this process, for tests and development: its accounts are lost when the process ends.
 * What it returns is frozen.
 *
 * @example
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * const accounts = createMemoryAccountStore()
 * await accounts.getByEmail('reader@example.com') // null
 */
export function createMemoryAccountStore(): AccountStore & AccountDirectory & ProfileStore {
  const accounts = new Map<string, StoredAccount>()
  const idsByEmail = new Map<string, string>()
  const order = new Map<string, number>()
  let inserted = 0

  function put(account: StoredAccount): void {
    const lists = { roles: Object.freeze([...account.roles]), enrolled: Object.freeze([...account.enrolled]) }
    accounts.set(account.id, Object.freeze({ ...account, ...lists }))
    idsByEmail.set(account.email, account.id)
  }

  return {
    isInMemory: () => true,
    async insert({ id, email, name, roles, status, passwordHash, epoch }) {
      if (accounts.has(id) || idsByEmail.has(email)) return false
      order.set(id, ++inserted)
      put({ id, email, name, roles, status, passwordHash, epoch, keptKey: null, enrolled: [] })
      return true
    },
    async get(id) {
      return accounts.get(id) ?? null
    },
    async getByEmail(email) {
      return accounts.get(idsByEmail.get(email) ?? '') ?? null
    },
    async replace(id, expected, next) {
      const account = accounts.get(id)
      if (!account || !matches(account, expected)) return false
      const email = next.email ?? account.email
      if (email !== account.email && idsByEmail.has(email)) return false
      idsByEmail.delete(account.email)
      put({ ...account, ...(next.epoch !== undefined && { keptKey: null }), ...next })
      return true
    },
    async rename(id, name) {
      const account = accounts.get(id)
      if (account) put({ ...account, name })
      return account !== undefined
    },
    async remove(id) {
      const account = accounts.get(id)
      if (!account) return false
      idsByEmail.delete(account.email)
      order.delete(id)
      return accounts.delete(id)
    },
    async list({ limit = 100, cursor = '0' } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const rest = [...accounts.values()].filter(({ id }) => (order.get(id) ?? 0) > Number(cursor))
      const items = rest.slice(0, limit)
      const last = items.at(-1)
      return last && rest.length > limit ? { items, cursor: String(order.get(last.id)) } : { items }
    },
  }
}

function matches(account: StoredAccount, expected: AccountChange): boolean {
  const { email, roles, status, passwordHash, epoch, keptKey, enrolled } = expected
  return (
    (email === undefined || account.email === email) &&
    (roles === undefined || JSON.stringify(account.roles) === JSON.stringify(roles)) &&
    (status === undefined || account.status === status) &&
    (passwordHash === undefined || account.passwordHash === passwordHash) &&
    (epoch === undefined || account.epoch === epoch) &&
    (keptKey === undefined || account.keptKey === keptKey) &&
    (enrolled === undefined || JSON.stringify(account.enrolled) === JSON.stringify(enrolled))
  )
}
