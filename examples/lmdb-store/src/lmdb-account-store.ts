// Accounts on LMDB: each change is one transaction, which finds the account, decides, and moves its addresses along.
import type {
  AccountChange,
  AccountStore,
  AddressReservations,
  IdentityReads,
  ReservedAddress,
  StoredAccount,
} from '@latchkey/accounts'
import { hash, type LmdbDatabase, type LmdbTables, last } from './lmdb-database.ts'

type Beside = Pick<IdentityReads, 'records' | 'documents'>

/** Creates an account store on a database. Other stores may use the same database. */
export function createLmdbAccountStore(database: LmdbDatabase, stores: Beside): AccountStore {
  const { read, change } = database
  return {
    capabilities: { contract: 1 },
    insert: ({ id, email, name, roles, status, passwordHash, epoch }) =>
      change((tables) => {
        if (tables.accounts.doesExist(hash(id)) || !isFree(tables, email, id)) return false
        put(tables, { id, email, name, roles, status, passwordHash, epoch, keptKey: null, enrolled: [] })
        return true
      }),
    get: (id) => read(({ accounts }) => accounts.get(hash(id)) ?? null),
    getByEmail: (email) => read((tables) => accountOf(tables, email) ?? null),
    getMany: (ids) => read(({ accounts }) => ids.flatMap((id) => accounts.get(hash(id)) ?? [])),
    replace: (id, expected, next) =>
      change((tables) => {
        const present = tables.accounts.get(hash(id))
        if (!present || !matches(present, expected) || !isFree(tables, next.email ?? present.email, id)) return false
        tables.emails.remove(hash(present.email))
        if (next.email !== undefined && tables.reservations.doesExist(hash(next.email))) release(tables, id)
        put(tables, { ...present, ...(next.epoch !== undefined && { keptKey: null }), ...next })
        return true
      }),
    remove: (id, expected: AccountChange = {}) =>
      change((tables) => {
        const present = tables.accounts.get(hash(id))
        if (!present || !matches(present, expected)) return false
        tables.accounts.remove(hash(id))
        tables.emails.remove(hash(present.email))
        release(tables, id)
        return true
      }),
    // It lists all, whatever the text: callers filter.
    list: ({ limit = 100, cursor = '' } = {}) =>
      read(({ accounts }) => {
        const range = accounts.getRange({ start: cursor, exclusiveStart: true, limit: limit + 1 })
        const found = [...range].map(({ value }) => value)
        const items = found.slice(0, limit)
        return found.length > limit ? { items, cursor: hash(items.at(-1)?.id ?? '') } : { items }
      }),
    reservations: createReservations(database),
    identities: createIdentityReads(database, stores),
  }
}

function createReservations({ read, change }: LmdbDatabase): AddressReservations {
  return {
    reserve: ({ email, accountId, since, until }, epoch) =>
      change((tables) => {
        const account = tables.accounts.get(hash(accountId))
        if (account?.email !== email || account.epoch !== epoch) return false
        const before = tables.reservations.get(hash(email))
        const earliest = before && before.until > since ? Math.min(before.since, since) : since
        reserve(tables, { email, accountId, since: earliest, until: Math.max(before?.until ?? until, until) })
        return true
      }),
    listByAccount: (accountId, now) =>
      read((tables) => {
        const own = reservedFor(tables, accountId).filter(({ until }) => until > now)
        return own.sort((one, other) => one.since - other.since)
      }),
    find: (email, now) =>
      read(({ reservations }) => {
        const address = reservations.get(hash(email))
        return address && address.until > now ? address : null
      }),
    release: (now) =>
      change((tables) => {
        const ended = [...tables.reservationEnds.getKeys({ end: [now, last] })]
        for (const [, email] of ended) {
          const address = tables.reservations.get(email)
          if (address && !accountOf(tables, address.email)) drop(tables, address)
        }
      }),
  }
}

function createIdentityReads({ read, now }: LmdbDatabase, stores: Beside): IdentityReads {
  return {
    ...stores,
    read: (key, denialIds = []) =>
      read(({ records, accounts, documents }) => {
        const record = records.get(hash(key))
        const found = record && record.expiresAt > now() ? accounts.get(hash(record.owner ?? '')) : undefined
        if (!record || !found) return null
        const { id, roles, status, epoch, keptKey, enrolled } = found
        const isDenied = denialIds.some((denial) => documents.doesExist(['denials', hash(denial)]))
        return { record, account: { id, roles, status, epoch, keptKey, enrolled }, isDenied }
      }),
  }
}

/** Whether an address belongs to no other account, and is reserved for none. */
function isFree(tables: LmdbTables, email: string, id: string): boolean {
  const reserved = tables.reservations.get(hash(email))
  return (accountOf(tables, email)?.id ?? id) === id && (reserved?.accountId ?? id) === id
}

function accountOf({ accounts, emails }: LmdbTables, email: string): StoredAccount | undefined {
  const key = emails.get(hash(email))
  return key === undefined ? undefined : accounts.get(key)
}

function put({ accounts, emails }: LmdbTables, account: StoredAccount): void {
  accounts.put(hash(account.id), account)
  emails.put(hash(account.email), hash(account.id))
}

function matches(account: StoredAccount, expected: AccountChange): boolean {
  return (Object.keys(expected) as (keyof AccountChange)[]).every(
    (field) => expected[field] === undefined || JSON.stringify(account[field]) === JSON.stringify(expected[field]),
  )
}

function reservedFor({ reservations, reservationOwners }: LmdbTables, accountId: string): ReservedAddress[] {
  const owned = reservationOwners.getKeys({ start: [hash(accountId), ''], end: [hash(accountId), last] })
  return [...owned].flatMap(([, email]) => reservations.get(email) ?? [])
}

function reserve(tables: LmdbTables, address: ReservedAddress): void {
  const [email, before] = [hash(address.email), tables.reservations.get(hash(address.email))]
  if (before) drop(tables, before)
  tables.reservations.put(email, address)
  tables.reservationOwners.put([hash(address.accountId), email], true)
  tables.reservationEnds.put([address.until, email], true)
}

function drop({ reservations, reservationOwners, reservationEnds }: LmdbTables, address: ReservedAddress): void {
  const email = hash(address.email)
  reservations.remove(email)
  reservationOwners.remove([hash(address.accountId), email])
  reservationEnds.remove([address.until, email])
}

/** Removes all that is reserved for an account. */
function release(tables: LmdbTables, accountId: string): void {
  for (const address of reservedFor(tables, accountId)) drop(tables, address)
}
