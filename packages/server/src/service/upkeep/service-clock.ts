import type { Emit } from '@latchkey/core/internal'
import { every, wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'
import type { ClockSkewedEvent } from '../../settings/events/server-event.ts'

/** What is read of the options. */
export interface ClockOptions {
  readonly now?: (() => number) | undefined
  readonly stores: { readonly records: RecordStore }
}

/** The clock of this process and that of the store may differ by so much before it is reported. */
const toleratedMs = 2000
const intervalMs = 60_000

/**
 * Returns the one clock of a service: that of its records, by which all processes judge, or the option `now`.
 *
 * @throws TypeError when `now` is not also the clock of the stores.
 */
export function readClock({ now, stores: { records } }: ClockOptions): () => number {
  if (now === undefined) return () => records.now()
  requireSameTime(now, records, 1)
  return now
}

/**
 * Checks the same once the stores have answered: then they know the time of their backend.
 *
 * @throws TypeError when `now` is not also the clock of the stores.
 */
export function recheckClock({ now, stores: { records } }: ClockOptions): void {
  if (now !== undefined) requireSameTime(now, records, toleratedMs)
}

function requireSameTime(now: () => number, records: RecordStore, withinMs: number): void {
  const before = now()
  const stored = records.now()
  if (stored >= before - withinMs && stored <= now() + withinMs) return
  throw new TypeError('"now" must be given to the stores as well: records would expire by another clock than all else')
}

/** Watches whether the clock of this process agrees with that of the store. */
export interface ClockWatch {
  /** Returns how many milliseconds this process is ahead of the store, or `null` where they differ by 2 s at most. */
  skewMs(): number | null
  stop(): void
}

/**
 * Compares the clocks now and each minute. A difference does no harm to the service, which goes by the store's clock; it
 * shows in logs, in certificates and in everything else of this machine, so it is an event, once until it is gone.
 */
export function watchClock({ now, stores: { records } }: ClockOptions, emit: Emit<ClockSkewedEvent>): ClockWatch {
  let isReported = false
  const skewMs = (): number | null => {
    // With a clock of its own the service is not meant to have the time of the machine.
    const skew = now === undefined ? wallClock() - records.now() : 0
    const isSkewed = Math.abs(skew) > toleratedMs
    if (isSkewed && !isReported) emit({ type: 'clock.skewed', skewMs: skew })
    isReported = isSkewed
    return isSkewed ? skew : null
  }
  skewMs()
  const { stop } = every(intervalMs, skewMs)
  return { skewMs, stop }
}
