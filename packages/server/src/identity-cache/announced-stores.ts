import type { AccountStore, IdentityReads } from '@latchkey/accounts'
import type { DocumentStore, RecordStore } from '@latchkey/store'
import { nameOf } from './kept-identities.ts'

/** Forgets what depends on a name, here and in the other processes. */
export type Announce = (name: string) => Promise<void>

/** A failed change may have been stored, so it is announced too. Its error does not wait for the announcement. */
async function announced<T>(change: Promise<T>, announce: () => Promise<void>): Promise<T> {
  try {
    const result = await change
    await announce()
    return result
  } catch (error) {
    void announce()
    throw error
  }
}

/** Returns a store that announces changes of records after they were made. A change that failed is announced too. */
export function announceRecords<Store extends RecordStore>(records: Store, announce: Announce): Store {
  return overriding<RecordStore, Store>(records, {
    replace: (current, next) => announced(records.replace(current, next), () => announce(nameOf.record(current.key))),
    remove: (key) => announced(records.remove(key), () => announce(nameOf.record(key))),
    removeByOwner: (owner, options) =>
      announced(records.removeByOwner(owner, options), () => announce(nameOf.account(owner))),
  })
}

/** Does the same for accounts, with the given reads of identities. */
export function announceAccounts<Store extends AccountStore>(
  accounts: Store,
  announce: Announce,
  identities: IdentityReads,
): Store {
  return overriding<AccountStore, Store>(accounts, {
    replace: (id, expected, next) =>
      announced(accounts.replace(id, expected, next), () => announce(nameOf.account(id))),
    remove: (id, expected) => announced(accounts.remove(id, expected), () => announce(nameOf.account(id))),
    identities,
  })
}

/** Returns a store that announces new denials. Removals are not announced: they revoke no token. */
export function announceDenials<Store extends DocumentStore>(documents: Store, announce: Announce): Store {
  return overriding<DocumentStore, Store>(documents, {
    insert: (document) =>
      document.collection === 'denials'
        ? announced(documents.insert(document), () => announce(nameOf.denial(document.id)))
        : documents.insert(document),
  })
}

/** Methods are called on the store itself, which may have private fields. */
function overriding<Base extends object, Store extends Base>(store: Store, methods: Partial<Base>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name in methods) return methods[name as keyof Base]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
