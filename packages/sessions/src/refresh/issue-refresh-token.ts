import { type FactorProof, StoreError } from '@latchkey/store'
import { boundDevice, type Device } from '../device.ts'
import { enrollmentMember } from '../stored-enrollment.ts'
import { type ClientGrant, readGrant } from './client-binding.ts'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, familyShape, type RefreshFamily, toFamily } from './refresh-family.ts'
import { createRefreshSecret, formatRefreshToken, hashSecret, type RefreshSecret } from './refresh-secret.ts'

export interface RefreshInput extends Partial<ClientGrant> {
  readonly subject: string
  /**
   * The account's epoch at sign-in.
   * @default 0
   */
  readonly epoch?: number
  /** `firstPartyClientId`, or the id of a client of others, with the grant that it was given. */
  readonly clientId: string
  /**
   * How the tokens will travel.
   * @default 'cookie'
   */
  readonly channel?: string
  readonly factors: readonly FactorProof[]
  readonly device?: Device
  /**
   * Since when the account is asked to set up a second factor, epoch milliseconds. The family keeps it, and what replaces it
   * by `regenerate` does.
   * @default null
   */
  readonly enrollmentSince?: number | null
}

/** A new family with its first token, which cannot be read again. */
export interface IssuedFamily {
  readonly token: string
  readonly family: RefreshFamily
}

/** @param endsAt when the family ends at the latest. */
export async function issueRefreshToken(
  context: RefreshContext,
  input: RefreshInput,
  endsAt: number = Number.POSITIVE_INFINITY,
): Promise<IssuedFamily> {
  const { subject, clientId } = input
  if (!subject) throw new TypeError('"subject" must not be empty')
  const first = createRefreshSecret()
  const value = createFamilyValue(context, first, input, endsAt)
  const expiresAt = Math.min(value.createdAt + context.ttlMs, value.endsAt)
  const record = { key: first.key, owner: subject, expiresAt, value: familyShape.format(value, context.writes()) }
  if (!(await context.records.insert(record))) {
    throw new StoreError('STORE_UNAVAILABLE', 'the store refused a fresh key')
  }
  const { address } = value.device
  context.emit({ type: 'family.created', sessionKey: first.key, accountId: subject, address, clientId })
  return { token: formatRefreshToken(first), family: toFamily(record, value) }
}

function createFamilyValue(
  { now, familyMs }: RefreshContext,
  first: RefreshSecret,
  { epoch = 0, clientId, channel = 'cookie', factors, device, enrollmentSince = null, ...grant }: RefreshInput,
  endsAt: number,
): FamilyValue {
  const createdAt = now()
  return {
    lineageHash: hashSecret(first.lineage),
    secretHash: hashSecret(first.secret),
    generation: 1,
    previous: null,
    epoch,
    clientId,
    ...readGrant(clientId, grant),
    channel,
    factors,
    device: boundDevice(device),
    ...enrollmentMember(enrollmentSince),
    createdAt,
    lastUsedAt: createdAt,
    endsAt: Math.min(createdAt + familyMs, endsAt),
  }
}
