import type { DocumentStore, EnrolledFactor, EnrolledPasskey, FactorProof, FactorVerdict } from '@latchkey/store'

// What accounts needs of second factors, as structure: the objects of @latchkey/totp and @latchkey/passkeys fit, and so does
// what an application brings of its own.

/** What can be shown beside a first factor. A passkey that verifies its user is a first factor as well. */
export type SecondFactorKind = 'totp' | 'recovery-code' | 'passkey'

/**
 * Codes of an authenticator app, as `createTotp` of `@latchkey/totp` makes them. What was started with a `binding` is finished with
 * the same one. The single winner calls `beforeActivation` when the proof was checked, before the factor counts: `false` or a
 * rejection activates nothing.
 */
export interface TotpFactor {
  enroll(
    accountId: string,
    accountName: string,
    options?: { readonly binding?: string | null },
  ): Promise<{ readonly secret: string; readonly otpauthUri: string; readonly qrCodeSvg: string }>
  confirm(
    accountId: string,
    code: string,
    options?: { readonly binding?: string | null; readonly beforeActivation?: () => Promise<boolean> },
  ): Promise<FactorVerdict>
  verify(accountId: string, code: string): Promise<FactorVerdict>
  /** Returns the one in force, or `null`. */
  find(
    accountId: string,
    /** `readDocument` reads it in place of the store: from documents that were listed before. */
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly isDisabled: boolean }) | null>
  /** `true` for exactly one caller. It ends an enrolment that was not confirmed, too. */
  remove(accountId: string): Promise<boolean>
}

/** Recovery codes, as `createRecoveryCodes` of `@latchkey/totp` makes them. */
export interface RecoveryCodesFactor {
  /** Replaces the set. The codes are readable this once. */
  generate(accountId: string): Promise<readonly string[]>
  /** Each code has exactly one winner. */
  verify(accountId: string, code: string): Promise<FactorVerdict & { readonly remaining?: number }>
  find(
    accountId: string,
    /** `readDocument` reads it in place of the store: from documents that were listed before. */
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly remaining: number }) | null>
  remove(accountId: string): Promise<boolean>
}

/**
 * Passkeys, as `createPasskeys` of `@latchkey/passkeys` makes them, with `binding` and `beforeActivation` as those of `TotpFactor`.
 * The `options` of a ceremony are for `navigator.credentials`, as JSON. A rejection with an `accountId` was signed by a passkey of
 * that account whose counter went back, so there may be a copy of it.
 */
export interface PasskeysFactor {
  startRegistration(
    account: { readonly id: string; readonly name: string; readonly displayName: string },
    options?: { readonly binding?: string | null },
  ): Promise<{ readonly challenge: string; readonly options: object }>
  finishRegistration(
    accountId: string,
    response: unknown,
    options: {
      readonly binding?: string | null
      readonly beforeActivation?: () => Promise<boolean>
      readonly name: string
      readonly challenge?: string
    },
  ): Promise<
    | { readonly ok: true; readonly passkey: EnrolledPasskey; readonly proof: FactorProof }
    | { readonly ok: false; readonly reason: string; readonly accountId?: string }
  >
  startSignIn(options?: {
    readonly binding?: string | null
    readonly accountId?: string | null
  }): Promise<{ readonly challenge: string; readonly options: object }>
  finishSignIn(
    response: unknown,
    options?: { readonly binding?: string | null; readonly challenge?: string },
  ): Promise<
    | {
        readonly ok: true
        readonly accountId: string
        readonly passkey: EnrolledPasskey
        readonly proof: FactorProof
      }
    | { readonly ok: false; readonly reason: string; readonly accountId?: string }
  >
  list(accountId: string): Promise<readonly EnrolledPasskey[]>
  /** Changes the name of a passkey of the account and of no other. */
  rename(
    accountId: string,
    id: string,
    name: string,
  ): Promise<
    | { readonly ok: true; readonly passkey: EnrolledPasskey }
    | { readonly ok: false; readonly reason: string; readonly accountId?: string }
  >
  /** Removes a passkey of the account and of no other: `true` for exactly one caller. */
  remove(accountId: string, id: string): Promise<boolean>
}
