import type { RecordStore } from '@latchkey/store'

export interface SessionTouch {
  /** Starts to move a record's expiry unless this process has done so within the interval. Never throws, never waits. */
  start(current: { readonly key: string; readonly owner: string }, expiresAt: number): void
  /** Resolves when none is under way. */
  settled(): Promise<void>
}

export interface SessionTouchOptions {
  readonly records: RecordStore
  readonly intervalMs: number
  readonly now: () => number
  readonly onFailure: (current: { readonly key: string; readonly owner: string }, error: unknown) => void
}

/**
 * Moves expiries off the response path. Requests that arrive together read the same old expiry, so the record alone
 * cannot keep them to one write per interval: this process remembers what it touched, for one interval.
 */
export function createSessionTouch({ records, intervalMs, now, onFailure }: SessionTouchOptions): SessionTouch {
  const startedAt = new Map<string, number>()
  const underWay = new Set<Promise<void>>()

  function forgetOlderThan(limit: number): void {
    for (const [key, at] of startedAt) {
      if (at > limit) return
      startedAt.delete(key)
    }
  }

  return {
    start(current, expiresAt) {
      const time = now()
      forgetOlderThan(time - intervalMs)
      if (startedAt.has(current.key)) return
      startedAt.set(current.key, time)
      const touch: Promise<void> = (async () => records.touch(current, expiresAt))()
        .then(() => undefined)
        .catch((error: unknown) => onFailure(current, error))
        .finally(() => underWay.delete(touch))
      underWay.add(touch)
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
