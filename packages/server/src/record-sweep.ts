import type { RecordStore } from '@latchkey/store'

export interface RecordSweepOptions {
  readonly records: RecordStore
  readonly now: () => number
  /** How often expired records are looked for, in milliseconds. */
  readonly intervalMs: number
}

/** Removes expired records while a service is open. */
export interface RecordSweep {
  /** Stops, and resolves when a sweep under way has ended. */
  stop(): Promise<void>
}

/** Few enough that no other request notices; whatever is left waits for the next time. */
const recordsAtOnce = 500

type Timer = { unref?(): void }
declare function setInterval(work: () => void, milliseconds: number): Timer
declare function clearInterval(timer: Timer): void

/**
 * Sweeps a store that does not forget by itself, in bounded steps. A failing sweep is tried again with the next: that a
 * store is out of reach is told by whoever asks it for something. Nothing is swept before the first interval is over.
 */
export function startRecordSweep({ records, now, intervalMs }: RecordSweepOptions): RecordSweep {
  let sweeping: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => records.sweep?.(now(), recordsAtOnce)).catch(() => null)
  }, intervalMs)
  timer.unref?.()
  return {
    async stop() {
      clearInterval(timer)
      await sweeping
    },
  }
}
