import type { Emit } from '@latchkey/core/internal'
import type { ClockSkewedEvent } from '../../settings/events/server-event.ts'
import { startRecordSweep } from './record-sweep.ts'
import { type ClockOptions, type ClockWatch, watchClock } from './service-clock.ts'
import type { WrittenVersion } from './written-version.ts'

export interface ServiceUpkeepParts {
  readonly options: ClockOptions
  readonly emit: Emit<ClockSkewedEvent>
  readonly written: WrittenVersion
  /** Begins to remove old rows of the audit log. */
  readonly startPruning: () => void
}

/** What a service does by itself while it is open. */
export interface ServiceUpkeep extends Pick<ClockWatch, 'skewMs'> {
  /** Stops, and resolves when what is under way has ended. */
  stop(): Promise<void>
}

/** An expired record is refused at once, whether or not it was removed; this only bounds the space. */
const sweepIntervalMs = 60_000

/** Watches the clock, and removes what has expired. */
export function startUpkeep({ options, emit, written, startPruning }: ServiceUpkeepParts): ServiceUpkeep {
  const clock = watchClock(options, emit)
  const sweep = startRecordSweep({ records: options.stores.records, intervalMs: sweepIntervalMs })
  startPruning()
  return {
    skewMs: () => clock.skewMs(),
    async stop() {
      clock.stop()
      written.stop()
      await sweep.stop()
    },
  }
}
