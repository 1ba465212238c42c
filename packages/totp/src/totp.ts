import type { DocumentStore, EnrolledFactor, FactorVerdict } from '@latchkey/store'

/** Codes of an authenticator app (RFC 6238): six digits, thirty seconds, SHA-1. Errors of the store pass through. */
export interface Totp {
  /**
   * Starts an enrolment and returns its secret, once. An active factor of the account stays active until the new factor
   * is confirmed; an earlier enrolment expires.
   *
   * @param accountName the name that the app shows with the issuer, for example the address of the account.
   */
  enroll(
    accountId: string,
    accountName: string,
    options?: {
      /**
       * The owner of the enrolment, for example the key of the session that started it: `confirm` needs the same value.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<{
    /** The secret in base32, for users who type it. */
    readonly secret: string
    /** `otpauth://totp/…`: a link that opens the app on the same device. */
    readonly otpauthUri: string
    /** The link as a QR code: an `<svg>` to put into a page, dark on white in light and dark pages. */
    readonly qrCodeSvg: string
  }>
  /**
   * Puts the enrolment into force when the code is right, in place of a factor that the account had; exactly one call
   * does. Five wrong codes end the enrolment.
   */
  confirm(
    accountId: string,
    code: string,
    options?: {
      /**
       * The `binding` of `enroll`.
       * @default null
       */
      readonly binding?: string | null
      /**
       * Called for the one winner, after its code was checked and before the factor is active, for example to store
       * that the account has a factor. If it returns `false` or rejects, no factor is activated, and the user has to
       * start a new enrolment.
       */
      readonly beforeActivation?: () => Promise<boolean>
    },
  ): Promise<FactorVerdict>
  /** Verifies a code. Each code is accepted once, by exactly one call, and older codes are refused from then on. */
  verify(accountId: string, code: string): Promise<FactorVerdict>
  /**
   * Activates the secret of an app that was enrolled with another system. Returns true to exactly one call, and `false`
   * if the account has a factor. The bytes are the HMAC key, 16 to 64 bytes: `secret` of the `otpauth:` link in base32.
   * The other system must have used six digits, thirty seconds and SHA-1. Afterwards store that the account has a
   * factor, before its password can sign in.
   */
  importSecret(accountId: string, secret: Uint8Array): Promise<boolean>
  /**
   * Returns the active factor, or `null`. `isDisabled`: too many wrong codes in a row have disabled it.
   *
   * @param options `readDocument` replaces the store's `get`, for example with documents that were listed before.
   */
  find(
    accountId: string,
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly kind: 'totp'; readonly isDisabled: boolean }) | null>
  /** Removes the factor and cancels an enrolment. Returns true to exactly one caller, false if there was no factor. */
  remove(accountId: string): Promise<boolean>
}
