import type { EnrolledPasskey } from '@latchkey/store'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { PasskeyVerdict, RegistrationVerdict } from './verdicts.ts'

/** Passkeys of accounts. A refusal is a verdict with its reason; a store that fails makes a method reject. */
export interface Passkeys {
  /** Returns the options from which the browser makes a passkey. They exclude the passkeys of the account. */
  startRegistration(
    /** The account that the passkey is made for, as authenticators show it. */
    account: {
      readonly id: string
      /** The name that distinguishes accounts in the list of an authenticator: an address or a user name. */
      readonly name: string
      readonly displayName: string
    },
    options?: {
      /**
       * The key of the session that starts the registration; the same session must finish it.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<{
    readonly challenge: string
    /** For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`. */
    readonly options: PublicKeyCredentialCreationOptionsJSON
  }>
  /**
   * Registers the passkey of a response, for exactly one caller for each challenge. The call uses up its challenge,
   * even if the response is refused.
   *
   * @param response the browser's response: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishRegistration(
    accountId: string,
    response: unknown,
    options: {
      /** The owner's name for the passkey: 1 to 64 characters. */
      readonly name: string
      /** The challenge of `startRegistration`; omitted: the one that was signed is looked up. */
      readonly challenge?: string
      /**
       * The `binding` of `startRegistration`.
       * @default null
       */
      readonly binding?: string | null
      /**
       * Called by the single winner after everything was checked, and before the passkey counts. With `false`, or when it
       * rejects, none is registered.
       */
      readonly beforeActivation?: () => Promise<boolean>
    },
  ): Promise<RegistrationVerdict>
  /** Returns the options from which the browser signs in, by any passkey or by the passkeys of one account. */
  startSignIn(options?: {
    /**
     * The known account, for a second factor or a step-up; `null`: the account of the passkey, without a user name.
     * @default null
     */
    readonly accountId?: string | null
    /**
     * The name that an unverified visitor typed, with its `accountId` if the account exists. If there are no passkeys,
     * the options contain a decoy, so that they do not reveal which accounts exist. Pass it in one spelling.
     * @default null
     */
    readonly accountName?: string | null
    /**
     * The key of the session, or of the sign-in, that starts the ceremony; the same session must finish it.
     * @default null
     */
    readonly binding?: string | null
  }): Promise<{
    readonly challenge: string
    /** For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. */
    readonly options: PublicKeyCredentialRequestOptionsJSON
  }>
  /**
   * Returns the account whose passkey has signed, to exactly one caller for each challenge. The caller decides whether
   * the account may sign in.
   *
   * @param response the browser's response: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishSignIn(
    response: unknown,
    options?: {
      /** The challenge of `startSignIn`; omitted: the one that was signed is looked up. */
      readonly challenge?: string
      /**
       * The `binding` of `startSignIn`.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<PasskeyVerdict>
  /**
   * Returns the readable passkeys of an account, the oldest first. Rejects if a newer release has written one of them.
   */
  list(accountId: string): Promise<readonly EnrolledPasskey[]>
  /** Removes a passkey of the account: true for exactly one caller. Browsers keep offering it until their owner deletes it. */
  remove(accountId: string, id: string): Promise<boolean>
  /** Changes the name of a passkey of the account. */
  rename(
    accountId: string,
    id: string,
    name: string,
  ): Promise<
    | { readonly ok: true; readonly passkey: EnrolledPasskey }
    | { readonly ok: false; readonly reason: 'name' | 'unknown-passkey' }
  >
  /**
   * The document for `https://<id>/.well-known/webauthn`, as `application/json`; `null` if no other domain may use the
   * passkeys.
   */
  readonly relatedOrigins: { readonly origins: readonly string[] } | null
}
