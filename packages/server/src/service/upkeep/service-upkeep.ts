import type { Emit } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'
import type { ServerEvent } from '../../options/observe/server-event.ts'
import { startRecordSweep } from './record-sweep.ts'
import { type ClockWatch, watchClock } from './service-clock.ts'
import type { WrittenVersion } from './written-version.ts'

export interface ServiceUpkeepParts {
  readonly records: RecordStore
  readonly emit: Emit<Extract<ServerEvent, { type: 'clock.skewed' }>>
  readonly written: WrittenVersion
  /** Starts the removal of old rows of the audit log. */
  readonly startPruning: () => void
}

/** The periodic work of an open service. */
export interface ServiceUpkeep extends Pick<ClockWatch, 'skewMs'> {
  /** Stops, and resolves after pending work. */
  stop(): Promise<void>
}

/** An expired record is refused at once, whether or not it was removed; this only bounds the space. */
const sweepIntervalMs = 60_000

/** Watches the clock, and removes what has expired. */
export function startUpkeep({ records, emit, written, startPruning }: ServiceUpkeepParts): ServiceUpkeep {
  const clock = watchClock(records, emit)
  const sweep = startRecordSweep({ records, intervalMs: sweepIntervalMs })
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
