import type { ServerStores } from '@latchkey/server'
import { type RecordStore, StoreError, type StoreErrorCode } from '@latchkey/store'
import type { CalledStores, StoreCall, StoreOutcome } from './store-calls.ts'

/** The binding of a Durable Object. Each request gets a new stub, because a stub belongs to its request. */
export interface ObjectNamespace {
  getByName(name: string): { fetch(url: string, init: RequestInit): Promise<Response> }
}

/** Returns the stores of a server, which lie in one Durable Object. */
export function createRemoteStores(namespace: ObjectNamespace): ServerStores {
  // All Workers go by the clock of the object, as far as its last answer says.
  let aheadMs = 0
  const send = async (call: StoreCall): Promise<unknown> => {
    const outcome = await ask(namespace, call)
    aheadMs = outcome.now - Date.now()
    if ('value' in outcome) return outcome.value
    throw new StoreError(outcome.code as StoreErrorCode, outcome.message)
  }
  const methodsOf = <Name extends keyof CalledStores>(store: Name, names: readonly (keyof CalledStores[Name])[]) =>
    Object.fromEntries(
      names.map((method) => [method, (...given: unknown[]) => send({ store, method: String(method), given })]),
    ) as unknown as CalledStores[Name]
  const records = methodsOf('records', ['insert', 'get', 'replace', 'touch', 'remove', 'listByOwner', 'removeByOwner'])
  const documents = methodsOf('documents', [
    ...(['insert', 'get', 'replace', 'remove', 'list', 'listByOwner', 'removeByOwner'] as const),
  ])
  const counters = methodsOf('counters', ['hit', 'reset'])
  return {
    records: { ...records, now: () => Date.now() + aheadMs, capabilities },
    accounts: methodsOf('accounts', ['insert', 'get', 'getMany', 'getByEmail', 'replace', 'remove', 'list']),
    documents: { ...documents, capabilities: { contract: 1, consistency: 'strong' } },
    counters: {
      reset: counters.reset,
      // JSON knows no Infinity, and no argument that is omitted.
      hit: (key, windowMs, by = 1) => counters.hit(key, Math.min(windowMs, Number.MAX_SAFE_INTEGER), by),
      capabilities: { contract: 1, consistency: 'strong', durable: true },
    },
  }
}

const capabilities: RecordStore['capabilities'] = {
  contract: 1,
  consistency: 'strong',
  // The object sweeps by itself.
  nativeExpiry: true,
  expiryGranularityMs: 1,
}

/** @throws StoreError `STORE_UNAVAILABLE` when the object does not answer. */
async function ask(namespace: ObjectNamespace, call: StoreCall): Promise<StoreOutcome> {
  try {
    const object = namespace.getByName('stores')
    const response = await object.fetch('https://stores/', { method: 'POST', body: JSON.stringify(call) })
    if (response.ok) return await response.json()
    throw new Error(`the object answered ${response.status}`)
  } catch (cause) {
    throw new StoreError('STORE_UNAVAILABLE', 'the object with the stores did not answer', { cause })
  }
}
