import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { CounterStore } from '../counter-store.ts'
import { createLazySweep } from './lazy-sweep.ts'

interface Counter {
  readonly key: string
  readonly resetAt: number
  count: number
}

/** How many counters a hit that opens a window checks for closed windows, so that these do not accumulate. */
const sweptPerWindow = 4

/** The number of counters of which the lowest is dropped if the store is full. */
const comparedPerWindow = 16

/**
 * Creates counters in this process's memory, for a single process and for tests. Several processes need a shared store,
 * or each of them allows the whole limit. Closed windows are removed in small steps while others are opened; no timer
 * keeps the process alive.
 *
 * @throws TypeError when an option is unknown or not valid.
 *
 * @example
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const counters = createMemoryCounterStore()
 * const { count, resetAt } = await counters.hit('sign-in:203.0.113.7', 60_000) // 1, a minute from now
 */
export function createMemoryCounterStore(
  options: {
    /**
     * The clock, epoch milliseconds.
     * @default Date.now
     */
    readonly now?: () => number
    /**
     * The most open windows, except windows of `Infinity`, which stay. A further window replaces a window with few
     * hits, so that a flood of keys neither fills the memory nor clears frequent counters.
     * @default 100_000, in about 30 MB
     */
    readonly countersAtMost?: number
  } = {},
): CounterStore {
  const { now = wallClock, countersAtMost = 100_000 } = checkOptionNames('createMemoryCounterStore', options, {
    now: true,
    countersAtMost: true,
  })
  if (!(Number.isSafeInteger(countersAtMost) && countersAtMost >= 1)) {
    throw new TypeError('"countersAtMost" must be a whole number of at least 1')
  }
  const counters = new Map<string, Counter>()
  const endless = new Map<string, Counter>()
  const { dropLowest, forget } = createLowestDropper(counters, (key) => counters.delete(key))
  const sweepStep = createLazySweep(
    counters,
    ({ key, resetAt }: Counter, time) => resetAt <= time && counters.delete(key),
  )

  function open(key: string, time: number, windowMs: number): Counter {
    if (windowMs === Number.POSITIVE_INFINITY) {
      const counter = { key, count: 0, resetAt: Number.MAX_SAFE_INTEGER }
      endless.set(key, counter)
      return counter
    }
    sweepStep(time, sweptPerWindow)
    if (counters.size >= countersAtMost) dropLowest()
    else if (counters.size < countersAtMost / 2) forget()
    const counter = { key, count: 0, resetAt: time + windowMs }
    counters.set(key, counter)
    return counter
  }

  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    async hit(key, windowMs, by = 1) {
      const time = now()
      const known = endless.get(key) ?? counters.get(key)
      const isOpen = known !== undefined && known.resetAt > time
      if (!isOpen && by <= 0) return { count: 0, resetAt: time }
      const counter = isOpen ? known : open(key, time, windowMs)
      counter.count = Math.max(0, counter.count + by)
      return { count: counter.count, resetAt: counter.resetAt }
    },
    async reset(key) {
      endless.delete(key)
      counters.delete(key)
    },
  }
}

/**
 * Returns a function that drops the lowest of the counters that were compared the longest ago. It continues after its
 * last position, because an iteration from the start of a map walks over all deleted entries at each call.
 */
function createLowestDropper(counters: ReadonlyMap<string, Counter>, drop: (key: string) => unknown) {
  let position: Iterator<Counter> | null = null
  const next = (): Counter | undefined => {
    position ??= counters.values()
    const { done, value } = position.next()
    if (!done) return value
    position = counters.values()
    return position.next().value
  }
  return {
    dropLowest(): void {
      let lowest = next()
      for (let compared = 1; compared < comparedPerWindow; compared++) {
        const counter = next()
        if (lowest && counter && counter.count < lowest.count) lowest = counter
      }
      if (lowest) drop(lowest.key)
    },
    /** An unused iterator keeps deleted entries of the map in memory. */
    forget(): void {
      position = null
    },
  }
}
