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

/** Few enough that no other request notices. */
const recordsAtOnce = 500

/** Between two steps other requests have their turn. */
const pauseMs = 20

type Timer = { unref?(): void }
declare function setInterval(work: () => void, milliseconds: number): Timer
declare function clearInterval(timer: Timer): void
declare function setTimeout(work: () => void, milliseconds: number): unknown

/**
 * Sweeps a store that does not forget by itself, in bounded steps and until nothing is left: what anybody can make by
 * asking must go away as fast as it came. A failing sweep is tried again with the next: that a store is out of reach is
 * told by whoever asks it for something. Nothing is swept before the first interval is over.
 */
export function startRecordSweep({ records, now, intervalMs }: RecordSweepOptions): RecordSweep {
  let sweeping: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const sweepAll = async (): Promise<void> => {
    while (!isStopped && (await records.sweep?.(now(), recordsAtOnce)) === recordsAtOnce) await pause()
  }
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweepAll).catch(() => null)
  }, intervalMs)
  timer.unref?.()
  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await sweeping
    },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, pauseMs))
}
