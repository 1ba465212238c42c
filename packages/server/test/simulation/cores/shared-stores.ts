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
import { type Around, wrapStore } from '../../support/wrapped-store.ts'

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

/** Opens stores in memory that hold accounts, records and documents already. Counters begin anew. */
export async function openStores(now: () => number, begin?: Contents): Promise<SharedStores> {
  const accounts = createMemoryAccountStore()
  const { records, keys } = createKnownRecords(now)
  const { documents, ids } = createKnownDocuments()
  const { counters, counted } = createKnownCounters(now)
  for (const account of begin?.accounts ?? []) {
    const { id, keptKey, enrolled } = account
    await accounts.insert(account)
    await accounts.replace(id, {}, { keptKey, enrolled })
  }
  for (const record of begin?.records ?? []) await records.insert(record)
  for (const document of begin?.documents ?? []) await documents.insert(document)
  return {
    ...{ accounts, records, documents, counters },
    contents: async () => ({
      accounts: (await accounts.list()).items,
      records: await readAll(keys, (key) => records.get(key)),
      documents: await readAll(ids.values(), ({ collection, id }) => documents.get(collection, id)),
      counts: await readAll(counted, async (key) => [key, (await counters.hit(key, 1, 0)).count] as const),
    }),
  }
}

/** Records whose keys are known. */
function createKnownRecords(now: () => number) {
  const memory = createMemoryRecordStore({ now })
  const keys = new Set<string>()
  const insert: RecordStore['insert'] = (record) => {
    keys.add(record.key)
    return memory.insert(record)
  }
  return { records: { ...memory, insert }, keys }
}

function createKnownDocuments() {
  const memory = createMemoryDocumentStore()
  const ids = new Map<string, Pick<StoredDocument, 'collection' | 'id'>>()
  const insert: DocumentStore['insert'] = (document) => {
    ids.set(JSON.stringify([document.collection, document.id]), document)
    return memory.insert(document)
  }
  return { documents: { ...memory, insert }, ids }
}

function createKnownCounters(now: () => number) {
  const memory = createMemoryCounterStore({ now })
  const counted = new Set<string>()
  const hit: CounterStore['hit'] = (key, ...given) => {
    counted.add(key)
    return memory.hit(key, ...given)
  }
  return { counters: { ...memory, hit }, counted }
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

async function readAll<Key, Item>(
  keys: Iterable<Key>,
  read: (key: Key) => Promise<Item | null>,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for (const key of keys) {
    const item = await read(key)
    if (item !== null) found.push(item)
  }
  return found
}
