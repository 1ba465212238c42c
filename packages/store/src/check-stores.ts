import type { AuditStore } from './audit-store.ts'
import type { CounterStore } from './counter-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { RecordStore, StoreCapabilities } from './record-store.ts'

/** The version of the store contracts that this release knows. */
export const storeContract = 1

const counterMethods = ['hit', 'reset'] as const satisfies readonly (keyof CounterStore)[]

interface Contract<Method extends string = string> {
  readonly kind: string
  readonly methods: readonly Method[]
  /** The version of a store that has no capabilities. */
  readonly unnamed?: number
}

/**
 * The kind and the methods of each store, by the name of its option. A value without the first method is no store of
 * this kind.
 */
const contracts = {
  records: {
    kind: 'a record store',
    methods: ['insert', 'now', 'get', 'replace', 'touch', 'remove', 'listByOwner', 'removeByOwner'],
  },
  documents: {
    kind: 'a document store',
    methods: ['insert', 'get', 'replace', 'remove', 'list', 'listByOwner', 'removeByOwner'],
  },
  counters: { kind: 'a CounterStore', methods: counterMethods },
  lockouts: { kind: 'a CounterStore', methods: counterMethods },
  accounts: {
    kind: 'an AccountStore',
    methods: ['insert', 'get', 'getByEmail', 'replace', 'remove', 'list'],
    unnamed: 1,
  },
  audit: {
    kind: 'an AuditStore',
    methods: ['append', 'list', 'readChain', 'listChains', 'latestHeads', 'erasePersonal', 'prune'],
    unnamed: 1,
  },
} as const satisfies {
  readonly records: Contract<keyof RecordStore>
  readonly documents: Contract<keyof DocumentStore>
  readonly counters: Contract<keyof CounterStore>
  readonly lockouts: Contract<keyof CounterStore>
  readonly accounts: Contract
  readonly audit: Contract<keyof AuditStore>
}

/** Stores that name the version of the contract that they were written for. */
export interface CheckedStores {
  readonly records?: RecordStore | undefined
  readonly documents?: DocumentStore | undefined
  readonly counters?: CounterStore | undefined
  readonly lockouts?: CounterStore | undefined
  /** An `AccountStore`, which is of a package above this one. */
  readonly accounts?: object | undefined
  readonly audit?: AuditStore | undefined
}

/**
 * Checks stores before they are used. An omitted store is not needed, but records and documents that are `undefined`
 * are missing.
 *
 * @param prefix the prefix of their names in messages.
 * @throws TypeError if a store lacks a method, or was written for another version of the contract.
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
  { kind, methods, unnamed }: Contract,
): void {
  const given = store as Readonly<Record<string, unknown>> | undefined
  const missing = methods.filter((method) => typeof given?.[method] !== 'function')
  if (!store || missing[0] === methods[0]) throw new TypeError(`"${option}" must be ${kind}`)
  const { contract = given?.capabilities ? undefined : unnamed } = (given?.capabilities ??
    {}) as Partial<StoreCapabilities>
  if (contract !== storeContract) {
    throw new TypeError(
      `"${option}" must implement version ${storeContract} of the store contract: its "capabilities.contract" is ${contract}`,
    )
  }
  if (missing.length > 0) throw new TypeError(`"${option}" must be ${kind}: it has no "${missing.join('", "')}"`)
}
