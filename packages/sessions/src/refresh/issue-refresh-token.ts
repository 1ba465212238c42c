import { type FactorProof, StoreError } from '@latchkey/store'
import { boundDevice, type Device } from '../device.ts'
import { type Impersonation, impersonationMember } from '../impersonation.ts'
import { type ProviderSession, providerMember } from '../provider-session.ts'
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
  /**
   * An administrator who acts as the account. Its tokens are not redeemed: what is signed beside the first one is all.
   * @default null
   */
  readonly impersonation?: Impersonation | null
  /**
   * The sign-in at a provider that it comes of. What replaces it by `regenerate` keeps it.
   * @default null
   */
  readonly provider?: ProviderSession | null
  /**
   * The key of the session out of which the family was given and with which it ends (`revokeBySession`).
   * @default null, which outlives every session
   */
  readonly session?: string | null
  /**
   * The key of the session out of which the family was given, where it outlives that.
   * @default `session`
   */
  readonly givenIn?: string | null
  /**
   * The resources that were agreed on (RFC 8707).
   * @default [], those of the service itself
   */
  readonly resources?: readonly string[]
  /**
   * When the user authenticated for what the family was given by, epoch milliseconds: later proofs do not change it.
   * @default null, the last of `factors`
   */
  readonly authenticatedAt?: number | null
  /**
   * When the family ends at the latest, epoch milliseconds.
   * @default `familyTtlSeconds` from now
   */
  readonly endsAt?: number
}

/** A new family with its first token, which cannot be read again. */
export interface IssuedFamily {
  readonly token: string
  readonly family: RefreshFamily
}

export async function issueRefreshToken(context: RefreshContext, input: RefreshInput): Promise<IssuedFamily> {
  return storeFamily(context, prepareFamily(context, input))
}

/**
 * Stores a family if its key is accepted before: what the key is written to finds the family from the moment on in which
 * there is one.
 */
export async function issueOnceAccepted(
  context: RefreshContext,
  input: RefreshInput,
  accept: (key: string) => Promise<boolean>,
): Promise<IssuedFamily | null> {
  const prepared = prepareFamily(context, input)
  return (await accept(prepared.first.key)) ? storeFamily(context, prepared) : null
}

/** A family that is not stored yet. */
interface PreparedFamily {
  readonly first: RefreshSecret
  readonly subject: string
  readonly value: FamilyValue
}

function prepareFamily(context: RefreshContext, input: RefreshInput): PreparedFamily {
  const { subject } = input
  if (!subject) throw new TypeError('"subject" must not be empty')
  const first = createRefreshSecret()
  return { first, subject, value: createFamilyValue(context, first, input) }
}

async function storeFamily(context: RefreshContext, { first, subject, value }: PreparedFamily): Promise<IssuedFamily> {
  const expiresAt = Math.min(value.createdAt + context.ttlMs, value.endsAt)
  const record = { key: first.key, owner: subject, expiresAt, value: familyShape.format(value, context.writes()) }
  if (!(await context.records.insert(record))) {
    throw new StoreError('STORE_UNAVAILABLE', 'the store refused a fresh key')
  }
  const { device, clientId } = value
  context.emit({ type: 'family.created', sessionKey: first.key, accountId: subject, address: device.address, clientId })
  return { token: formatRefreshToken(first), family: toFamily(record, value) }
}

function createFamilyValue(
  { now, familyMs }: RefreshContext,
  first: RefreshSecret,
  { epoch = 0, clientId, channel = 'cookie', factors, device, enrollmentSince = null, ...given }: RefreshInput,
): FamilyValue {
  const createdAt = now()
  const { session = null, givenIn = session, resources = [], authenticatedAt = null, impersonation = null } = given
  const { endsAt = Number.POSITIVE_INFINITY, provider, ...grant } = given
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
    ...impersonationMember(impersonation),
    ...providerMember(provider),
    ...(session === null ? {} : { session }),
    ...(givenIn === session || givenIn === null ? {} : { givenIn }),
    ...(resources.length === 0 ? {} : { resources: [...resources] }),
    ...(authenticatedAt === null ? {} : { authenticatedAt }),
    createdAt,
    lastUsedAt: createdAt,
    endsAt: Math.min(createdAt + familyMs, endsAt),
  }
}
