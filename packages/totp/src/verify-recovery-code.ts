import { equalBytes } from '@latchkey/bytes'
import type { Collection } from '@latchkey/store/internal'
import type { RecoveryCodeMacs } from './recovery-code-macs.ts'
import { readRecoveryCode } from './recovery-code-text.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import { refuse } from './refuse.ts'

/** The recovery codes of an account, as they are stored: as MACs. */
export interface RecoveryCodeSet {
  /** Of the key of the MACs. */
  readonly keyId: string
  readonly unused: readonly string[]
  readonly used: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** The `kind` of this factor in proofs. */
export const recoveryCodeKind = 'recovery-code'

interface RecoveryCodesContext {
  /** By account. */
  readonly sets: Collection<RecoveryCodeSet>
  readonly macs: RecoveryCodeMacs
  readonly now: () => number
}

type Reason = 'wrong' | 'used' | 'overtaken' | 'not-enrolled'

/** Accepts a code for exactly one caller, in one swap of the set. */
export async function verifyRecoveryCode(
  { sets, macs, now }: RecoveryCodesContext,
  accountId: string,
  code: string,
): ReturnType<RecoveryCodes['verify']> {
  const given = readRecoveryCode(code)
  const at = now()
  const seen: { reason: Reason; wasUnused: boolean } = { reason: 'not-enrolled', wasUnused: false }
  const swapped = await sets.update(accountId, ({ value }) => {
    const mac = given && macs.macOf(value.keyId, accountId, given)
    const isUnused = mac !== null && isAmong(value.unused, mac)
    const isUsed = mac !== null && isAmong(value.used, mac)
    if (!isUnused) {
      seen.reason = !isUsed ? 'wrong' : seen.wasUnused ? 'overtaken' : 'used'
      return null
    }
    seen.wasUnused = true
    const unused = value.unused.filter((one) => one !== mac)
    return { ...value, unused, used: [...value.used, mac], lastUsedAt: at }
  })
  if (!swapped) return refuse(seen.reason)
  const proof = { kind: recoveryCodeKind, at, category: 'have' } as const
  return { ok: true, proof, remaining: swapped.value.unused.length }
}

const encoder = new TextEncoder()

/** Compares with each of them, in constant time. */
function isAmong(macs: readonly string[], mac: string): boolean {
  const bytes = encoder.encode(mac)
  return macs.filter((one) => equalBytes(encoder.encode(one), bytes)).length > 0
}
