import type { AccountChange, AccountStore, StoredAccount } from './account-store.ts'
import type { AddressReservations, ReservedAddress } from './address-reservations.ts'

/**
 * Creates a store in the memory of this process, for tests and development. Its accounts are lost with the process. Returned
 * accounts are frozen.
 *
 * @example
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * const accounts = createMemoryAccountStore()
 * await accounts.getByEmail('reader@example.com') // null
 */
export function createMemoryAccountStore(): AccountStore & Required<Pick<AccountStore, 'reservations'>> {
  const accounts = new Map<string, StoredAccount>()
  const idsByEmail = new Map<string, string>()
  const order = new Map<string, number>()
  const reserved = new Map<string, ReservedAddress>()
  let inserted = 0

  const isFree = (email: string, id: string): boolean =>
    (idsByEmail.get(email) ?? id) === id && (reserved.get(email)?.accountId ?? id) === id

  function freeReserved(accountId: string): void {
    for (const address of reserved.values()) if (address.accountId === accountId) reserved.delete(address.email)
  }

  function put(account: StoredAccount): void {
    const lists = { roles: Object.freeze([...account.roles]), enrolled: Object.freeze([...account.enrolled]) }
    accounts.set(account.id, Object.freeze({ ...account, ...lists }))
    idsByEmail.set(account.email, account.id)
  }

  const reservations: AddressReservations = {
    async reserve(address, epoch) {
      const { email, accountId, since, until } = address
      const account = accounts.get(accountId)
      if (account?.email !== email || account.epoch !== epoch) return false
      const before = reserved.get(email)
      const still = before && before.until > since ? before : address
      const kept = { email, accountId, since: Math.min(still.since, since), until: Math.max(still.until, until) }
      reserved.set(email, Object.freeze(kept))
      return true
    },
    async listByAccount(accountId, now) {
      return [...reserved.values()]
        .filter((address) => address.accountId === accountId && address.until > now)
        .sort((one, other) => one.since - other.since)
    },
    async find(email, now) {
      const address = reserved.get(email)
      return address && address.until > now ? address : null
    },
    async release(now) {
      for (const { email, until } of [...reserved.values()]) {
        if (until <= now && !idsByEmail.has(email)) reserved.delete(email)
      }
    },
  }

  return {
    isInMemory: () => true,
    async insert({ id, email, name, roles, status, passwordHash, epoch }) {
      if (accounts.has(id) || idsByEmail.has(email) || !isFree(email, id)) return false
      order.set(id, ++inserted)
      put({ id, email, name, roles, status, passwordHash, epoch, keptKey: null, enrolled: [] })
      return true
    },
    async get(id) {
      return accounts.get(id) ?? null
    },
    async getMany(ids) {
      return ids.flatMap((id) => accounts.get(id) ?? [])
    },
    async getByEmail(email) {
      return accounts.get(idsByEmail.get(email) ?? '') ?? null
    },
    async replace(id, expected, next) {
      const account = accounts.get(id)
      if (!account || !matches(account, expected)) return false
      const email = next.email ?? account.email
      if (!isFree(email, id)) return false
      if (next.email !== undefined && reserved.has(email)) freeReserved(id)
      idsByEmail.delete(account.email)
      put({ ...account, ...(next.epoch !== undefined && { keptKey: null }), ...next })
      return true
    },
    async remove(id, expected: AccountChange = {}) {
      const account = accounts.get(id)
      if (!account || !matches(account, expected)) return false
      idsByEmail.delete(account.email)
      freeReserved(id)
      order.delete(id)
      return accounts.delete(id)
    },
    reservations,
    async listRoleHolders() {
      const active = [...accounts.values()].filter(({ status }) => status === 'active')
      const lists = Map.groupBy(active, ({ roles }) => JSON.stringify(roles))
      return [...lists.values()].flatMap((holders) => holders.slice(0, 2))
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
  const { email, name, roles, status, passwordHash, epoch, keptKey, enrolled } = expected
  return (
    (email === undefined || account.email === email) &&
    (name === undefined || account.name === name) &&
    (roles === undefined || JSON.stringify(account.roles) === JSON.stringify(roles)) &&
    (status === undefined || account.status === status) &&
    (passwordHash === undefined || account.passwordHash === passwordHash) &&
    (epoch === undefined || account.epoch === epoch) &&
    (keptKey === undefined || account.keptKey === keptKey) &&
    (enrolled === undefined || JSON.stringify(account.enrolled) === JSON.stringify(enrolled))
  )
}
