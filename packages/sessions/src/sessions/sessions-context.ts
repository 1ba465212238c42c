import { checkOptionNames, createEmitter, describeFailure, type Emit } from '@latchkey/core/internal'
import type { RecordStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import type { SessionsEvent } from '../sessions-event.ts'
import { toMilliseconds } from '../to-milliseconds.ts'
import { createSessionReader, type SessionReader } from './session-reader.ts'
import { createSessionTouch, type SessionTouch } from './session-touch.ts'

export interface SessionsOptions {
  /** Where sessions and refresh families are stored. */
  readonly records: RecordStore
  /**
   * The clock, in epoch milliseconds.
   * @default the clock of `records`
   */
  readonly now?: () => number
  /**
   * The overall limit, which use does not extend.
   * @default 28800 (8 hours)
   */
  readonly ttlSeconds?: number
  /**
   * How long a session lasts without use. At most `ttlSeconds`.
   * @default 3600
   */
  readonly idleSeconds?: number
  /**
   * The shortest time between two writes that record the use of a session. Less than `idleSeconds`.
   * @default 60
   */
  readonly touchIntervalSeconds?: number
  /**
   * Returns the version of stored values to write. A service that shares its store with processes of an older release
   * returns the one that they know, until all have this release.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
  /**
   * Receives every event. Its errors are ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: (event: SessionsEvent) => void
}

/** The dependencies and options of every operation on sessions. */
export interface SessionsContext extends SessionLimits {
  readonly records: RecordStore
  /** The version of stored values to write. */
  readonly writes: () => number
  readonly now: () => number
  readonly readValue: SessionReader
  readonly touch: SessionTouch
  readonly emit: Emit<SessionsEvent>
}

interface SessionLimits {
  readonly ttlMs: number
  readonly idleMs: number
  readonly intervalMs: number
}

const optionNames = {
  records: true,
  now: true,
  ttlSeconds: true,
  idleSeconds: true,
  touchIntervalSeconds: true,
  storedVersion: true,
  onEvent: true,
} as const

/** @throws TypeError naming the option that is unknown or not valid. */
export function createSessionsContext(options: SessionsOptions): SessionsContext {
  const { records, onEvent } = checkOptionNames('createSessions', options, optionNames)
  checkStores({ records })
  const { now = () => records.now(), storedVersion: writes = () => newestVersion } = options
  const limits = checkLimits(options)
  const emit = createEmitter<SessionsEvent>({ onEvent, now })
  const touch = createSessionTouch({
    records,
    intervalMs: limits.intervalMs,
    now,
    onFailure: ({ key: sessionKey, owner: accountId }, cause) =>
      emit({ type: 'session.touch-failed', sessionKey, accountId, failure: describeFailure(cause), cause }),
  })
  return { records, writes, now, ...limits, readValue: createSessionReader(), touch, emit }
}

function checkLimits({
  ttlSeconds = 28_800,
  idleSeconds = 3600,
  touchIntervalSeconds = 60,
}: SessionsOptions): SessionLimits {
  const ttlMs = toMilliseconds('ttlSeconds', ttlSeconds)
  const idleMs = toMilliseconds('idleSeconds', idleSeconds)
  const intervalMs = toMilliseconds('touchIntervalSeconds', touchIntervalSeconds, { min: 0 })
  if (idleMs > ttlMs) throw new TypeError('"idleSeconds" must not be greater than "ttlSeconds"')
  if (intervalMs >= idleMs) throw new TypeError('"touchIntervalSeconds" must be less than "idleSeconds"')
  return { ttlMs, idleMs, intervalMs }
}
