import { createMemoryAccountStore } from '@latchkey/accounts'
import type { ServerStores } from '@latchkey/server'
import {
  createMemoryAuditStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  StoreError,
} from '@latchkey/store'
import type { World } from './world.ts'

/** The stores of a simulated service, all of which it has. */
export type WorldStores = Required<Pick<ServerStores, 'records' | 'accounts' | 'documents' | 'counters' | 'audit'>>

/** The data that all machines share. */
export function createWorldStores(now: () => number): WorldStores {
  return {
    records: createMemoryRecordStore({ now }),
    accounts: createMemoryAccountStore(),
    documents: createMemoryDocumentStore(),
    counters: createMemoryCounterStore({ now }),
    audit: createMemoryAuditStore(),
  }
}

/** Values that were written to a store or came back from it, to look for secrets in them. */
export type Seen = (call: string, input: readonly unknown[]) => void

/** Within it, each call is answered or fails, and what was reported as failed has no effect any more. */
export const deadlineMs = 250

/**
 * The stores as a machine reaches them: each call waits before its effect, and its answer waits after it. Picked to
 * fail, the first is a call without an effect, the second an effect without an answer.
 */
export function reachStores(world: World, stores: WorldStores, seen: Seen): WorldStores {
  const reachMember = (name: string, store: object, property: string | symbol): unknown => {
    const member: unknown = Reflect.get(store, property)
    if (property === 'reservations' && member) return reach(`${name}.reservations`, member)
    if (typeof member !== 'function' || property === 'now' || property === 'isInMemory') return member
    const call = `${name}.${String(property)}`
    const answers = `${call} answers`
    const answerFate = { failure: outage, deadlineMs }
    return async (...input: unknown[]): Promise<unknown> => {
      const effect = (): unknown => {
        seen(call, input)
        return member.apply(store, input)
      }
      await world.wait(call, { failure: outage, effect, deadlineMs })
      const answer = await effect()
      await world.wait(answers, answerFate)
      return answer
    }
  }
  const reach = <Store extends object>(name: string, store: Store): Store => {
    const reached = new Map<string | symbol, unknown>()
    return new Proxy(store, {
      get(target, property) {
        if (!reached.has(property)) reached.set(property, reachMember(name, target, property))
        return reached.get(property)
      },
    })
  }
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, reach(name, store)]),
  ) as unknown as WorldStores
}

function outage(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'the store did not answer in time')
}
