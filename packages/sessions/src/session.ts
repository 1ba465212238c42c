import type { FactorProof, StoredRecord } from '@latchkey/store'
import type { Device } from './device.ts'

declare const verified: unique symbol

/** A session whose credential was shown and found good. Only `read`, `create` and `regenerate` make one. */
export interface Session {
  readonly [verified]: 'session'
  /** Its public name, for device lists and revocation. It lets nobody in. */
  readonly key: string
  /** Whose it is: the account's id. */
  readonly subject: string
  /** The account's epoch at sign-in. Whoever knows the account refuses the session once the account's has moved on. */
  readonly epoch: number
  /** What was proven when it was made, and when. */
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /** Whether its cookie outlives the browser. */
  readonly persistent: boolean
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  /** Exact to the touch interval. */
  readonly lastUsedAt: number
  /** The idle or the overall limit, whichever comes first. */
  readonly expiresAt: number
}

export const sessionKind = 'se'

/** What a record's value holds. The idle limit of the time it was made tells the last use from the record's expiry. */
export interface SessionValue {
  readonly secretHash: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
  readonly device: Device
  readonly persistent: boolean
  readonly createdAt: number
  readonly endsAt: number
  readonly idleMs: number
}

/** Gives the value of a session's record, or `null` for a record of another kind and once the overall limit is over. */
export function readSessionValue(record: StoredRecord, now: number): SessionValue | null {
  if (!isSessionRecord(record)) return null
  const value: SessionValue = JSON.parse(record.value)
  return value.endsAt > now && record.expiresAt > now ? value : null
}

const recordPrefix = `${sessionKind}_`

export function isSessionRecord({ key, owner }: StoredRecord): boolean {
  return owner !== null && key.startsWith(recordPrefix)
}

/** @param expiresAt the record's own: the last use plus the idle limit. */
export function toSession(record: Pick<StoredRecord, 'key' | 'owner' | 'expiresAt'>, value: SessionValue): Session {
  const { epoch, factors, device, persistent, createdAt, endsAt, idleMs } = value
  return {
    key: record.key,
    subject: record.owner ?? '',
    epoch,
    factors,
    device,
    persistent,
    createdAt,
    lastUsedAt: record.expiresAt - idleMs,
    expiresAt: Math.min(record.expiresAt, endsAt),
  } as Session
}
