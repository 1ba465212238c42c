import type { FactorProof, StoredRecord } from '@latchkey/store'
import type { Device } from './device.ts'

declare const verified: unique symbol

/** The tokens that came one out of the other since a sign-in; only the newest works. Only this package makes one. */
export interface RefreshFamily {
  readonly [verified]: 'family'
  /** Its public name: the `sid` of access tokens, the id in a device list. It lets nobody in. */
  readonly key: string
  readonly subject: string
  /** The account's epoch at sign-in, or that of its last `renew`. Compare it with the account's. */
  readonly epoch: number
  readonly clientId: string
  /** How its tokens travel, for example `cookie` or `native`: a token of one channel is refused on another. */
  readonly channel: string
  readonly factors: readonly FactorProof[]
  readonly device: Device
  /** Epoch milliseconds, as the other instants. */
  readonly createdAt: number
  readonly lastUsedAt: number
  /** When the newest token expires unless it is used. */
  readonly expiresAt: number
  /** When the family ends, however often it is used. */
  readonly endsAt: number
}

export const familyKind = 'rt'

/** What a record's value holds. Digests are SHA-256 in base64url. */
export interface FamilyValue {
  readonly lineageHash: string
  readonly secretHash: string
  readonly generation: number
  readonly previous: PreviousSecret | null
  readonly epoch: number
  readonly clientId: string
  readonly channel: string
  readonly factors: readonly FactorProof[]
  readonly device: Device
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly endsAt: number
}

/** What it takes, beside the server's key and the old token itself, to give the same successor again. */
export interface PreviousSecret {
  readonly secretHash: string
  readonly salt: string
  readonly keyId: string
  readonly rotatedAt: number
}

/** Gives the value of a family's record, or `null` for a record of another kind and once a limit is over. */
export function readFamilyValue(record: StoredRecord, now: number): FamilyValue | null {
  if (record.owner === null || !record.key.startsWith(`${familyKind}_`)) return null
  const value: FamilyValue = JSON.parse(record.value)
  return value.endsAt > now && record.expiresAt > now ? value : null
}

export function toFamily(
  record: Pick<StoredRecord, 'key' | 'owner' | 'expiresAt'>,
  { epoch, clientId, channel, factors, device, createdAt, lastUsedAt, endsAt }: FamilyValue,
): RefreshFamily {
  const { key, owner, expiresAt } = record
  const subject = owner ?? ''
  return {
    key,
    subject,
    epoch,
    clientId,
    channel,
    factors,
    device,
    createdAt,
    lastUsedAt,
    expiresAt,
    endsAt,
  } as RefreshFamily
}
