import type { FactorProof, StoredRecord } from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type Stored,
  type StoredShape,
  storedOrOmitted,
} from '@latchkey/store/internal'
import { type Device, isStoredDevice } from '../device.ts'
import { type Impersonation, isStoredImpersonation } from '../impersonation.ts'
import { isStoredProvider, type ProviderSession, providerMember } from '../provider-session.ts'
import { isStoredInstant } from '../stored-enrollment.ts'
import { isStoredFactors } from '../stored-factors.ts'

declare const verified: unique symbol

/** A session whose credential was verified. Only this package creates one. */
export interface Session {
  readonly [verified]: 'session'
  /** Its public name, for device lists and revocation. It is no credential. */
  readonly key: string
  /**
   * The key of the first session in a chain of replacements for the account, often its own: families issued in one of
   * these sessions continue until the last session expires.
   */
  readonly lineage: string
  /** The account's id. */
  readonly subject: string
  /** The account's epoch at sign-in. Compare it with the account's: a session of another epoch is signed out. */
  readonly epoch: number
  /** The factors that were proven for it, with their times. */
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /**
   * The time at which the account was first asked for a second factor, as it was passed at sign-in; `null` if it was
   * not asked.
   */
  readonly enrollmentSince: number | null
  /** The administrator who acts as the account by it; `null` for the owner. */
  readonly impersonation: Impersonation | null
  /** The sign-in at a provider that it came of. Omitted: none. */
  readonly provider?: ProviderSession
  /** Whether its cookie outlives the browser. */
  readonly persistent: boolean
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  /** Accurate to the touch interval. */
  readonly lastUsedAt: number
  /** The idle limit or the overall limit, whichever comes first. */
  readonly expiresAt: number
}

export const sessionKind = 'se'

/** The value of a session's record. The last use is the record's expiry minus `idleMs`. */
export interface SessionValue {
  readonly secretHash: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /** Omitted: the account was not asked to set up a second factor. */
  readonly enrollmentSince?: number
  /** Omitted for the first session of a lineage. */
  readonly lineage?: string
  /** Omitted: it is its owner's. */
  readonly impersonation?: Impersonation
  /** Omitted: it came of no provider. */
  readonly provider?: ProviderSession
  readonly persistent: boolean
  readonly createdAt: number
  readonly endsAt: number
  readonly idleMs: number
}

export const sessionShape: StoredShape<SessionValue> = defineStoredShape<SessionValue>({
  name: 'session',
  members: {
    secretHash: isStoredText,
    epoch: isStoredCount,
    factors: isStoredFactors,
    device: isStoredDevice,
    enrollmentSince: isStoredInstant,
    lineage: storedOrOmitted(isStoredText),
    impersonation: isStoredImpersonation,
    provider: isStoredProvider,
    persistent: isStoredFlag,
    createdAt: isStoredCount,
    endsAt: isStoredCount,
    idleMs: isStoredCount,
  },
  // To a process that does not know it the session would be one of the owner.
  added: { impersonation: { since: 2, before: undefined } },
})

/** Returns the value of a session's record, or `null` for an expired record or a record of another kind. */
export function readSessionValue(record: StoredRecord, now: number): Stored<SessionValue> | null {
  if (!isSessionRecord(record)) return null
  const value = sessionShape.parse(record.value)
  return value.endsAt > now && record.expiresAt > now ? value : null
}

const keyPrefix = `${sessionKind}_`

export function isSessionKey(key: string): boolean {
  return key.startsWith(keyPrefix)
}

export function isSessionRecord({ key, owner }: StoredRecord): boolean {
  return owner !== null && isSessionKey(key)
}

/** @param expiresAt the record's own: the last use plus the idle limit. */
export function toSession(record: Pick<StoredRecord, 'key' | 'owner' | 'expiresAt'>, value: SessionValue): Session {
  const { epoch, factors, device, enrollmentSince = null, persistent, createdAt, endsAt, idleMs } = value
  const { lineage = record.key, impersonation = null } = value
  return {
    key: record.key,
    lineage,
    subject: record.owner ?? '',
    epoch,
    factors,
    device,
    enrollmentSince,
    impersonation,
    ...providerMember(value.provider),
    persistent,
    createdAt,
    lastUsedAt: record.expiresAt - idleMs,
    expiresAt: Math.min(record.expiresAt, endsAt),
  } as Session
}
