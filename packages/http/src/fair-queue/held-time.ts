import type { ThreadUsage } from './thread-usage.ts'

/** Measures how long the event loop is held, without the time in which the thread waits for a processor. */
export interface HeldTime {
  begin(): void
  /** Returns for how many milliseconds it was held since the beginning. */
  end(): number
}

/** Reading the usage costs as much as a short request, so it is read at most once in this time. */
const askedEveryMs = 1

/**
 * Creates a measurement by the clock, and by the thread's usage if `usage` is not `null`. Computing time within a
 * millisecond before the start counts too.
 */
export function createHeldTime(now: () => number, usage: (() => ThreadUsage) | null): HeldTime {
  const used = usage && createUsedSince(usage)
  let since = 0
  return {
    begin() {
      since = now()
      used?.begin(since)
    },
    end() {
      const at = now()
      const heldMs = at - since
      return used && heldMs >= askedEveryMs ? Math.min(heldMs, used.end(at)) : heldMs
    },
  }
}

interface UsedSince {
  begin(at: number): void
  /** Returns for how many milliseconds at most the thread has computed or waited for a disk. */
  end(at: number): number
}

function createUsedSince(usage: () => ThreadUsage): UsedSince {
  // Nothing is measured before the first beginning: the queue may be created while a module is loaded.
  let known: ThreadUsage | null = null
  let knownAt = Number.NEGATIVE_INFINITY
  // As coarse as the system counts, which differs a thousandfold: so much it may not have counted yet.
  let stepMs = Number.POSITIVE_INFINITY
  const ask = (at: number): number => {
    const before = known
    known = usage()
    knownAt = at
    if (before === null) return Number.POSITIVE_INFINITY
    const computedMs = known.computedMs - before.computedMs
    if (computedMs > 0) stepMs = Math.min(stepMs, computedMs)
    // While it waits for a disk, as at the end of a transaction of SQLite, nothing else has the event loop.
    return known.diskAccesses === before.diskAccesses ? computedMs + stepMs : Number.POSITIVE_INFINITY
  }
  return {
    begin(at) {
      if (at - knownAt >= askedEveryMs) ask(at)
    },
    end: ask,
  }
}
