import type { Device, Session } from '@latchkey/sessions'
import type { EnrolledPasskey } from '@latchkey/store'
import type { Attempt } from '../attempt.ts'
import type { Delivery } from '../delivery.ts'
import type { Rejection } from '../errors.ts'
import type { ProviderIdentity } from './provider-identity.ts'
import type { CredentialChange, SignInResult } from './sign-in-result.ts'
import type { SignedInIdentity } from './signed-in-identity.ts'

/**
 * The factors of an account besides its password: codes by mail, second factors, passkeys, and users of providers. A
 * method whose part is not configured throws `FACTOR_UNAVAILABLE` or `OPERATION_UNAVAILABLE`; the lists are empty
 * instead.
 *
 * A change of a factor or a link revokes all sessions and families but the session or family of the request, whose
 * credential is renewed as in `changePassword`. The owner gets a mail.
 */
export interface AccountFactors {
  /**
   * Sends a sign-in code to the owner of an account, with the option `signIn.emailCode`. Response and work are the same
   * if no account has the address, and the store is not written before the response. A mailbox gets three of these
   * mails within an hour, and three more for devices that have signed in to the account before.
   * @returns the secret `challenge` that the code belongs to. Deliver it in a cookie that scripts cannot read, or with
   * `native` in the body.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. OPERATION_UNAVAILABLE without `signIn.emailCode`.
   */
  requestSignInCode(input: {
    readonly email: string
    /**
     * The delivery of the sign-in.
     * @default 'session'
     */
    readonly delivery?: Delivery
    readonly attempt: Attempt
  }): Promise<{ readonly accepted: true; readonly challenge: string }>
  /**
   * Signs in with the code of a mail in place of the password. Only the browser that requested the code has its
   * `challenge`; without it the right code is rejected. A code works once, allows five attempts, and wrong codes count
   * as wrong passwords of the account. The rejection is the same for an unknown address, a wrong code and a disabled
   * account.
   * @returns the result of `signIn`: an account with a second factor has to present it.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. OPERATION_UNAVAILABLE without `signIn.emailCode`.
   */
  signInWithCode(input: {
    readonly email: string
    /** The digits of the mail. */
    readonly code: string
    /** The `challenge` that `requestSignInCode` returned; `null`: the browser presents none. */
    readonly challenge: string | null
    readonly delivery: Delivery
    readonly device?: Device
    /** @default true */
    readonly persistent?: boolean
    readonly replaces?: Session | null
    readonly attempt: Attempt
  }): Promise<SignInResult>
  /**
   * Answers the challenge of a sign-in or of a step-up with a code of an authenticator app or a recovery code. A
   * sign-in is delivered by `delivery`. A step-up replaces the credential of `identity` with a new credential of the
   * same form, and the old credential is invalid at once.
   * @returns `reason: 'invalid-credentials'` for a wrong or used code, and for a challenge that is older than five
   * minutes, had five attempts, or was answered.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, FACTOR_UNAVAILABLE.
   */
  verifySecondFactor(input: {
    readonly challenge: string
    readonly code: string
    readonly delivery: Delivery
    readonly device?: Device
    /**
     * For `session`: whether the cookie remains when the browser is closed.
     * @default true
     */
    readonly persistent?: boolean
    /** The previous session of the browser. A sign-in with any delivery revokes it. */
    readonly replaces?: Session | null
    /** The signed-in user who answers the challenge of a step-up. The challenge is valid for this session only. */
    readonly identity?: SignedInIdentity | null
    /**
     * `false`: a family whose refresh token travels in the body is not renewed, because a script of a page would get it.
     * @default true
     */
    readonly allowsNative?: boolean
    /**
     * Lets a sign-in by password from this device skip the second factor, for the days of `signIn.trustedDevices`. Only
     * a factor that completes a sign-in counts, and a recovery code does not.
     * @default false
     */
    readonly trustDevice?: boolean
    readonly attempt: Attempt
  }): Promise<Exclude<SignInResult, { readonly status: 'second-factor-required' }>>
  /**
   * Creates a challenge for a signed-in account: `verifySecondFactor` or a passkey answers it within five minutes, from
   * the same session or family.
   * @returns the challenge, and the kinds in `kinds` that the account has. `challenge: null`: the account has none of
   * the kinds.
   */
  startStepUp(input: { readonly identity: SignedInIdentity; readonly kinds: readonly string[] }): Promise<{
    readonly challenge: string | null
    readonly factors: readonly string[]
  }>
  /**
   * Creates the secret of an authenticator app, readable this once. The app works after the same session has confirmed
   * it; until then the current app stays valid.
   * @returns `reason: 'invalid-credentials'` if the account has changed since the request started.
   */
  startTotpEnrollment(input: {
    readonly identity: SignedInIdentity
    readonly attempt: Attempt
  }): Promise<
    | { readonly ok: true; readonly secret: string; readonly otpauthUri: string; readonly qrCodeSvg: string }
    | Rejection<'invalid-credentials'>
  >
  /**
   * Confirms an authenticator app with one of its codes. If it is the first factor of the account, the result holds the
   * recovery codes, readable this once.
   * @returns `reason: 'invalid-credentials'` for a wrong code, or an enrolment of another session. The account is
   * unchanged then.
   */
  confirmTotpEnrollment(input: {
    readonly identity: SignedInIdentity
    readonly code: string
    readonly attempt: Attempt
  }): Promise<
    | (CredentialChange & {
        /**
         * New recovery codes, readable this once; `null`: the account has recovery codes already, or they are not
         * configured.
         */
        readonly codes: readonly string[] | null
      })
    | Rejection<'invalid-credentials'>
  >
  /** Removes the authenticator app, by one of its codes or by a recovery code, which is spent. */
  disableTotp(input: {
    readonly identity: SignedInIdentity
    readonly code: string
    readonly attempt: Attempt
  }): Promise<(CredentialChange & { readonly codes: readonly string[] | null }) | Rejection<'invalid-credentials'>>
  /**
   * Replaces the recovery codes; the old codes are invalid. An account without an authenticator app has no code to
   * present: it needs a passkey that was presented at most 300 seconds ago.
   */
  regenerateRecoveryCodes(input: {
    readonly identity: SignedInIdentity
    readonly code?: string | null
    readonly attempt: Attempt
  }): Promise<(CredentialChange & { readonly codes: readonly string[] | null }) | Rejection<'invalid-credentials'>>
  /** Returns the browser's options to create a passkey for the account: `PublicKeyCredentialCreationOptionsJSON`. */
  startPasskeyRegistration(input: {
    readonly identity: SignedInIdentity
    readonly attempt: Attempt
  }): Promise<{ readonly ok: true; readonly options: object } | Rejection<'invalid-credentials'>>
  /**
   * Adds the passkey that the browser has created, in the session that has started it. With the first factor of an account
   * its recovery codes are returned, this once.
   * @returns `reason: 'invalid-credentials'` for a response that is not valid.
   * @throws AccountsError NAME_INVALID.
   */
  finishPasskeyRegistration(input: {
    readonly identity: SignedInIdentity
    /** The owner's name for it: 1 to 64 characters. */
    readonly name: string
    /** The response of the authenticator, as JSON text or as the parsed object. */
    readonly response: unknown
    readonly attempt: Attempt
  }): Promise<
    | (CredentialChange & { readonly codes: readonly string[] | null; readonly passkey: EnrolledPasskey })
    | Rejection<'invalid-credentials'>
  >
  /**
   * Returns the browser's options to present a passkey, `PublicKeyCredentialRequestOptionsJSON`: for any passkey of the
   * service, or with a challenge for a passkey of its account.
   * @returns `reason: 'invalid-credentials'` for a challenge that has expired or does not accept a passkey.
   */
  startPasskeySignIn(input: {
    readonly challenge?: string | null
    /**
     * Without a challenge: a secret of the browser. Only the browser that presents it again finishes the sign-in.
     * @default null
     */
    readonly binding?: string | null
    readonly identity?: SignedInIdentity | null
    readonly attempt: Attempt
  }): Promise<{ readonly ok: true; readonly options: object } | Rejection<'invalid-credentials'>>
  /**
   * Signs in with a passkey, or answers a challenge with it, as `verifySecondFactor` does. One that has verified its user is
   * two factors.
   * @throws AccountsError DELIVERY_NOT_ALLOWED.
   */
  finishPasskeySignIn(
    input: Omit<Parameters<AccountFactors['verifySecondFactor']>[0], 'challenge' | 'code'> & {
      /** The response of the authenticator, as JSON text or as the parsed object. */
      readonly response: unknown
      readonly challenge?: string | null
      /**
       * Without a challenge: the same as at the start.
       * @default null
       */
      readonly binding?: string | null
    },
  ): Promise<SignInResult>
  /**
   * Removes a passkey of the account, unless it is the last method that its owner could sign in with. The other methods
   * are a password and, if configured, a user of a provider or a code by mail. `null`: the account has no passkey with
   * this id.
   * @throws AccountsError LAST_SIGN_IN_METHOD.
   */
  removePasskey(input: {
    readonly identity: SignedInIdentity
    readonly id: string
    readonly attempt: Attempt
  }): Promise<
    (CredentialChange & { readonly codes: readonly string[] | null }) | Rejection<'invalid-credentials'> | null
  >
  /**
   * Renames a passkey of the account, and returns it. All sessions stay valid. `null`: the account has no passkey with
   * this id.
   * @throws AccountsError NAME_INVALID.
   */
  renamePasskey(input: {
    readonly identity: SignedInIdentity
    readonly id: string
    /** 1 to 64 characters. */
    readonly name: string
  }): Promise<EnrolledPasskey | null>
  /** Returns the factors of an account, one for each kind. Instants are epoch milliseconds. */
  listFactors(subject: string): Promise<
    readonly {
      readonly kind: string
      readonly category: string
      readonly createdAt: number
      readonly lastUsedAt: number | null
      /** Whether too many codes were wrong in a row: others still work. */
      readonly isDisabled: boolean
    }[]
  >
  /** Returns the passkeys of an account. */
  listPasskeys(subject: string): Promise<readonly EnrolledPasskey[]>
  /**
   * Signs in with the verdict on a callback in place of the password. A user without a linked account gets a new
   * account if `signIn.providers.newAccounts` allows it. An account is found by `issuer` and `subject`, never by an
   * address.
   * @returns the result of `signIn`: an account with a second factor has to present it. A callback with a `binding` is
   * rejected.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, EMAIL_IN_USE, EMAIL_UNVERIFIED, OPERATION_UNAVAILABLE. TypeError unless
   * the input is a verdict with `ok: true`.
   */
  signInWithProvider(
    input: ProviderIdentity & {
      readonly delivery: Delivery
      readonly device?: Device
      /** @default true */
      readonly persistent?: boolean
      readonly replaces?: Session | null
      readonly attempt: Attempt
    },
  ): Promise<SignInResult>
  /**
   * Accepts the callback of a provider as a fresh proof of the signed-in user, and renews the credential as
   * `confirmPassword` does. The callback has the `binding` `confirm:` and the key of the session, and the user has
   * signed in at the provider within 300 seconds.
   * @returns `reason: 'invalid-credentials'` for a callback of another session, of a user who is not linked to the
   * account, or without a time within 300 seconds.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, OPERATION_UNAVAILABLE. TypeError as for `signInWithProvider`.
   */
  confirmProvider(
    input: ProviderIdentity & {
      readonly identity: SignedInIdentity
      /** @default true */
      readonly allowsNative?: boolean
      readonly attempt: Attempt
    },
  ): Promise<Exclude<SignInResult, { readonly status: 'second-factor-required' }>>
  /**
   * Links the user of a provider to the account, by a callback with the `binding` `link:` and the key of the session.
   * One user of a provider is linked to one account.
   * @returns `reason: 'invalid-credentials'` for a callback of another session or purpose, and if `identity.factors`
   * has no proof of at most 300 seconds: a second factor if the account has one, else its first factor.
   * @throws AccountsError PROVIDER_IN_USE, OPERATION_UNAVAILABLE. TypeError as for `signInWithProvider`.
   */
  linkProvider(
    input: ProviderIdentity & { readonly identity: SignedInIdentity; readonly attempt: Attempt },
  ): Promise<
    | (CredentialChange & { readonly provider: Awaited<ReturnType<AccountFactors['linkedProviders']>>[number] })
    | Rejection<'invalid-credentials'>
  >
  /**
   * Links a user of a provider to an account without a callback, for a migration of accounts. The link is not verified,
   * so pass trusted data only. Sessions stay valid, and the owner gets no mail. If the user is linked to this account
   * already, it returns that link. Import once: a second run restores links that the owner has removed since. `null`:
   * the account does not exist.
   * @throws AccountsError PROVIDER_IN_USE if the user is linked to another account; the links are unchanged.
   * OPERATION_UNAVAILABLE. TypeError if the issuer, the subject or the time is invalid.
   */
  importProviderLink(input: {
    readonly accountId: string
    /** The provider's `iss`, byte for byte. */
    readonly issuer: string
    /** The provider's `sub`: this user can sign in to the account. */
    readonly subject: string
    /**
     * When they were linked, epoch milliseconds: an undone change of the e-mail address removes later links.
     * @default now
     */
    readonly createdAt?: number
    /** The account of the administrator, for the audit. Omitted: not known, or a command. */
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Awaited<ReturnType<AccountFactors['linkedProviders']>>[number] | null>
  /**
   * Removes a link of the account. `null`: the account has no link with this id.
   * @throws AccountsError LAST_SIGN_IN_METHOD if the account has no password, no other link and no passkey that
   * verifies its user, and no codes are mailed. The link remains then, and other sessions are revoked only if another
   * change came at the same time. OPERATION_UNAVAILABLE.
   */
  unlinkProvider(input: {
    readonly identity: SignedInIdentity
    /** As `linkedProviders` names it. */
    readonly id: string
    readonly attempt: Attempt
  }): Promise<Awaited<ReturnType<AccountFactors['linkProvider']>> | null>
  /** Returns the links of an account, the oldest first: the public id, the `iss` of the provider, epoch milliseconds. */
  linkedProviders(
    subject: string,
  ): Promise<readonly { readonly id: string; readonly issuer: string; readonly createdAt: number }[]>
  /**
   * Revokes the sessions and families of a sign-in at a provider after a logout there (OpenID Connect Back-Channel
   * Logout 1.0 §2.7). A sign-in of that session or user that is still in progress is rejected. A failed call can be
   * repeated: it revokes what remains. Call it in the `end` of `verifyLogoutToken` of `@latchkey/oauth/client`, so that
   * a token that the provider sends again repeats the call.
   * @returns the number of revoked sessions and families.
   * @throws AccountsError OPERATION_UNAVAILABLE. TypeError if the input names neither a user nor a session.
   */
  endProviderSessions(input: {
    readonly issuer: string
    /** `null`: `sid` says it alone. */
    readonly subject: string | null
    /** `null`: all sessions of the user. */
    readonly sid: string | null
    readonly attempt: Attempt
  }): Promise<number>
}
