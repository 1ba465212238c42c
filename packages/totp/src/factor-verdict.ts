import type { FactorProof } from '@latchkey/store'

/**
 * Why a code was refused:
 *
 * - `wrong`: it is no code of this account, or no code at all.
 * - `used`: it was accepted before. It counts as wrong.
 * - `overtaken`: another call with this code, or a later one, was accepted meanwhile. It does not count as wrong.
 * - `disabled`: too many codes in a row were wrong. The factor is enabled again when it is enrolled anew.
 * - `not-enrolled`: the account has no such factor, or no enrolment that this call could confirm.
 */
export type FactorRefusal = 'wrong' | 'used' | 'overtaken' | 'disabled' | 'not-enrolled'

/** Whether a code was accepted. `proof` is what a session keeps of it. */
export type FactorVerdict =
  | { readonly ok: true; readonly proof: FactorProof }
  | {
      readonly ok: false
      readonly reason: FactorRefusal
      /** `true` for exactly the refusal that has disabled the factor: tell its owner. */
      readonly disabled?: true
    }

/** Returns the verdict on a code that does not count as wrong. */
export function refuse(reason: FactorRefusal): FactorVerdict {
  return { ok: false, reason }
}
