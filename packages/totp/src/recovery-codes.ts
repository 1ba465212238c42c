import type { DocumentStore, EnrolledFactor, FactorProof } from '@latchkey/store'

/** Codes on paper for a lost app. Errors of the store pass through. */
export interface RecoveryCodes {
  /** Returns a new set, once, as `7k2m-9q4x-0c3v-tn5d`. It replaces the one before. */
  generate(accountId: string): Promise<readonly string[]>
  /**
   * Returns whether a code is right, in any case, with digits of any script, spaces and dashes. Each is accepted once, by
   * exactly one call.
   */
  verify(
    accountId: string,
    code: string,
  ): Promise<
    | {
        readonly ok: true
        readonly proof: FactorProof
        /** How many codes were not used. */
        readonly remaining: number
      }
    | {
        readonly ok: false
        /** As of an authenticator app, but that wrong codes disable no set: they have 80 random bits. */
        readonly reason: 'wrong' | 'used' | 'overtaken' | 'not-enrolled'
      }
  >
  /**
   * Returns how many codes remain, or `null` when the account has no set.
   *
   * @param options `readDocument` reads it in place of the store: from documents that were listed before.
   */
  find(
    accountId: string,
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly kind: 'recovery-code'; readonly remaining: number }) | null>
  /** Removes the set. Returns true to exactly one caller, false if there was no set. */
  remove(accountId: string): Promise<boolean>
}
