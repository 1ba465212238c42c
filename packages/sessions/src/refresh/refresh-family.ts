import type { FactorProof, StoredRecord } from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredText,
  type Stored,
  type StoredShape,
  storedList,
  storedObject,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import { type Device, isStoredDevice } from '../device.ts'
import { type Impersonation, isStoredImpersonation } from '../impersonation.ts'
import { isStoredProvider, type ProviderSession, providerMember } from '../provider-session.ts'
import { isStoredInstant } from '../stored-enrollment.ts'
import { isStoredFactors } from '../stored-factors.ts'
import type { ClientGrant } from './client-binding.ts'

declare const verified: unique symbol

/** The tokens of one sign-in, each the successor of the one before; only the newest is valid. Only this package creates one. */
export interface RefreshFamily {
  /** The permissions of the grant to a third party; `null` if none were agreed on, so it has no permission. */
  readonly scopes: readonly string[] | null
  /** The id of the consent that it was given by; `null`: none. */
  readonly grant: string | null
  /** The thumbprint of the client's key (`cnf.jkt`, RFC 9449 §6.1); `null`: its tokens are bound to no key. */
  readonly keyBinding: string | null
  readonly [verified]: 'family'
  /** Its public name: the `sid` of access tokens, the id in a device list. It is no credential. */
  readonly key: string
  /** The key of the first family of a chain of replacements, often its own. */
  readonly lineage: string
  readonly subject: string
  /** The account's epoch at sign-in, or at the last `renew`. Compare it with the account's epoch. */
  readonly epoch: number
  /** `first-party` for the service itself; any other one is a third party. */
  readonly clientId: string
  /** How its tokens travel, for example `cookie` or `native`: a token of one channel is refused on another. */
  readonly channel: string
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /**
   * The time at which the account was first asked for a second factor, as it was passed at sign-in; `null` if it was
   * not asked.
   */
  readonly enrollmentSince: number | null
  /** The administrator who acts as the account by its access tokens; `null` for the owner. */
  readonly impersonation: Impersonation | null
  /** The sign-in at a provider that it came of. Omitted: none. */
  readonly provider?: ProviderSession
  /** The key of the session with which it expires; `null` if it outlives every session. */
  readonly session: string | null
  /** The lineage of the session in which it was issued, even if it outlives that session; `null` without a session. */
  readonly givenIn: string | null
  /** The resources that its tokens may be for (RFC 8707); empty for the service itself. */
  readonly resources: readonly string[]
  /**
   * The time of the authentication for which it was issued, unchanged by later proofs; `null` for the last of
   * `factors`.
   */
  readonly authenticatedAt: number | null
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  readonly lastUsedAt: number
  /** When the newest token expires unless it is used. */
  readonly expiresAt: number
  /** The time at which the family expires, regardless of its use. */
  readonly endsAt: number
}

export const familyKind = 'rt'

/** The value of a family's record. Digests are SHA-256 in base64url. */
export interface FamilyValue extends ClientGrant {
  readonly lineageHash: string
  readonly secretHash: string
  readonly generation: number
  readonly previous: PreviousSecret | null
  readonly epoch: number
  readonly clientId: string
  readonly channel: string
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /** Omitted: the account was not asked to set up a second factor. */
  readonly enrollmentSince?: number
  /** Omitted for the first family of a lineage. */
  readonly lineage?: string
  /** Omitted: it is its owner's. */
  readonly impersonation?: Impersonation
  /** Omitted: it came of no provider. */
  readonly provider?: ProviderSession
  /** Omitted: it ends with no session. */
  readonly session?: string
  /** Omitted: it is `session`. */
  readonly givenIn?: string
  /** Omitted: none were named. */
  readonly resources?: readonly string[]
  /** Omitted: the last of `factors`. */
  readonly authenticatedAt?: number
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly endsAt: number
}

/** The facts that derive the same successor again, together with the server's key and the old token. */
export interface PreviousSecret {
  readonly secretHash: string
  readonly salt: string
  readonly keyId: string
  readonly rotatedAt: number
  /** The digest of the request's idempotency key. Omitted without such a key. */
  readonly attemptHash?: string
}

const areStoredTexts = storedList(isStoredText)

export const familyShape: StoredShape<FamilyValue> = defineStoredShape<FamilyValue>({
  name: 'refresh family',
  members: {
    lineageHash: isStoredText,
    secretHash: isStoredText,
    generation: isStoredCount,
    previous: storedOrNull(
      storedObject({
        secretHash: isStoredText,
        salt: isStoredText,
        keyId: isStoredText,
        rotatedAt: isStoredCount,
        attemptHash: storedOrOmitted(isStoredText),
      }),
    ),
    epoch: isStoredCount,
    clientId: isStoredText,
    scopes: storedOrNull(storedList(isStoredText)),
    grant: storedOrNull(isStoredText),
    keyBinding: storedOrNull(isStoredText),
    channel: isStoredText,
    factors: isStoredFactors,
    device: isStoredDevice,
    enrollmentSince: isStoredInstant,
    lineage: storedOrOmitted(isStoredText),
    impersonation: isStoredImpersonation,
    provider: isStoredProvider,
    session: storedOrOmitted(isStoredText),
    givenIn: storedOrOmitted(isStoredText),
    resources: storedOrOmitted(areStoredTexts),
    authenticatedAt: isStoredInstant,
    createdAt: isStoredCount,
    lastUsedAt: isStoredCount,
    endsAt: isStoredCount,
  },
  // To a process that does not know them such a family would be one of the service itself, and of the owner.
  added: {
    scopes: { since: 2, before: null },
    grant: { since: 2, before: null },
    keyBinding: { since: 2, before: null },
    impersonation: { since: 2, before: undefined },
  },
})

export function isFamilyKey(key: string): boolean {
  return key.startsWith(`${familyKind}_`)
}

/** Returns the value of a family's record, or `null` for an expired record or a record of another kind. */
export function readFamilyValue(record: StoredRecord, now: number): Stored<FamilyValue> | null {
  if (record.owner === null || !isFamilyKey(record.key)) return null
  const value = familyShape.parse(record.value)
  return value.endsAt > now && record.expiresAt > now ? value : null
}

export function toFamily(record: Pick<StoredRecord, 'key' | 'owner' | 'expiresAt'>, value: FamilyValue): RefreshFamily {
  const { key, owner, expiresAt } = record
  const { epoch, clientId, scopes, grant, keyBinding, channel, factors, device } = value
  const { enrollmentSince = null, session = null, givenIn = session, resources = [], authenticatedAt = null } = value
  const { lineage = key, impersonation = null } = value
  const { createdAt, lastUsedAt, endsAt } = value
  const subject = owner ?? ''
  return {
    key,
    lineage,
    subject,
    epoch,
    clientId,
    scopes,
    grant,
    keyBinding,
    channel,
    factors,
    device,
    enrollmentSince,
    impersonation,
    ...providerMember(value.provider),
    session,
    givenIn,
    resources,
    authenticatedAt,
    createdAt,
    lastUsedAt,
    expiresAt,
    endsAt,
  } as RefreshFamily
}
