import { type AccountStore, createMemoryAccountStore, type StoredAccount } from '@latchkey/accounts'
import {
  type CounterStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
  type RecordStore,
  type StoredDocument,
  type StoredRecord,
} from '@latchkey/store'
import { wrapStore, type Around } from '../../support/wrapped-store.ts'

/** The stores that all processes of a service share. */
export interface Stores {
  readonly accounts: AccountStore
  readonly records: RecordStore
  readonly documents: DocumentStore
  readonly counters: CounterStore
}

/** What is in stores. Lists are in the order of their inserts. */
export interface Contents {
  readonly accounts: readonly StoredAccount[]
  readonly records: readonly StoredRecord[]
  readonly documents: readonly StoredDocument[]
  readonly counts: readonly (readonly [key: string, count: number])[]
}

export interface SharedStores extends Stores {
  readonly contents: () => Promise<Contents>
}

/** Opens stores in memory that hold accounts, records and documents already. */
export async function openStores(now: () => number, begin?: Contents): Promise<SharedStores> {
  const accounts = createMemoryAccountStore()
  const records = rememberKeys(createMemoryRecordStore({ now }), 'insert', ({ key }) => key)
  const documents = rememberKeys(createMemoryDocumentStore(), 'insert', (document) => document)
  const counters = rememberKeys(createMemoryCounterStore({ now }), 'hit', (key) => key)
  for (const account of begin?.accounts ?? []) {
    const { id, keptKey, enrolled } = account
    await accounts.insert(account)
    await accounts.replace(id, {}, { keptKey, enrolled })
  }
  for (const record of begin?.records ?? []) await records.store.insert(record)
  for (const document of begin?.documents ?? []) await documents.store.insert(document)
  return {
    accounts,
    records: records.store,
    documents: documents.store,
    counters: counters.store,
    contents: async () => ({
      accounts: (await accounts.list()).items,
      records: await all(records.keys, (key) => records.store.get(key)),
      documents: await all(documents.keys, ({ collection, id }) => documents.store.get(collection, id)),
      counts: await all(counters.keys, async (key) => [key, (await counters.store.hit(key, 1, 0)).count] as const),
    }),
  }
}

/** The same stores, each call of which goes through `around`. */
export function wrapStores({ accounts, records, documents, counters }: Stores, around: Around): Stores {
  // Where a store is does not change.
  const wrap = <Store extends object>(name: string, store: Store): Store =>
    wrapStore(name, store, (call, run) => (call.endsWith('.isInMemory') ? run() : around(call, run)))
  return {
    accounts: wrap('accounts', accounts),
    records: wrap('records', records),
    documents: wrap('documents', documents),
    counters: wrap('counters', counters),
  }
}

type Methods<Name extends string> = { readonly [name in Name]: (first: never, ...rest: never[]) => Promise<unknown> }

function rememberKeys<Name extends string, Store extends Methods<Name>, Key>(
  store: Store,
  name: Name,
  keyOf: (first: Parameters<Store[Name]>[0]) => Key,
): { readonly store: Store; readonly keys: ReadonlyMap<string, Key> } {
  const keys = new Map<string, Key>()
  const method = (...given: Parameters<Store[Name]>): Promise<unknown> => {
    const key = keyOf(given[0])
    keys.set(JSON.stringify(key), key)
    return store[name](...given)
  }
  return { store: { ...store, [name]: method }, keys }
}

async function all<Key, Item>(keys: ReadonlyMap<string, Key>, read: (key: Key) => Promise<Item | null>): Promise<Item[]> {
  const found: Item[] = []
  for (const key of keys.values()) {
    const item = await read(key)
    if (item !== null) found.push(item)
  }
  return found
}
