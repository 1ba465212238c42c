import { encodeBase64url, randomBytes } from '@latchkey/bytes'
import type { Stored } from '@latchkey/store/internal'
import { retrySwap } from './change-family.ts'
import { type FoundFamily, findFamily } from './find-family.ts'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, familyShape, type RefreshFamily, toFamily } from './refresh-family.ts'
import {
  deriveSuccessor,
  formatRefreshToken,
  hashSecret,
  hashText,
  isHashOf,
  isHashOfText,
  parseRefreshToken,
  type RefreshSecret,
} from './refresh-secret.ts'
import type { RefreshTokens, RefreshVerdict } from './refresh-tokens.ts'

type Presenter = Parameters<RefreshTokens['redeem']>[1]

export async function redeemRefreshToken(
  context: RefreshContext,
  token: string | null,
  presenter: Presenter,
): Promise<RefreshVerdict> {
  const presented = parseRefreshToken(token)
  if (!presented) return refuse('unknown')
  return retrySwap(() => redeemOnce(context, presented, presenter))
}

/** Returns the verdict, or `null` when another caller changed the family between the read and the swap. */
async function redeemOnce(
  context: RefreshContext,
  presented: RefreshSecret,
  presenter: Presenter,
): Promise<RefreshVerdict | null> {
  // 1. No family, or another lineage: a guess at a public key, which changes nothing.
  const found = await findFamily(context, presented.key, presenter)
  if (!found || !isHashOf(found.value.lineageHash, presented.lineage)) return refuse('unknown')
  // Who acts as another account has one access token, and nothing to renew it by.
  if (found.value.impersonation !== undefined) return refuse('unknown')
  const mismatch = bindingMismatch(found.value, presenter)
  // Who is not the client, or does not hold its key, can use no token of it: that must not end what others were given.
  if (mismatch === 'client' || mismatch === 'key') return refuse(mismatch)
  // 2. The current secret or the previous one, of a family that may give nothing now: it stays as it is.
  const isCurrent = isHashOf(found.value.secretHash, presented.secret)
  if (!mismatch && (isCurrent || isPrevious(presented, found.value)) && !(await isAllowed(presenter, found)))
    return refuse('not-allowed')
  // 3. The current secret: rotate, for the client and channel that it was issued to.
  if (isCurrent) return mismatch ? refuse(mismatch) : rotate(context, presented, found, presenter)
  // 4. The previous secret within the grace window, or the same request again: the same successor, and nothing is written.
  const successor = mismatch ? null : repeatSuccessor(context, presented, found.value, presenter)
  if (successor) return accept(context, successor, toFamily(found.record, found.value), true)
  // 5. Any other secret of this lineage is a copy of an old token: end the family.
  return endReused(context, toFamily(found.record, found.value))
}

function bindingMismatch(
  family: FamilyValue,
  { clientId, channel = 'cookie', keyBinding = null }: Presenter,
): 'client' | 'channel' | 'key' | null {
  if (family.clientId !== clientId) return 'client'
  if (family.channel !== channel) return 'channel'
  return family.keyBinding === null || family.keyBinding === keyBinding ? null : 'key'
}

async function isAllowed({ isAllowed: ask }: Presenter, { record, value }: FoundFamily): Promise<boolean> {
  return ask === undefined || ask(toFamily(record, value))
}

/** Whether a token is the one before the newest, however long ago it was replaced. */
export function isPrevious({ secret }: RefreshSecret, { previous }: FamilyValue): boolean {
  return previous !== null && isHashOf(previous.secretHash, secret)
}

async function rotate(
  context: RefreshContext,
  presented: RefreshSecret,
  { record, value }: FoundFamily,
  { idempotencyKey = null }: Presenter,
): Promise<RefreshVerdict | null> {
  const time = context.now()
  const [serverKey] = context.secrets
  const salt = encodeBase64url(randomBytes(32))
  const generation = value.generation + 1
  const successor = deriveSuccessor(presented, { serverKey, generation, salt })
  const next: Stored<FamilyValue> = {
    ...value,
    secretHash: hashSecret(successor.secret),
    generation,
    previous: {
      secretHash: value.secretHash,
      salt,
      keyId: serverKey.id,
      rotatedAt: time,
      ...(idempotencyKey !== null && { attemptHash: hashText(idempotencyKey) }),
    },
    lastUsedAt: time,
  }
  const expiresAt = Math.min(time + context.ttlMs, value.endsAt)
  const text = familyShape.format(next, context.writes())
  if (!(await context.records.replace(record, { value: text, expiresAt }))) return null
  return accept(context, successor, toFamily({ ...record, expiresAt }, next), false)
}

/** Derives the newest token again from the previous one, or returns `null` if it is too late for that. */
export function repeatSuccessor(
  { secrets, graceMs, retryMs, now }: RefreshContext,
  presented: RefreshSecret,
  { previous, secretHash, generation, keyBinding }: FamilyValue,
  { idempotencyKey = null }: Pick<Presenter, 'idempotencyKey'> = {},
): RefreshSecret | null {
  if (!previous || !isHashOf(previous.secretHash, presented.secret)) return null
  const serverKey = secrets.find(({ id }) => id === previous.keyId)
  // Processes estimate the store's clock each for itself: one that is a moment behind must not repeat without a grace.
  const age = Math.max(0, now() - previous.rotatedAt)
  const { attemptHash } = previous
  const isSameRequest =
    attemptHash !== undefined && idempotencyKey !== null && isHashOfText(attemptHash, idempotencyKey)
  // With a key a copy is of no use: its holder may ask until the successor is used, and 0 says never all the same.
  const limitMs = isSameRequest ? Math.max(graceMs, retryMs) : graceMs
  const isOpen = keyBinding === null ? age < limitMs : graceMs > 0
  if (!serverKey || !isOpen) return null
  const successor = deriveSuccessor(presented, { serverKey, generation, salt: previous.salt })
  return isHashOf(secretHash, successor.secret) ? successor : null
}

function accept(
  { emit }: RefreshContext,
  successor: RefreshSecret,
  family: RefreshFamily,
  replayed: boolean,
): RefreshVerdict {
  const { key, subject, clientId } = family
  emit({ type: 'family.refreshed', sessionKey: key, accountId: subject, clientId, replayed })
  return { ok: true, token: formatRefreshToken(successor), family, replayed }
}

/** Of several callers that find out at once, the one that removed the family emits the event. */
async function endReused({ records, emit }: RefreshContext, family: RefreshFamily): Promise<RefreshVerdict> {
  const { key, subject, clientId } = family
  if (!(await records.remove(key))) return { ok: false, reason: 'reused', family: null }
  emit({ type: 'family.reused', sessionKey: key, accountId: subject, clientId })
  return { ok: false, reason: 'reused', family }
}

function refuse(reason: 'unknown' | 'client' | 'channel' | 'key' | 'not-allowed'): RefreshVerdict {
  return { ok: false, reason }
}
