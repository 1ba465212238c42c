import { StoreError } from '@latchkey/store'
import { boundDevice } from '../device.ts'
import { impersonationMember } from '../impersonation.ts'
import { providerMember } from '../provider-session.ts'
import { enrollmentMember } from '../stored-enrollment.ts'
import { readGrant } from './client-binding.ts'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, familyShape, toFamily } from './refresh-family.ts'
import { createRefreshSecret, formatRefreshToken, hashSecret, type RefreshSecret } from './refresh-secret.ts'
import type { IssuedFamily, RefreshTokens } from './refresh-tokens.ts'

interface FamilyInput extends Input {
  /** Omitted for the first family of a lineage. */
  readonly lineage?: string
}

type Input = Parameters<RefreshTokens['issue']>[0]

export async function issueRefreshToken(context: RefreshContext, input: FamilyInput): Promise<IssuedFamily> {
  return storeFamily(context, prepareFamily(context, input))
}

/**
 * Stores a family if `accept` has stored its key before: a reader of that key finds the family as soon as it exists.
 */
export async function issueOnceAccepted(
  context: RefreshContext,
  input: Input,
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

function prepareFamily(context: RefreshContext, input: FamilyInput): PreparedFamily {
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
  { epoch = 0, clientId, channel = 'cookie', factors, device, enrollmentSince = null, ...given }: FamilyInput,
): FamilyValue {
  const createdAt = now()
  const { session = null, givenIn = session, resources = [], authenticatedAt = null, impersonation = null } = given
  const { endsAt = Number.POSITIVE_INFINITY, provider, lineage, ...grant } = given
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
    ...(lineage === undefined ? {} : { lineage }),
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
