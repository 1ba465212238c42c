import type { Identity } from '@latchkey/rbac'
import { isSameIdentity } from './same-identity.ts'
import type { StreamEnd } from './stream-end.ts'

/** The clock, when an identity expires, and whether its client can present another credential of the same sign-in. */
export interface IdentityClock {
  readonly now: () => number
  readonly expiresAt: (identity: Identity) => number | null
  readonly isRenewable: (identity: Identity) => Promise<boolean>
}

/** An identity whose streams are open. */
export interface WatchedIdentity {
  /** Reads the identity of the credential again. */
  readonly read: () => Promise<Identity | null>
  readonly onEnd: (end: StreamEnd) => void
  identity: Identity
  expiresAt: number
  /** The start of the last check. */
  checkedAt: number
  /** The time since when a check is due; `null`: the last check found the identity unchanged. */
  unansweredSince: number | null
  /** Whether a check waits for its turn or is running. */
  isQueued: boolean
  isOver: boolean
  /** The shared check of `confirm` calls in the same turn. */
  confirming: Promise<Identity> | null
}

export function createWatchedIdentity(
  identity: Identity,
  { read, onEnd }: Pick<WatchedIdentity, 'read' | 'onEnd'>,
  clock: IdentityClock,
): WatchedIdentity {
  return {
    read,
    onEnd,
    identity,
    expiresAt: endOf(identity, clock),
    checkedAt: clock.now(),
    unansweredSince: null,
    isQueued: false,
    isOver: false,
    confirming: null,
  }
}

/**
 * Reads the identity again, and returns the reason to stop its streams, or `null`.
 *
 * @throws the error of the reader.
 */
export async function recheckIdentity(watched: WatchedIdentity, clock: IdentityClock): Promise<StreamEnd | null> {
  watched.checkedAt = clock.now()
  watched.unansweredSince ??= watched.checkedAt
  const identity = await watched.read()
  const end = await judgeIdentity(watched, identity, clock)
  if (identity === null || end !== null) return end
  watched.identity = identity
  watched.expiresAt = endOf(identity, clock)
  watched.unansweredSince = null
  return null
}

async function judgeIdentity(
  watched: WatchedIdentity,
  identity: Identity | null,
  clock: IdentityClock,
): Promise<StreamEnd | null> {
  const isExpired = clock.now() >= (identity ? endOf(identity, clock) : watched.expiresAt)
  if (identity === null || isExpired) {
    if (await clock.isRenewable(watched.identity)) return 'renewed'
    return isExpired ? 'expired' : 'signed-out'
  }
  if (identity.epoch !== watched.identity.epoch) return 'renewed'
  return isSameIdentity(identity, watched.identity) ? null : 'changed'
}

function endOf(identity: Identity, { expiresAt }: IdentityClock): number {
  return expiresAt(identity) ?? Number.POSITIVE_INFINITY
}
