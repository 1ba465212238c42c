import { pause } from '@latchkey/core/internal'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import type { AccountChange, AccountStore, IdentityReads, StoredAccount } from '../../store/account-store.ts'
import type { AddressReservations, ReservedAddress } from '../../store/address-reservations.ts'

/** A correct store on a backend whose commands take time, with its parts exposed so that one method can be broken. */
export interface SlowAccountStore {
  readonly store: Required<Omit<AccountStore, 'isInMemory' | 'capabilities'>>
  readonly accounts: Map<string, StoredAccount>
  readonly reserved: Map<string, ReservedAddress>
  /** Waits for a round trip. Values that were read before it may be out of date. */
  roundTrip(): Promise<void>
  findByEmail(email: string): StoredAccount | null
}

function copyOf(account: StoredAccount): StoredAccount {
  return { ...account, roles: [...account.roles], enrolled: [...account.enrolled] }
}

/** Returns the account as a swap leaves it: a raise of the epoch that names no key keeps none. */
export function applyChange(account: StoredAccount, next: AccountChange): StoredAccount {
  return copyOf({ ...account, ...(next.epoch !== undefined && { keptKey: null }), ...next })
}

/** Whether the account has every expected value. */
export function hasValues(account: StoredAccount, expected: AccountChange): boolean {
  return Object.entries(expected).every(
    ([name, value]) => JSON.stringify(account[name as keyof AccountChange]) === JSON.stringify(value),
  )
}

type Backend = Omit<SlowAccountStore, 'store'>

export function createSlowAccountStore(): SlowAccountStore {
  const accounts = new Map<string, StoredAccount>()
  const backend: Backend = {
    accounts,
    reserved: new Map(),
    roundTrip: () => pause(0),
    findByEmail: (email) => [...accounts.values()].find((account) => account.email === email) ?? null,
  }
  return { ...backend, store: createStore(backend) }
}

function createStore(backend: Backend): SlowAccountStore['store'] {
  const { accounts, reserved, roundTrip, findByEmail } = backend
  const copy = (account: StoredAccount | null | undefined) => (account ? copyOf(account) : null)
  const isFree = (email: string, id: string) =>
    (findByEmail(email)?.id ?? id) === id && (reserved.get(email)?.accountId ?? id) === id

  return {
    async insert(account) {
      await roundTrip()
      const { id, email } = account
      if (accounts.has(id) || findByEmail(email) || !isFree(email, id)) return false
      accounts.set(id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
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
      if (!account || !hasValues(account, expected) || !isFree(next.email ?? account.email, id)) return false
      if (next.email !== undefined && reserved.has(next.email)) releaseOf(backend, id)
      accounts.set(id, applyChange(account, next))
      return true
    },
    async remove(id, expected: AccountChange = {}) {
      await roundTrip()
      const account = accounts.get(id)
      if (!account || !hasValues(account, expected)) return false
      releaseOf(backend, id)
      return accounts.delete(id)
    },
    async listRoleHolders() {
      await roundTrip()
      const active = [...accounts.values()].filter(({ status }) => status === 'active')
      const lists = Map.groupBy(active, ({ roles }) => JSON.stringify(roles))
      return [...lists.values()].flatMap((holders) => holders.slice(0, 2).map(copyOf))
    },
    async list({ limit = 100, cursor = '' } = {}) {
      await roundTrip()
      const rest = [...accounts.keys()].sort().filter((id) => id > cursor)
      const items = rest.slice(0, limit).flatMap((id) => copy(accounts.get(id)) ?? [])
      return rest.length > limit ? { items, cursor: items.at(-1)?.id ?? '' } : { items }
    },
    reservations: createReservations(backend),
    identities: createIdentities(backend),
  }
}

function releaseOf({ reserved }: Backend, accountId: string): void {
  for (const address of reserved.values()) if (address.accountId === accountId) reserved.delete(address.email)
}

function createReservations({ accounts, reserved, roundTrip, findByEmail }: Backend): AddressReservations {
  return {
    async reserve({ email, accountId, since, until }, epoch) {
      await roundTrip()
      const account = accounts.get(accountId)
      if (account?.email !== email || account.epoch !== epoch) return false
      const before = reserved.get(email)
      const earliest = before && before.until > since ? Math.min(before.since, since) : since
      reserved.set(email, { email, accountId, since: earliest, until: Math.max(before?.until ?? until, until) })
      return true
    },
    async listByAccount(accountId, now) {
      await roundTrip()
      const own = [...reserved.values()].filter((address) => address.accountId === accountId && address.until > now)
      return structuredClone(own.sort((one, other) => one.since - other.since))
    },
    async find(email, now) {
      await roundTrip()
      const address = reserved.get(email)
      return address && address.until > now ? { ...address } : null
    },
    async release(now) {
      await roundTrip()
      for (const { email, until } of [...reserved.values()])
        if (until <= now && !findByEmail(email)) reserved.delete(email)
    },
  }
}

function createIdentities({ accounts, roundTrip }: Backend): IdentityReads {
  const [records, documents] = [createMemoryRecordStore(), createMemoryDocumentStore()]
  return {
    records,
    documents,
    async read(key, denialIds = []) {
      await roundTrip()
      const record = await records.get(key)
      const denials = await Promise.all(denialIds.map((id) => documents.get('denials', id)))
      const isDenied = denials.some((denial) => denial !== null)
      const account = accounts.get(record?.owner ?? '')
      if (!record || !account) return null
      const { id, roles, status, epoch, keptKey, enrolled } = account
      return structuredClone({ record, account: { id, roles, status, epoch, keptKey, enrolled }, isDenied })
    },
  }
}
