import { after, createSemaphore, every, type Semaphore, type Timer } from '@latchkey/core/internal'
import type { Identity } from '@latchkey/rbac'
import { type StreamEnd, StreamEndedError } from './stream-end.ts'
import { createWatchedIdentity, type IdentityClock, recheckIdentity, type WatchedIdentity } from './watched-identity.ts'

export interface WatchInput {
  /** `null`: an anonymous client, whose identity cannot change and is not watched. */
  readonly identity: Identity | null
  /** Reads the identity of the credential again. */
  readonly read: () => Promise<Identity | null>
  readonly onEnd: (end: StreamEnd) => void
}

export interface IdentityWatch {
  /**
   * Returns the current identity, from a check that starts after this call. Calls in the same turn share the check.
   *
   * @throws StreamEndedError if the identity was revoked, changed, or could not be checked.
   */
  confirm(): Promise<Identity | null>
  stop(): void
}

/** The identities of all open streams. */
export interface IdentityWatches {
  watch(input: WatchInput): IdentityWatch
  stop(): void
}

export interface IdentityWatchesOptions extends IdentityClock {
  /** The time between two checks of an identity, in milliseconds. */
  readonly recheckMs: number
}

interface WatchesState extends IdentityWatchesOptions {
  readonly watched: Set<WatchedIdentity>
  readonly checks: Semaphore
  timer: Timer | null
}

/** More simultaneous checks would delay other requests to the store. */
const checksAtMost = { atOnce: 64, waiting: Number.POSITIVE_INFINITY }

/**
 * Creates the watch over the identities of open streams, with one timer. An identity is read again after it has expired
 * or `recheckMs` after its last check. Its streams stop if it is revoked, renewed, changed or expired, or if no check
 * succeeds for another `recheckMs`.
 */
export function createIdentityWatches(options: IdentityWatchesOptions): IdentityWatches {
  const checks = createSemaphore(checksAtMost)
  const { recheckMs, expiresAt, isRenewable, now } = options
  const state: WatchesState = { recheckMs, expiresAt, isRenewable, now, watched: new Set(), checks, timer: null }
  return {
    watch: (input) => watch(state, input),
    stop() {
      for (const one of [...state.watched]) forget(state, one)
    },
  }
}

function watch(state: WatchesState, { identity, ...input }: WatchInput): IdentityWatch {
  if (identity === null) return { confirm: async () => null, stop: () => undefined }
  const one = createWatchedIdentity(identity, input, state)
  state.watched.add(one)
  startTimer(state)
  return {
    confirm() {
      one.confirming ??= confirm(state, one)
      return one.confirming
    },
    stop: () => forget(state, one),
  }
}

function startTimer(state: WatchesState): void {
  state.timer ??= every(state.recheckMs / 4, () => tick(state))
}

function tick(state: WatchesState): void {
  const time = state.now()
  for (const one of [...state.watched]) {
    if (isUnanswered(state, one, time)) endWatch(state, one, 'unavailable')
    else if (isDue(state, one, time)) void checkInTurn(state, one, time)
  }
}

function isUnanswered({ recheckMs }: WatchesState, { unansweredSince }: WatchedIdentity, time: number): boolean {
  return unansweredSince !== null && time - unansweredSince >= recheckMs
}

/** A failed check is repeated at the next tick, until the outage has lasted too long. */
function isDue({ recheckMs }: WatchesState, one: WatchedIdentity, time: number): boolean {
  const { isQueued, unansweredSince, expiresAt, checkedAt } = one
  return !isQueued && (unansweredSince !== null || time >= expiresAt || time - checkedAt >= recheckMs)
}

async function checkInTurn(state: WatchesState, one: WatchedIdentity, time: number): Promise<void> {
  one.isQueued = true
  one.unansweredSince ??= time
  await state.checks.enter()
  if (!one.isOver) await atMost(state.recheckMs, checkAndEnd(state, one))
  one.isQueued = false
  state.checks.leave()
}

async function checkAndEnd(state: WatchesState, one: WatchedIdentity): Promise<StreamEnd | null> {
  const end = await recheckIdentity(one, state)
  if (end !== null) endWatch(state, one, end)
  return end
}

/** @throws StreamEndedError */
async function confirm(state: WatchesState, one: WatchedIdentity): Promise<Identity> {
  // Starts after all calls of this turn, so that they can share it.
  await Promise.resolve()
  one.confirming = null
  if (one.isOver) throw new StreamEndedError('closing')
  const end = await checkAndEnd(state, one).catch(() => {
    endWatch(state, one, 'unavailable')
    return 'unavailable' as const
  })
  if (end !== null) throw new StreamEndedError(end)
  return one.identity
}

function endWatch(state: WatchesState, one: WatchedIdentity, end: StreamEnd): void {
  if (one.isOver) return
  forget(state, one)
  one.onEnd(end)
}

function forget(state: WatchesState, one: WatchedIdentity): void {
  one.isOver = true
  state.watched.delete(one)
  if (state.watched.size > 0 || state.timer === null) return
  state.timer.stop()
  state.timer = null
}

/** Settles with the check or after `ms`, so that a hanging check does not block others. */
function atMost(ms: number, check: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = after(ms, resolve)
    const done = (): void => {
      timer.stop()
      resolve()
    }
    check.then(done, done)
  })
}
