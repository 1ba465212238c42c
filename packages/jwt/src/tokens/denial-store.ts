import { checkOptionNames, wallClock } from '@latchkey/core/internal'

/**
 * Where it is stored which tokens and sessions were ended before their time: durable and strongly consistent, one statement
 * per method. It has no sweep: a store removes entries whose time has come itself, some with every few new ones. Test an
 * implementation with `describeDenialStore`.
 */
export interface DenialStore {
  /**
   * Denies an id at least until a time, in epoch milliseconds. Of several times the latest counts, whatever their order.
   *
   * @param id at most 100 letters, digits and `-_:`.
   */
  deny(id: string, until: number): Promise<void>
  /**
   * Returns whether one of the ids is denied, letter by letter the same. After its time an id may be denied or not: what it
   * stands for has expired by then.
   */
  isAnyDenied(ids: readonly string[]): Promise<boolean>
}

/** How many entries are looked at with every new one, so that those whose time has come do not accumulate. */
const sweptPerEntry = 4

/**
 * Creates a store of denials in the memory of this process, for a single process and for tests. After a restart it has
 * forgotten them: tokens that were ended before live on until they expire.
 *
 * @param options `now`: the clock, in epoch milliseconds. Default: `Date.now`.
 *
 * @example
 * import { createDenyList, createMemoryDenialStore } from '@latchkey/jwt'
 * const denyList = createDenyList({ denials: createMemoryDenialStore() })
 */
export function createMemoryDenialStore(options: { readonly now?: () => number } = {}): DenialStore {
  const { now = wallClock } = checkOptionNames('createMemoryDenialStore', options, { now: true })
  const denied = new Map<string, number>()
  let looking = denied.entries()

  function sweepSome(): void {
    for (let looked = 0; looked < sweptPerEntry; looked++) {
      const { value, done } = looking.next()
      if (done) {
        looking = denied.entries()
        return
      }
      const [id, until] = value
      if (until <= now()) denied.delete(id)
    }
  }

  return {
    async deny(id, until) {
      denied.set(id, Math.max(until, denied.get(id) ?? until))
      sweepSome()
    },
    isAnyDenied: async (ids) => ids.some((id) => denied.has(id)),
  }
}
