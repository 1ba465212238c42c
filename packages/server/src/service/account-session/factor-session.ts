import type { Accounts, ProviderIdentity } from '@latchkey/accounts'
import type { AccountSession } from './account-session.ts'

/**
 * The operations on second factors of one request: they read its credentials and deliver new ones. A change of a factor
 * renews the session of a cookie, which needs a new `csrfToken` then. They throw what the operations of `accounts` throw.
 */
export interface FactorSession {
  /** Answers the challenge of a sign-in or of a step-up with a code. */
  verifySecondFactor(input: {
    readonly challenge: string
    readonly code: string
    readonly delivery: 'SESSION' | 'TOKEN' | 'NATIVE'
    /** The `deviceToken` of an earlier sign-in, for applications outside browsers. */
    readonly deviceToken?: string | null
    /** Trusts the device, if the service has `signIn.trustedDevices`. */
    readonly trustDevice?: boolean
  }): ReturnType<AccountSession['confirmPassword']>
  /** Starts an enrollment, which the same session confirms. */
  startTotpEnrollment(): ReturnType<Accounts['startTotpEnrollment']>
  confirmTotpEnrollment(code: string): ReturnType<Accounts['confirmTotpEnrollment']>
  disableTotp(code: string): ReturnType<Accounts['disableTotp']>
  /** Needs a code, or with `null` a second factor that was presented within the last 300 seconds. */
  regenerateRecoveryCodes(code: string | null): ReturnType<Accounts['regenerateRecoveryCodes']>
  startPasskeyRegistration(): ReturnType<Accounts['startPasskeyRegistration']>
  finishPasskeyRegistration(input: {
    readonly name: string
    readonly response: unknown
  }): ReturnType<Accounts['finishPasskeyRegistration']>
  /**
   * Returns the options of the browser's request, for any passkey or for passkeys that answer a challenge. A cookie
   * recognizes the browser that requested any passkey: no other browser can finish it.
   */
  startPasskeySignIn(challenge: string | null): ReturnType<Accounts['startPasskeySignIn']>
  /** Signs in with a passkey, or answers a challenge with it. */
  finishPasskeySignIn(input: {
    readonly response: unknown
    readonly challenge: string | null
    readonly delivery: 'SESSION' | 'TOKEN' | 'NATIVE'
    /** Trusts the device, if the service has `signIn.trustedDevices`. */
    readonly trustDevice?: boolean
  }): ReturnType<AccountSession['signIn']>
  /** Renames a passkey. `null`: the account has no such passkey. */
  renamePasskey(input: { readonly id: string; readonly name: string }): ReturnType<Accounts['renamePasskey']>
  /** `null`: the account has no such passkey. */
  removePasskey(id: string): ReturnType<Accounts['removePasskey']>
  /** Links the user of a verdict on a callback, which this session has requested for it. */
  linkProvider(verdict: ProviderIdentity): ReturnType<Accounts['linkProvider']>
  /** Removes a link to a provider. `null`: the account has no such link. */
  unlinkProvider(id: string): ReturnType<Accounts['unlinkProvider']>
}
