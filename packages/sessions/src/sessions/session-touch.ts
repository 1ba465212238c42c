import type { RecordStore } from '@latchkey/store'

export interface SessionTouch {
  /**
   * Starts to move a record's expiry, without delaying the caller. Never throws.
   *
   * @returns a promise that never rejects, or `null` if this process has moved it within the interval.
   */
  start(current: { readonly key: string; readonly owner: string }, expiresAt: number): Promise<void> | null
  /** Resolves when no touch is pending. */
  settled(): Promise<void>
}

export interface SessionTouchOptions {
  readonly records: RecordStore
  readonly intervalMs: number
  readonly now: () => number
  readonly onFailure: (current: { readonly key: string; readonly owner: string }, error: unknown) => void
}

/**
 * Moves expiries without delaying the response. Requests that arrive together read the same old expiry, so the record
 * alone cannot limit them to one write per interval: this process remembers for one interval what it touched.
 */
export function createSessionTouch({ records, intervalMs, now, onFailure }: SessionTouchOptions): SessionTouch {
  const startedAt = new Map<string, number>()
  const pending = new Set<Promise<void>>()

  function forgetUntil(limit: number): void {
    for (const [key, at] of startedAt) {
      if (at > limit) return
      startedAt.delete(key)
    }
  }

  return {
    start(current, expiresAt) {
      const time = now()
      forgetUntil(time - intervalMs)
      if (startedAt.has(current.key)) return null
      startedAt.set(current.key, time)
      const touch: Promise<void> = (async () => records.touch(current, expiresAt))()
        .then(() => undefined)
        .catch((error: unknown) => onFailure(current, error))
        .finally(() => pending.delete(touch))
      pending.add(touch)
      return touch
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
