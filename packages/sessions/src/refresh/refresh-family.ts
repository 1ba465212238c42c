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
  /** The permissions that the grant to a third party allows; `null`: none was agreed on, which allows nothing to it. */
  readonly scopes: readonly string[] | null
  /** The id of the consent that it was given by; `null`: none. */
  readonly grant: string | null
  /** The thumbprint of the client's key (`cnf.jkt`, RFC 9449 §6.1); `null`: its tokens are bound to no key. */
  readonly keyBinding: string | null
  readonly [verified]: 'family'
  /** Its public name: the `sid` of access tokens, the id in a device list. It is no credential. */
  readonly key: string
  /** The key of the first of the families that have replaced each other, often its own. */
  readonly lineage: string
  readonly subject: string
  /** The account's epoch at sign-in, or that of its last `renew`. Compare it with the account's. */
  readonly epoch: number
  /** `first-party` for the service itself; any other one is a third party. */
  readonly clientId: string
  /** How its tokens travel, for example `cookie` or `native`: a token of one channel is refused on another. */
  readonly channel: string
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /** Since when the account is asked to set up a second factor, as it was given at sign-in; `null`: it was not. */
  readonly enrollmentSince: number | null
  /** Who acts as the account by its access tokens; `null`: its owner. */
  readonly impersonation: Impersonation | null
  /** The sign-in at a provider that it came of. Omitted: none. */
  readonly provider?: ProviderSession
  /** The key of the session with which it ends; `null`: it outlives every session. */
  readonly session: string | null
  /** The lineage of the session out of which it was given, also where it outlives that; `null`: of none. */
  readonly givenIn: string | null
  /** The resources that its tokens may be for (RFC 8707); empty: those of the service itself. */
  readonly resources: readonly string[]
  /** When the user authenticated for what it was given by, whatever was proven since; `null`: the last of `factors`. */
  readonly authenticatedAt: number | null
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  readonly lastUsedAt: number
  /** When the newest token expires unless it is used. */
  readonly expiresAt: number
  /** When the family ends, however often it is used. */
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
  /** Omitted: it is the first one. */
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

/** What is needed, beside the server's key and the old token itself, to derive the same successor again. */
export interface PreviousSecret {
  readonly secretHash: string
  readonly salt: string
  readonly keyId: string
  readonly rotatedAt: number
  /** That of the idempotency key of the request. Omitted: it had none. */
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
        attemptHash: (value) => value === undefined || isStoredText(value),
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
    lineage: (value) => value === undefined || isStoredText(value),
    impersonation: isStoredImpersonation,
    provider: isStoredProvider,
    session: (value) => value === undefined || isStoredText(value),
    givenIn: (value) => value === undefined || isStoredText(value),
    resources: (value) => value === undefined || areStoredTexts(value),
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

/** Returns the value of a family's record, or `null` for a record of another kind or one that has expired. */
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
