import type { DocumentStore, EnrolledFactor, EnrolledPasskey, FactorProof, FactorVerdict } from '@latchkey/store'

// What accounts needs of second factors, as structure: the objects of @latchkey/totp and @latchkey/passkeys fit, and so does
// what an application brings of its own.

/** What can be shown beside a first factor. A passkey that verifies its user is a first factor as well. */
export type SecondFactorKind = 'totp' | 'recovery-code' | 'passkey'

/** Called by the single winner after the proof was checked and before the factor counts. `false` or a rejection activates nothing. */
export type BeforeActivation = () => Promise<boolean>

/** The ceremony that something belongs to: another one at the end is refused and changes nothing. */
export interface CeremonyOptions {
  readonly binding?: string | null
}

/** A ceremony that activates a factor. */
export interface ActivationOptions extends CeremonyOptions {
  readonly beforeActivation?: BeforeActivation
}

/** What an authenticator app needs, readable this once. */
export interface TotpSecret {
  readonly secret: string
  readonly otpauthUri: string
  readonly qrCodeSvg: string
}

/** Codes of an authenticator app, as `createTotp` of `@latchkey/totp` makes them. */
export interface TotpFactor {
  enroll(accountId: string, accountName: string, options?: CeremonyOptions): Promise<TotpSecret>
  confirm(accountId: string, code: string, options?: ActivationOptions): Promise<FactorVerdict>
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

/** What a browser is asked to do with `navigator.credentials`, as JSON. */
export interface PasskeyCeremony {
  readonly challenge: string
  readonly options: object
}

/** Why the response of an authenticator was not accepted; the words are those of the part. */
export interface PasskeyRefusal {
  readonly ok: false
  readonly reason: string
  /** Whose passkey has signed it, where that was proven: its counter went back, so there may be a copy of it. */
  readonly accountId?: string
}

/** Passkeys, as `createPasskeys` of `@latchkey/passkeys` makes them. */
export interface PasskeysFactor {
  startRegistration(
    account: { readonly id: string; readonly name: string; readonly displayName: string },
    options?: CeremonyOptions,
  ): Promise<PasskeyCeremony>
  finishRegistration(
    accountId: string,
    response: unknown,
    options: ActivationOptions & { readonly name: string; readonly challenge?: string },
  ): Promise<{ readonly ok: true; readonly passkey: EnrolledPasskey; readonly proof: FactorProof } | PasskeyRefusal>
  startSignIn(options?: CeremonyOptions & { readonly accountId?: string | null }): Promise<PasskeyCeremony>
  finishSignIn(
    response: unknown,
    options?: CeremonyOptions & { readonly challenge?: string },
  ): Promise<
    | {
        readonly ok: true
        readonly accountId: string
        readonly passkey: EnrolledPasskey
        readonly proof: FactorProof
      }
    | PasskeyRefusal
  >
  list(accountId: string): Promise<readonly EnrolledPasskey[]>
  /** Changes the name of a passkey of the account and of no other. */
  rename(
    accountId: string,
    id: string,
    name: string,
  ): Promise<{ readonly ok: true; readonly passkey: EnrolledPasskey } | PasskeyRefusal>
  /** Removes a passkey of the account and of no other: `true` for exactly one caller. */
  remove(accountId: string, id: string): Promise<boolean>
}
