import type { DocumentStore, EnrolledFactor, EnrolledPasskey, FactorProof, FactorVerdict } from '@latchkey/store'

// What accounts needs of second factors, as structure: the objects of @latchkey/totp and @latchkey/passkeys fit, and so does
// what an application brings of its own.

/** The kinds of factors that can follow a first factor. A passkey that verifies its user is a first factor as well. */
export type SecondFactorKind = 'totp' | 'recovery-code' | 'passkey'

/**
 * Codes of an authenticator app, from `createTotp` of `@latchkey/totp`. An enrolment that was started with a `binding`
 * is finished with the same `binding`. The single winner calls `beforeActivation` after the proof was checked and
 * before the factor counts: if it returns `false` or rejects, the factor is not activated.
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
  /** Returns the confirmed authenticator app, or `null`. */
  find(
    accountId: string,
    /** `readDocument` reads it in place of the store: from documents that were listed before. */
    options?: { readonly readDocument?: DocumentStore['get'] },
  ): Promise<(EnrolledFactor & { readonly isDisabled: boolean }) | null>
  /** `true` for exactly one caller. It also removes an unconfirmed enrolment. */
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
 * Passkeys, from `createPasskeys` of `@latchkey/passkeys`, with `binding` and `beforeActivation` as in `TotpFactor`.
 * The `options` of a ceremony are JSON for `navigator.credentials`. A rejection with an `accountId` was signed by a
 * passkey of that account whose counter went back, so a copy of it may exist.
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
