import type { Emit } from '@latchkey/core/internal'
import { every, wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'
import type { ServerEvent } from '../../options/observe/server-event.ts'

/** The largest difference between the clocks of this process and of the store that is not reported. */
const toleratedMs = 2000
const intervalMs = 60_000

/** Compares the clocks of this process and of the store. */
export interface ClockWatch {
  /** Returns by how many milliseconds this process is ahead of the store, or `null` if they differ by 2 s at most. */
  skewMs(): number | null
  stop(): void
}

/**
 * Compares the clocks now and each minute. A difference does no harm to the service, which goes by the store's clock; it
 * shows in logs, in certificates and in everything else of this machine, so it is an event, once until it is gone.
 */
export function watchClock(
  records: RecordStore,
  emit: Emit<Extract<ServerEvent, { type: 'clock.skewed' }>>,
): ClockWatch {
  let isReported = false
  const skewMs = (): number | null => {
    // A clock that was given to the store is not meant to have the time of the machine.
    const skew = records.capabilities.clock === 'given' ? 0 : wallClock() - records.now()
    const isSkewed = Math.abs(skew) > toleratedMs
    if (isSkewed && !isReported) emit({ type: 'clock.skewed', skewMs: skew })
    isReported = isSkewed
    return isSkewed ? skew : null
  }
  skewMs()
  const { stop } = every(intervalMs, skewMs)
  return { skewMs, stop }
}
