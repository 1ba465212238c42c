import { every, pause } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'

export interface RecordSweepOptions {
  readonly records: RecordStore
  /** How often expired records are removed, in milliseconds. */
  readonly intervalMs: number
}

/** Removes expired records while a service is open. */
export interface RecordSweep {
  /** Stops, and resolves after a pending sweep. */
  stop(): Promise<void>
}

/** Few enough that other requests are not delayed. */
const recordsAtOnce = 500

/** Half a million records: a store that always answers its limit is left alone until the next interval. */
const roundsAtMost = 1000

/** Between two steps other requests are answered. */
const pauseMs = 20

/**
 * Sweeps a store without native expiry after each interval, in bounded steps until all expired records are removed:
 * requests must not create records faster. A failed sweep is retried after the next interval, without an event:
 * requests that need the store report an outage.
 */
export function startRecordSweep({ records, intervalMs }: RecordSweepOptions): RecordSweep {
  let sweeping: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const sweepAll = async (): Promise<void> => {
    for (let round = 0; round < roundsAtMost && !isStopped; round++) {
      if ((await records.sweep?.(recordsAtOnce)) !== recordsAtOnce) return
      await pause(pauseMs)
    }
  }
  const timer = every(intervalMs, () => {
    sweeping = sweeping.then(sweepAll).catch(() => null)
  })
  return {
    async stop() {
      isStopped = true
      timer.stop()
      await sweeping
    },
  }
}
