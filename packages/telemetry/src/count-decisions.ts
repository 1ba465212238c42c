import type { LatchkeyEvent, Measurement } from '@latchkey/core'
import type { Recorder } from './instruments.ts'

/** The `password.hashed` of `@latchkey/password`. */
interface HashMeasurement extends Measurement {
  readonly waitedMs: number
  readonly lane: string
}

export function recordHash(measurement: Measurement, record: Recorder): void {
  if (measurement.type !== 'password.hashed') return
  const { durationMs, waitedMs, lane } = measurement as HashMeasurement
  const attributes = { 'latchkey.password.lane': lane }
  record('hashes', durationMs / 1000, attributes)
  record('waits', waitedMs / 1000, attributes)
}

/**
 * Types, reasons and codes are constants in the code of the service; a client may have chosen any other member of an
 * event.
 */
export function countEvent(event: LatchkeyEvent, record: Recorder): void {
  const { type, reason, code } = event as LatchkeyEvent & { readonly reason?: unknown; readonly code?: unknown }
  const why = [reason, code].find(isWord)
  record('events', 1, { 'latchkey.event.type': type, ...(why !== undefined && { 'latchkey.event.reason': why }) })
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(value)
}
