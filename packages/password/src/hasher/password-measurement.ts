import type { Measurement } from '@latchkey/core'
import { notify, startDuration } from '@latchkey/core/internal'
import type { Lane } from './limiter.ts'

/** A hash was computed: `durationMs` is how long that took. */
export interface PasswordMeasurement extends Measurement {
  readonly type: 'password.hashed'
  /** How long it had waited for its turn before. */
  readonly waitedMs: number
  /** `login`: a request waited for it. `idle`: a rehash after a login. */
  readonly lane: 'login' | 'idle'
}

/** Returns the same work, measured from now on. */
type HashMeter = <Result>(work: () => Promise<Result>, lane: Lane) => () => Promise<Result>

/** Returns `null` without a listener: then there are no measurements. */
export function createHashMeter(
  onMeasurement: ((measurement: PasswordMeasurement) => unknown) | undefined,
): HashMeter | null {
  if (onMeasurement === undefined) return null
  return (work, lane) => {
    const waited = startDuration()
    return async () => {
      const waitedMs = waited()
      const elapsed = startDuration()
      try {
        return await work()
      } finally {
        notify(onMeasurement, { type: 'password.hashed', durationMs: elapsed(), waitedMs, lane })
      }
    }
  }
}
