import type { FactorProof } from '@latchkey/store'
import type { StoredAccount } from '../store/account-store.ts'

/** How old a proof may be at most that lets who is signed in change how the account is signed in to, in milliseconds. */
export const freshMs = 300_000

/** Clocks of several processes differ: a proof from further in the future does not count. */
const clockToleranceMs = 60_000

const secondKinds: ReadonlySet<string> = new Set(['totp', 'passkey'])
const recoveryKind = 'recovery-code'

/**
 * Returns whether who is signed in has shown a factor lately: a second one where the account has any, else whichever signs in to it. A
 * recovery code stands in for a factor that was lost, and lets no other one be added.
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
