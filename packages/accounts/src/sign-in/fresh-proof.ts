import type { FactorProof } from '@latchkey/store'
import type { StoredAccount } from '../store/account-store.ts'

/** How old a proof may be at most that lets who is signed in change how the account is signed in to, in milliseconds. */
export const freshMs = 300_000

/** Clocks of several processes differ: a proof from further in the future does not count. */
const clockToleranceMs = 60_000

const secondKinds: ReadonlySet<string> = new Set(['totp', 'passkey'])
const recoveryKind = 'recovery-code'

/**
 * Returns whether the signed-in user has presented a factor lately: a second factor if the account has any, else any
 * first factor. A recovery code replaces a lost factor, and does not allow adding another.
 */
export function hasFreshProof(
  { enrolled }: Pick<StoredAccount, 'enrolled'>,
  factors: readonly FactorProof[],
  now: number,
): boolean {
  const hasSecond = enrolled.some((kind) => kind !== recoveryKind)
  return factors.some(
    ({ kind, at }) =>
      kind !== recoveryKind &&
      (secondKinds.has(kind) || !hasSecond) &&
      now - at <= freshMs &&
      at - now <= clockToleranceMs,
  )
}
