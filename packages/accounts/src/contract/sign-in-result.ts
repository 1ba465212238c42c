import type { RefreshFamily, Session } from '@latchkey/sessions'
import type { Rejection } from '../errors.ts'
import type { Account } from '../store/account-store.ts'
import type { AccountFacts } from './account-facts.ts'

/** Credentials by the way they travel, readable this once. */
export type IssuedCredentials =
  /** A session, for a cookie. */
  | {
      readonly delivery: 'session'
      /** The cookie's value. */
      readonly credential: string
      readonly session: Session
    }
  /** An access token and a refresh token. With `token` the refresh token belongs in a cookie, with `native` in the body. */
  | {
      readonly delivery: 'token' | 'native'
      readonly accessToken: string
      /** Epoch milliseconds. */
      readonly accessTokenExpiresAt: number
      readonly refreshToken: string
      readonly family: RefreshFamily
    }

/** The verdict on a sign-in. */
export type SignInResult =
  /** The account that signed in, and the credentials to deliver. */
  | {
      readonly ok: true
      readonly status: 'signed-in'
      readonly account: Account
      readonly credentials: IssuedCredentials
      readonly identity: AccountFacts
      /** Recognizes the device after signing out; for a cookie, or the body for native applications. */
      readonly deviceToken: string | null
      /**
       * Lets a later sign-in by password from this device skip the second factor. It belongs in a separate cookie, or
       * in the body for native applications. `null`: it was not requested, or the account cannot have it.
       */
      readonly trustedDeviceToken: string | null
    }
  /** The first factor was right, and the account has a second factor: the user is not signed in yet. */
  | {
      readonly ok: true
      readonly status: 'second-factor-required'
      /** `verifySecondFactor` or a passkey answers it within five minutes. It is a secret, and no credential. */
      readonly challenge: string
      /** The kinds that can answer: `totp`, `passkey`, `recovery-code`. */
      readonly factors: readonly string[]
    }
  | Rejection<'invalid-credentials'>

/** An account signs in differently now, and everything else that was open is revoked. */
export interface CredentialChange {
  readonly ok: true
  /**
   * A new session for the cookie. `null`: no cookie to set, because the change came with a bearer token, whose family
   * stays valid; or the session was revoked in the meantime, or the store failed after the change, and the user signs
   * in again.
   */
  readonly credentials: Extract<IssuedCredentials, { readonly delivery: 'session' }> | null
  /** Recognizes the device: the change may have invalidated its former token. */
  readonly deviceToken: string | null
}
