import type { EnrolledPasskey } from '@latchkey/store'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { PasskeyVerdict, RegistrationVerdict } from './verdicts.ts'

/** Passkeys of accounts. A refusal is a verdict with its reason; a store that fails makes a method reject. */
export interface Passkeys {
  /** Returns what the browser needs to make a passkey, which is none of those that the account has. */
  startRegistration(
    /** The account that the passkey is made for, as authenticators show it. */
    account: {
      readonly id: string
      /** What accounts are distinguished by in the list of an authenticator: an address or a user name. */
      readonly name: string
      readonly displayName: string
    },
    options?: {
      /**
       * The key of the session in which it is begun, and in which it must end.
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
   * Registers the passkey of a response, for exactly one caller for each challenge. A challenge that was looked up is used
   * up, whatever comes of it.
   *
   * @param response what the browser answered: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishRegistration(
    accountId: string,
    response: unknown,
    options: {
      /** What the owner calls the passkey: 1 to 64 characters. */
      readonly name: string
      /** The challenge of `startRegistration`; omitted: the one that was signed is looked up. */
      readonly challenge?: string
      /**
       * That of `startRegistration`.
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
  /** Returns what the browser needs to sign in, by any passkey or by those of one account. */
  startSignIn(options?: {
    /**
     * The account that is known already, for a second factor or a step-up; `null`: that of the passkey, without a user name.
     * @default null
     */
    readonly accountId?: string | null
    /**
     * What a visitor typed who has not proven anything, beside the `accountId` that it belongs to, if any: where there are no
     * passkeys, a decoy is asked for, so that the options do not show which accounts exist. Pass it in one spelling.
     * @default null
     */
    readonly accountName?: string | null
    /**
     * The key of the session, or of the sign-in, in which it is begun, and in which it must end.
     * @default null
     */
    readonly binding?: string | null
  }): Promise<{
    readonly challenge: string
    /** For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. */
    readonly options: PublicKeyCredentialRequestOptionsJSON
  }>
  /**
   * Returns whose passkey has signed, to exactly one caller for each challenge. Whether the account may sign in, and
   * what it gets, is up to the caller.
   *
   * @param response what the browser answered: `PublicKeyCredential.toJSON()`, or its text.
   */
  finishSignIn(
    response: unknown,
    options?: {
      /** The challenge of `startSignIn`; omitted: the one that was signed is looked up. */
      readonly challenge?: string
      /**
       * That of `startSignIn`.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<PasskeyVerdict>
  /** Returns the passkeys of an account that can be read, the oldest first. Those of a newer release reject. */
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
   * What `https://<id>/.well-known/webauthn` answers as `application/json`; `null`: no page on another domain may use the
   * passkeys, so that there is nothing to answer.
   */
  readonly relatedOrigins: { readonly origins: readonly string[] } | null
}
