import type { CounterStore } from './counter-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { RecordStore } from './record-store.ts'

/** The version of the store contracts that this release knows. */
export const storeContract = 1

const counterMethods = ['hit', 'reset'] as const satisfies readonly (keyof CounterStore)[]

/** What each store must be and have, by the name of its option; without its first method it is taken for something else. */
const contracts = {
  records: {
    kind: 'record store',
    methods: ['insert', 'now', 'get', 'replace', 'touch', 'remove', 'listByOwner', 'removeByOwner'],
  },
  documents: {
    kind: 'document store',
    methods: ['insert', 'get', 'replace', 'remove', 'list', 'listByOwner', 'removeByOwner'],
  },
  counters: { kind: 'CounterStore', methods: counterMethods },
  lockouts: { kind: 'CounterStore', methods: counterMethods },
} as const satisfies {
  readonly records: { readonly kind: string; readonly methods: readonly (keyof RecordStore)[] }
  readonly documents: { readonly kind: string; readonly methods: readonly (keyof DocumentStore)[] }
  readonly counters: { readonly kind: string; readonly methods: readonly (keyof CounterStore)[] }
  readonly lockouts: { readonly kind: string; readonly methods: readonly (keyof CounterStore)[] }
}

/** Stores that name the version of the contract that they were written for. */
export interface CheckedStores {
  readonly records?: RecordStore | undefined
  readonly documents?: DocumentStore | undefined
  readonly counters?: CounterStore | undefined
  readonly lockouts?: CounterStore | undefined
}

/**
 * Checks stores before anything is built on them. Those that are omitted are not needed, but records
 * and documents that are `undefined` are missing.
 *
 * @param prefix what stands before their names in messages.
 * @throws TypeError when one lacks a method, or was written for another version of the contract than this release knows.
 */
export function checkStores(stores: CheckedStores, prefix = ''): void {
  for (const name of Object.keys(contracts) as (keyof CheckedStores)[]) {
    if (stores[name] !== undefined || ((name === 'records' || name === 'documents') && Object.hasOwn(stores, name)))
      checkStore(stores[name], `${prefix}${name}`, contracts[name])
  }
  const { records } = stores
  if (records && !records.capabilities.nativeExpiry && typeof records.sweep !== 'function') {
    throw new TypeError(
      `"${prefix}records" must have "sweep", or remove expired records by itself and say so in "capabilities.nativeExpiry"`,
    )
  }
}

/** @throws TypeError unless `documents` is a document store of this contract, and strong. */
export function checkDocuments(documents: DocumentStore): void {
  checkStore(documents, 'documents', contracts.documents)
  if (documents.capabilities.consistency !== 'strong') {
    throw new TypeError('"documents" must be strong: an eventual store shows what has been removed or replaced')
  }
}

function checkStore(
  store: CheckedStores[keyof CheckedStores],
  option: string,
  { kind, methods }: { readonly kind: string; readonly methods: readonly string[] },
): void {
  const given = store as Readonly<Record<string, unknown>> | undefined
  const missing = methods.filter((method) => typeof given?.[method] !== 'function')
  if (!store || missing[0] === methods[0]) throw new TypeError(`"${option}" must be a ${kind}`)
  const contract: unknown = store.capabilities?.contract
  if (contract !== storeContract) {
    throw new TypeError(
      `"${option}" must implement version ${storeContract} of the store contract: its "capabilities.contract" is ${contract}`,
    )
  }
  if (missing.length > 0) throw new TypeError(`"${option}" must be a ${kind}: it has no "${missing.join('", "')}"`)
}
