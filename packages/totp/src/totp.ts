import type { DocumentStore, EnrolledFactor, FactorVerdict } from '@latchkey/store'

/** Codes of an authenticator app (RFC 6238): six digits, thirty seconds, SHA-1. Whatever the store throws passes through. */
export interface Totp {
  /**
   * Begins an enrolment and returns what the app needs, once. A factor that the account has stays in force until the
   * new one is confirmed; another enrolment that was begun ends.
   *
   * @param accountName what the app shows beside the issuer, for example the address of the account.
   */
  enroll(
    accountId: string,
    accountName: string,
    options?: {
      /**
       * What the enrolment belongs to, such as the key of the session that began it: no other can confirm it.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<{
    /** The secret in base32, for those who type it. */
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
       * That of `enroll`.
       * @default null
       */
      readonly binding?: string | null
      /**
       * Called by the one winner, after its code was checked and before the factor is in force: to write down that the account
       * has a factor. When it returns `false` or rejects, nothing is activated, and the enrolment begins anew.
       */
      readonly beforeActivation?: () => Promise<boolean>
    },
  ): Promise<FactorVerdict>
  /** Returns whether a code is right. Each is accepted once, by exactly one call, and none that is older than it. */
  verify(accountId: string, code: string): Promise<FactorVerdict>
  /**
   * Puts the secret of an app that was enrolled with another system into force, so that the app goes on: true for exactly one
   * call, `false` when the account has a factor. The bytes are those of HMAC, 16 to 64 of them: what `secret` of the
   * `otpauth:` link says in base32. That system must have used six digits, thirty seconds and SHA-1. Then write down that the
   * account has a factor, before its password signs anyone in.
   */
  importSecret(accountId: string, secret: Uint8Array): Promise<boolean>
  /**
   * Returns the factor that is in force, or `null`. `isDisabled`: too many wrong codes in a row have disabled it.
   *
   * @param options `readDocument` reads it in place of the store: from documents that were listed before.
   */
  find(
    accountId: string,
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly kind: 'totp'; readonly isDisabled: boolean }) | null>
  /** Removes the factor and ends an enrolment: true for exactly one caller, false when there is no factor. */
  remove(accountId: string): Promise<boolean>
}
