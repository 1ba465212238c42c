import type { SecretKey, SecretKeys } from '@latchkey/bytes'
import type { FamilyValue, PreviousSecret } from './refresh-family.ts'
import { deriveSuccessor, type RefreshSecret } from './refresh-secret.ts'
import { isHashOf } from './secret-hash.ts'

export interface RefreshAsked {
  readonly clientId: string
  readonly channel: string
}

/** What a token means for its family. */
export type RefreshJudgement =
  | { readonly step: 'refuse'; readonly reason: 'unknown' | 'client' | 'channel' }
  | { readonly step: 'rotate' }
  | { readonly step: 'replay'; readonly successor: RefreshSecret }
  | { readonly step: 'end' }

export interface RefreshLimits {
  readonly secrets: SecretKeys
  readonly graceMs: number
  readonly now: number
}

/**
 * Judges a token by the family's record, and changes nothing. The lineage comes first: without it a token is a guess
 * at a public key, and a guess must not end anybody's session. With it, whatever is neither the newest token nor the
 * one before it within the window is a copy.
 */
export function judge(
  shown: RefreshSecret,
  value: FamilyValue,
  asked: RefreshAsked,
  limits: RefreshLimits,
): RefreshJudgement {
  if (!isHashOf(value.lineageHash, shown.lineage)) return { step: 'refuse', reason: 'unknown' }
  if (isHashOf(value.secretHash, shown.secret)) return judgeBinding(value, asked) ?? { step: 'rotate' }
  const successor = judgeBinding(value, asked) ? null : repeat(shown, value, limits)
  return successor ? { step: 'replay', successor } : { step: 'end' }
}

function judgeBinding(value: FamilyValue, asked: RefreshAsked): RefreshJudgement | null {
  if (value.clientId !== asked.clientId) return { step: 'refuse', reason: 'client' }
  return value.channel === asked.channel ? null : { step: 'refuse', reason: 'channel' }
}

/** The newest token again, for whoever lost the answer, or `null` when the window is closed. */
function repeat(
  shown: RefreshSecret,
  value: FamilyValue,
  { secrets, graceMs, now }: RefreshLimits,
): RefreshSecret | null {
  const { previous } = value
  if (!previous || !isHashOf(previous.secretHash, shown.secret)) return null
  const serverKey = keyOf(secrets, previous)
  if (now - previous.rotatedAt >= graceMs || !serverKey) return null
  const successor = deriveSuccessor(shown, { serverKey, next: value.generation, salt: previous.salt })
  return isHashOf(value.secretHash, successor.secret) ? successor : null
}

function keyOf(secrets: SecretKeys, { keyId }: PreviousSecret): SecretKey | undefined {
  return secrets.find(({ id }) => id === keyId)
}

/** Whether a token is the newest of its family or the one before it, however long ago that was replaced. */
export function belongs(shown: RefreshSecret, value: FamilyValue): boolean {
  if (!isHashOf(value.lineageHash, shown.lineage)) return false
  const isPrevious = value.previous !== null && isHashOf(value.previous.secretHash, shown.secret)
  return isPrevious || isHashOf(value.secretHash, shown.secret)
}
