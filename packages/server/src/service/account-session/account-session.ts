import type { Account, Accounts, ProviderIdentity, Rejection, SignInResult } from '@latchkey/accounts'
import type { Inline } from '../../options/inline.ts'

/**
 * The operations on accounts of one request: they read its cookies and set those of the response. They throw what the
 * operations of `accounts` throw, and an `AccessError` `BAD_USER_INPUT` if a page requests tokens of native applications.
 */
export interface AccountSession {
  /** Signs up. A cookie recognizes the browser when it confirms the address. */
  signUp(input: {
    readonly email: string
    readonly password: string
    readonly name: string
  }): Promise<{ readonly accepted: true }>
  /**
   * Confirms an address. The password of the sign-up counts when it is given again, or by the cookie of the browser that
   * signed up.
   */
  verifyEmail(input: {
    readonly token: string
    readonly password?: string | null
  }): Promise<{ readonly ok: true } | Rejection<'link-invalid'>>
  /** Requests a mail with a link for a new password. A device that has signed in before gets it whatever others request. */
  requestPasswordReset(input: { readonly email: string; readonly deviceToken?: string | null }): Promise<true>
  /**
   * Sets a new password by a link. It opens no session, and the device is recognized from then on. If a second factor comes
   * first, the answer to the challenge sets the password, and signs in.
   */
  resetPassword(input: {
    readonly token: string
    readonly newPassword: string
  }): Promise<
    | { readonly ok: true; readonly status: 'password-set' }
    | Extract<SignInResult, { readonly status: 'second-factor-required' }>
    | Rejection<'link-invalid'>
  >
  /**
   * Signs in with a password. The new session or family replaces the session of the request's cookie, and a new refresh
   * cookie replaces the family of the old cookie: both are revoked. If the account has a second factor, only its
   * challenge is delivered, and no session is revoked.
   */
  signIn(input: {
    readonly email: string
    readonly password: string
    /** The transport of the credentials; "What a sign-in delivers" in the documentation lists them. */
    readonly delivery: 'SESSION' | 'TOKEN' | 'NATIVE'
    /** The `deviceToken` of an earlier sign-in, for applications outside browsers. */
    readonly deviceToken?: string | null
    /** The `trustedDeviceToken` of an earlier sign-in, for applications outside browsers. */
    readonly trustedDeviceToken?: string | null
  }): Promise<
    | Inline<DeliveredSignIn>
    | Extract<SignInResult, { readonly status: 'second-factor-required' }>
    | Rejection<'invalid-credentials'>
  >
  /**
   * Requests a mail with a code to sign in. A cookie recognizes the requesting browser; with `NATIVE`, the returned
   * challenge recognizes the application.
   */
  requestSignInCode(input: {
    readonly email: string
    readonly delivery: 'SESSION' | 'TOKEN' | 'NATIVE'
    readonly deviceToken?: string | null
  }): Promise<{ readonly accepted: true; readonly challenge: string | null }>
  /**
   * Signs in with a mailed code, then continues as `signIn`. An application outside browsers has no cookie, and sends
   * the `challenge`.
   */
  signInWithCode(
    input: Parameters<AccountSession['requestSignInCode']>[0] & {
      readonly code: string
      readonly challenge?: string | null
    },
  ): ReturnType<AccountSession['signIn']>
  /**
   * Signs in with the verdict on the callback of a provider, as `finish` of `@latchkey/oauth/client` returns it, and then does as
   * `signIn`, with a session.
   */
  signInWithProvider(verdict: ProviderIdentity): ReturnType<AccountSession['signIn']>
  /** Takes a provider's verdict as a fresh proof, as `confirmPassword` takes the password. */
  confirmProvider(verdict: ProviderIdentity): ReturnType<AccountSession['confirmPassword']>
  /**
   * Renews by the given token, or with `null` by the refresh cookie; both in one request are rejected. A rejected token
   * leaves the cookie, because a late rejection must not remove the cookie of a newer sign-in.
   *
   * @param attempt 22 to 64 random characters of base64url. A client sends them again to repeat this request after a
   * lost response.
   */
  refresh(
    refreshToken: string | null,
    attempt?: string | null,
  ): Promise<
    | {
        readonly ok: true
        readonly accessToken: string
        /** Seconds. */
        readonly expiresIn: number
        /** For native delivery; others have it in a cookie. */
        readonly refreshToken: string | null
        readonly csrfToken: string | null
      }
    | Rejection<'invalid-credentials'>
  >
  /**
   * Revokes the session, the family of the access token and the family of the refresh cookie of the request. If a
   * bearer token is sent, the session of a cookie stays valid. Of a client's credentials, only the token of the request
   * is revoked.
   *
   * @returns `false` if the bearer token is not valid, so no credential was revoked.
   */
  signOut(): Promise<boolean>
  /**
   * Takes the password as a fresh proof. The credential of the request is replaced by the same kind: a new cookie, or
   * new tokens by the transport of the old refresh token. The old credential is revoked at once.
   */
  confirmPassword(input: {
    readonly currentPassword: string
  }): Promise<Inline<DeliveredSignIn> | Rejection<'invalid-credentials'>>
  /**
   * Sets a new password and revokes all credentials except those of the request. A session continues under a new
   * cookie, and needs a new `csrfToken`.
   */
  changePassword(input: {
    readonly currentPassword: string
    readonly newPassword: string
  }): Promise<{ readonly ok: true } | Rejection<'invalid-credentials'>>
  /** Deletes the account permanently, and clears the cookies that were its credentials. */
  deleteAccount(): ReturnType<Accounts['deleteAccount']>
  /** Lets an administrator act as another account. Its session replaces the own one in the browser. */
  startImpersonation(input: { readonly accountId: string; readonly reason: string }): Promise<{
    readonly account: Account
    /** ISO 8601. */
    readonly expiresAt: string
    readonly accessToken: string | null
    /** Seconds. */
    readonly expiresIn: number | null
    readonly csrfToken: string | null
  }>
  /** Stops the impersonation; `false` if there was none to stop. */
  endImpersonation(): Promise<boolean>
  /** Returns the token for mutations over the session cookie; `null` without a cookie session. */
  csrfToken(): string | null
  /** Returns the sign-in of the request, or the new sign-in that it has made; `null` if no account is signed in. */
  current(): Promise<{
    readonly account: Account
    /** `null` without a cookie session. */
    readonly csrfToken: string | null
    /** Seconds until the sign-in expires at the latest. */
    readonly expiresIn: number
    /** Seconds until it expires if it is not used. */
    readonly idleExpiresIn: number
    /** ISO 8601. */
    readonly authenticatedAt: string
    /** The kinds of factors that were proven. */
    readonly factors: readonly string[]
    readonly mustEnroll: boolean
    /** The administrator who acts as the account. */
    readonly impersonatedBy: string | null
  } | null>
}

/** A sign-in, with the credentials of the response body. */
export interface DeliveredSignIn {
  readonly ok: true
  readonly status: 'signed-in'
  readonly account: Account
  readonly accessToken: string | null
  /** Seconds. */
  readonly expiresIn: number | null
  /** For native delivery; others have it in a cookie. */
  readonly refreshToken: string | null
  readonly csrfToken: string | null
  /** For native delivery; others have it in a cookie. */
  readonly deviceToken: string | null
  /** For native delivery, if the device is to be trusted; others have it in a cookie. */
  readonly trustedDeviceToken: string | null
  /**
   * The time until which the account needs no second factor, epoch milliseconds; `null` if it has a factor, or no
   * factor is required.
   */
  readonly enrollmentDueAt: number | null
  /** Whether that time has passed: the account can only set up a factor. */
  readonly mustEnroll: boolean
}

export type CredentialDelivery = Parameters<AccountSession['signIn']>[0]['delivery']
