import { equalBytes } from '@latchkey/bytes'
import type { FactorProof } from '@latchkey/store'
import type { FactorRefusal } from './factor-verdict.ts'
import type { RecoveryCodeMacs } from './recovery-code-macs.ts'
import { readRecoveryCode } from './recovery-code-text.ts'
import type { ReadFactor, StoredFactors } from './stored-factors.ts'
import { untilDecided } from './until-decided.ts'

/** Whether a recovery code was accepted, and how many remain then. */
export type RecoveryCodeVerdict =
  | { readonly ok: true; readonly proof: FactorProof; readonly remaining: number }
  | { readonly ok: false; readonly reason: Exclude<FactorRefusal, 'disabled'> }

/** The recovery codes of an account, as they are stored: as MACs. */
export interface RecoveryCodeSet {
  /** Of the key of the MACs. */
  readonly keyId: string
  readonly unused: readonly string[]
  readonly used: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** What the proofs call this factor. */
export const recoveryCodeKind = 'recovery-code'

interface RecoveryCodesContext {
  readonly sets: StoredFactors<RecoveryCodeSet>
  readonly macs: RecoveryCodeMacs
  readonly now: () => number
}

/** Each lost race is another code of the set that was accepted, or another set: there are at most 50 codes in one. */
const mostAttempts = 64

export async function verifyRecoveryCode(
  context: RecoveryCodesContext,
  accountId: string,
  code: string,
): Promise<RecoveryCodeVerdict> {
  const given = readRecoveryCode(code)
  const verdict = await untilDecided<RecoveryCodeVerdict>(mostAttempts, async (attempt) => {
    const current = await context.sets.read(accountId)
    if (!current) return { ok: false, reason: 'not-enrolled' }
    if (!given) return { ok: false, reason: 'wrong' }
    const { keyId, unused, used } = current.value
    const mac = context.macs.macOf(keyId, accountId, given)
    const [isUnused, isUsed] = [isAmong(unused, mac), isAmong(used, mac)]
    if (isUnused) return accept(context, accountId, current, mac)
    if (!isUsed) return { ok: false, reason: 'wrong' }
    return { ok: false, reason: attempt === 0 ? 'used' : 'overtaken' }
  })
  return verdict ?? { ok: false, reason: 'overtaken' }
}

/** Accepts the code for exactly one caller; `null` when the set has changed since it was read. */
async function accept(
  { sets, now }: RecoveryCodesContext,
  accountId: string,
  current: ReadFactor<RecoveryCodeSet>,
  mac: string,
): Promise<RecoveryCodeVerdict | null> {
  const at = now()
  const unused = current.value.unused.filter((one) => one !== mac)
  const next = { ...current.value, unused, used: [...current.value.used, mac], lastUsedAt: at }
  if (!(await sets.replace(accountId, current, next))) return null
  return { ok: true, proof: { kind: recoveryCodeKind, at, category: 'have' }, remaining: unused.length }
}

const encoder = new TextEncoder()

/** Compares with each of them, in constant time. */
function isAmong(macs: readonly string[], mac: string): boolean {
  const bytes = encoder.encode(mac)
  return macs.filter((one) => equalBytes(encoder.encode(one), bytes)).length > 0
}
