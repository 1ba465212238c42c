import { after } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'

/** Loads the owners that a request needs: each id once, and simultaneous ids in one call. */
export interface OwnerLoader {
  /** Returns the owner, `null` without an owner, `undefined` before it was loaded. */
  known(resource: string, id: string): string | null | undefined
  /** Loads unknown owners. Rejects with the error of the policy's `ownersById`. */
  load(resource: string, ids: readonly string[]): Promise<void>
}

interface Batch {
  readonly ids: Set<string>
  readonly done: Promise<void>
}

export function createOwnerLoader(policy: AnyPolicy): OwnerLoader {
  // Most requests need no owner.
  let owners: Map<string, Map<string, string | null>> | null = null
  let waiting: Map<string, Batch> | null = null

  const knownOf = (resource: string): Map<string, string | null> => {
    owners ??= new Map()
    const known = owners.get(resource) ?? new Map<string, string | null>()
    owners.set(resource, known)
    return known
  }
  const ask = async (resource: string, ids: Set<string>): Promise<void> => {
    await afterOtherWork()
    waiting?.delete(resource)
    const found = await policy.ownersById(resource, [...ids])
    for (const id of ids) {
      const owner: unknown = found.get(id)
      knownOf(resource).set(id, typeof owner === 'string' ? owner : null)
    }
  }
  return {
    known: (resource, id) => owners?.get(resource)?.get(id),
    async load(resource, asked) {
      const missing = asked.filter((id) => !knownOf(resource).has(id))
      if (missing.length === 0) return
      waiting ??= new Map()
      const ids = waiting.get(resource)?.ids ?? new Set<string>()
      const batch = waiting.get(resource) ?? { ids, done: ask(resource, ids) }
      waiting.set(resource, batch)
      for (const id of missing) ids.add(id)
      await batch.done
    },
  }
}

declare const process: { nextTick?(callback: () => void): void } | undefined

/** Waits for resolvers that are already running, so that one call serves them all, as in DataLoader. */
function afterOtherWork(): Promise<void> {
  return new Promise((resolve) => {
    void Promise.resolve().then(() => {
      const runtime = typeof process === 'undefined' ? undefined : process
      if (runtime?.nextTick) runtime.nextTick(resolve)
      else after(0, resolve)
    })
  })
}
