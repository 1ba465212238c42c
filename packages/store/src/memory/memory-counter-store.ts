import { checkOptionNames } from '@latchkey/options'
import { wallClock } from '@latchkey/time'
import type { CounterStore } from '../counter-store.ts'
import { storeContract } from '../record-store.ts'
import { createLazySweep } from './lazy-sweep.ts'

interface Counter {
  readonly key: string
  readonly resetAt: number
  count: number
}

/** How many counters a hit that opens a window checks for closed windows, so that these do not accumulate. */
const sweptPerWindow = 4

/**
 * Creates counters in this process's memory, for a single process and for tests. Several processes need a shared store,
 * or each of them allows the whole limit. Closed windows are removed in small steps while others are opened; no timer
 * keeps the process alive.
 *
 * @param options `now`: the clock, in epoch milliseconds. Default: `Date.now`.
 *
 * @example
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const counters = createMemoryCounterStore()
 * const { count, resetAt } = await counters.hit('sign-in:203.0.113.7', 60_000) // 1, a minute from now
 */
export function createMemoryCounterStore(options: { readonly now?: () => number } = {}): CounterStore {
  const { now = wallClock } = checkOptionNames('createMemoryCounterStore', options, { now: true })
  const counters = new Map<string, Counter>()
  const sweepStep = createLazySweep(
    counters,
    ({ key, resetAt }: Counter, time) => resetAt <= time && counters.delete(key),
  )

  function open(key: string, time: number, windowMs: number): Counter {
    sweepStep(time, sweptPerWindow)
    const counter = { key, count: 0, resetAt: time + windowMs }
    counters.set(key, counter)
    return counter
  }

  return {
    capabilities: { contract: storeContract, consistency: 'strong' },
    async hit(key, windowMs, by = 1) {
      const time = now()
      const known = counters.get(key)
      const isOpen = known !== undefined && known.resetAt > time
      if (!isOpen && by <= 0) return { count: 0, resetAt: time }
      const counter = isOpen ? known : open(key, time, windowMs)
      counter.count = Math.max(0, counter.count + by)
      return { count: counter.count, resetAt: counter.resetAt }
    },
    async reset(key) {
      counters.delete(key)
    },
  }
}
