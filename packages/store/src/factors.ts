/**
 * The kind of evidence: knowledge, possession or a biometric trait. Two factors of the same category do not count as
 * two.
 */
export type FactorCategory = 'know' | 'have' | 'know+have' | 'are+have'

/** A factor that was proven, and when. */
export interface FactorProof {
  /** `password`, `totp`, `passkey`, … */
  readonly kind: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Omitted: proven before proofs had a category. */
  readonly category?: FactorCategory
}

/** Whether a code was accepted. A session keeps `proof`. */
export type FactorVerdict =
  | { readonly ok: true; readonly proof: FactorProof }
  | {
      readonly ok: false
      /**
       * - `wrong`: it is no code of this account, or no code at all.
       * - `used`: it was accepted before. It counts as wrong.
       * - `overtaken`: another call with this code, or a later one, was accepted meanwhile. It does not count as wrong.
       * - `disabled`: too many codes in a row were wrong. The factor is enabled again when it is enrolled anew.
       * - `not-enrolled`: the account has no such factor, or no enrolment that this call could confirm.
       */
      readonly reason: 'wrong' | 'used' | 'overtaken' | 'disabled' | 'not-enrolled'
      /** `true` for exactly the refusal that has disabled the factor: tell its owner. */
      readonly disabled?: boolean
    }

/** A factor of an account, as its owner may see it. */
export interface EnrolledFactor {
  readonly kind: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null`: never. */
  readonly lastUsedAt: number | null
}

/** A passkey of an account, as its owner may see it. */
export interface EnrolledPasskey extends EnrolledFactor {
  /** base64url of SHA-256 of the credential id. */
  readonly id: string
  /** The owner's name for it. */
  readonly name: string
  /** Whether a copy of it was kept elsewhere when it was last used, so that it survives the loss of the device. */
  readonly backedUp: boolean
  /** The evidence of its last use: `know+have` with user verification, which may be a PIN, and `have` without. */
  readonly category: FactorCategory
}
