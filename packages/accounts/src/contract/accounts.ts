import type { VerifiedClaims } from '@latchkey/jwt'
import type { Device, ListedSession, Session } from '@latchkey/sessions'
import type { Attempt } from '../attempt.ts'
import type { Delivery } from '../delivery.ts'
import type { Rejection } from '../errors.ts'
import type { Account } from '../store/account-store.ts'
import type { AccountAdministration } from './account-administration.ts'
import type { AccountApiKeys } from './account-api-keys.ts'
import type { AccountFactors } from './account-factors.ts'
import type { AccountFacts } from './account-facts.ts'
import type { CredentialChange, IssuedCredentials, SignInResult } from './sign-in-result.ts'
import type { SignedInIdentity } from './signed-in-identity.ts'

/**
 * The use cases of accounts, without HTTP and without GraphQL. A rejection has one of four forms, as in every package:
 * - input that breaks a rule throws an `AccountsError` with a code;
 * - a presented password, token or link gets the verdict `{ ok: true, … }` or `{ ok: false, reason }`;
 * - a lookup or a change by id returns the record, or `null` if it does not exist;
 * - `signOut` and `revokeSession` return whether they revoked anything, `revokeAllSessions` returns the number.
 *
 * If a store fails, its error passes through. `attempt` is the origin of the request, and `identity` the signed-in
 * user. The caller decides which use cases need a fresh proof; only `linkProvider` checks one.
 */
export interface Accounts extends AccountFactors, AccountApiKeys, AccountAdministration {
  /**
   * Requests an account. Response and work are the same whether or not an account has the address, and the store is not
   * written before the response; the owner of the address gets a mail for either case. `verifyEmail` creates the
   * account with the token of that mail. A mailbox gets three mails about sign-ups within an hour.
   * @throws AccountsError EMAIL_INVALID, NAME_INVALID, PASSWORD_REJECTED, SIGN_UP_CLOSED. PasswordError
   * PASSWORD_HASHER_UNAVAILABLE if too many passwords are waiting.
   */
  signUp(input: {
    readonly email: string
    /** It counts if it, or `browserSecret`, is presented again when the address is verified. */
    readonly password: string
    /** The name of the person, 1 to 100 characters. */
    readonly name: string
    /** The `browserSecret` of an earlier sign-up: it is kept, so that the links of both belong to the browser. */
    readonly browserSecret?: string | null
    readonly attempt: Attempt
  }): Promise<{
    /** The same whether or not an account has the address. */
    readonly accepted: true
    /** For a cookie that scripts cannot read: a browser that presents it to `verifyEmail` need not repeat the password. */
    readonly browserSecret: string
  }>
  /**
   * Creates the account of a sign-up with the token of its mail, once. If a store fails, the link stays usable. The
   * password of the sign-up counts if it, or the secret of the browser that signed up, is presented again. Otherwise
   * the account has no password, and its owner gets a mail to choose one.
   * @returns `reason: 'link-invalid'` for a link that is used, expired or unknown.
   * @throws AccountsError ATTEMPTS_RATE_LIMITED. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  verifyEmail(input: {
    /** The token of the mail. */
    readonly token: string
    /** The password of the sign-up once more. */
    readonly password?: string | null
    /** The `browserSecret` that `signUp` returned to the browser. */
    readonly browserSecret?: string | null
    readonly attempt: Attempt
  }): Promise<
    { readonly ok: true; readonly account: Account; readonly hasPassword: boolean } | Rejection<'link-invalid'>
  >
  /**
   * Signs in with a password. Work and response are the same, one hash and one rejection, for an unknown address, a
   * wrong password, and an account that has no password, is disabled or was never verified.
   * @returns `status: 'signed-in'`; `status: 'second-factor-required'` with a challenge and no credentials, if the
   * account has a second factor; or `reason: 'invalid-credentials'`.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  signIn(input: {
    readonly email: string
    readonly password: string
    readonly delivery: Delivery
    readonly device?: Device
    /**
     * For `session`: whether the cookie remains when the browser is closed.
     * @default true
     */
    readonly persistent?: boolean
    /** The previous session of the browser. A sign-in with any delivery revokes it. */
    readonly replaces?: Session | null
    /** The token of an earlier sign-in with `trustDevice`: then the password is enough. */
    readonly trustedDeviceToken?: string | null
    readonly attempt: Attempt
  }): Promise<SignInResult>
  /**
   * Returns a new access token and the next refresh token, while the account is active and of the same epoch.
   * @returns `reason: 'invalid-credentials'` for a token that is not accepted, and for `null`.
   * @throws AccountsError DELIVERY_NOT_ALLOWED for the channel `native` if that is not allowed.
   */
  refresh(input: {
    /** The refresh token of the request; `null`: the request has no token. */
    readonly token: string | null
    /** The channel of the token: its cookie, or the body. */
    readonly channel: 'cookie' | 'native'
    /**
     * As for `redeem` of `RefreshTokens`.
     * @default null
     */
    readonly idempotencyKey?: string | null
    readonly attempt: Attempt
  }): Promise<
    | {
        readonly ok: true
        readonly account: Account
        readonly credentials: Exclude<IssuedCredentials, { readonly delivery: 'session' }>
        readonly identity: AccountFacts
      }
    | Rejection<'invalid-credentials'>
  >
  /**
   * Revokes the session or family of `identity`, and the family of the refresh token.
   * @returns `false` if neither existed.
   */
  signOut(input: {
    readonly identity?: Pick<SignedInIdentity, 'subject' | 'key'> | null
    /** The refresh token of the cookie, if one was sent. */
    readonly refreshToken?: string | null
    readonly attempt: Attempt
  }): Promise<boolean>
  /**
   * Accepts the password of the signed-in account as a fresh proof, and renews the credential: a session gets a new
   * credential, a family is replaced by a family with new tokens, and the old ones are invalid at once. Other factors
   * keep their times. It computes one hash, whatever the outcome.
   * @returns `reason: 'invalid-credentials'` if the password is wrong, or the session was revoked in the meantime. The
   * account is unchanged then.
   * @throws AccountsError DELIVERY_NOT_ALLOWED with `allowsNative: false`. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  confirmPassword(input: {
    readonly identity: SignedInIdentity
    readonly currentPassword: string
    /**
     * `false`: a family whose refresh token travels in the body is not renewed, because a script of a page would get it.
     * @default true
     */
    readonly allowsNative?: boolean
    readonly attempt: Attempt
  }): Promise<Exclude<SignInResult, { readonly status: 'second-factor-required' }>>
  /**
   * Sets a new password for a signed-in account that presents its current password, and revokes everything else that is
   * open. A session gets a new credential; the family of a bearer token and its access tokens stay valid. Other
   * requests of the same device are served in the meantime. If a store fails once the password is set, the result is
   * `ok: true`; if the old credential of the session can be neither replaced nor revoked, the store's error is thrown.
   * @returns `reason: 'invalid-credentials'` if the current password is wrong.
   * @throws AccountsError PASSWORD_REJECTED (`newPassword`). PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  changePassword(input: {
    readonly identity: Pick<SignedInIdentity, 'subject' | 'key' | 'via' | 'factors'>
    readonly currentPassword: string
    readonly newPassword: string
    readonly attempt: Attempt
  }): Promise<CredentialChange | Rejection<'invalid-credentials'>>
  /**
   * Sends a link for a new password to the owner of an account. Response and work are the same if no account has the
   * address, and the store is not written before the response. A mailbox gets three of these mails within an hour, and
   * three more for devices that have signed in to the account before.
   */
  requestPasswordReset(input: { readonly email: string; readonly attempt: Attempt }): Promise<true>
  /**
   * Sets a new password with the token of a mail and revokes everything that is open. It does not sign in. If the
   * password is rejected, or a store fails before the password is set, the link stays usable.
   *
   * An account with a second factor and no password, as after an undone change of address, presents the factor first:
   * the right answer to the challenge sets the password and signs in.
   * @returns `reason: 'link-invalid'` for a link that is used, expired or outdated by a later change.
   * @throws AccountsError PASSWORD_REJECTED (`newPassword`), ATTEMPTS_RATE_LIMITED. PasswordError
   * PASSWORD_HASHER_UNAVAILABLE.
   */
  resetPassword(input: { readonly token: string; readonly newPassword: string; readonly attempt: Attempt }): Promise<
    | {
        readonly ok: true
        readonly status: 'password-set'
        readonly account: Account
        /** Recognizes the device: the link proves the mailbox. */
        readonly deviceToken: string | null
      }
    | Extract<SignInResult, { readonly status: 'second-factor-required' }>
    | Rejection<'link-invalid'>
  >
  /**
   * Checks a link of a mail and leaves it usable, so that a page can report a used, expired or unknown link at once.
   * For a sign-up or a reset it does not read the account: `resetPassword` may still reject a link that a later change
   * has invalidated.
   */
  checkLink(input: {
    /** The use case that takes the link. */
    readonly purpose: 'verify-email' | 'reset-password' | 'confirm-email-change' | 'undo-email-change'
    readonly token: string
    /** For `verify-email`: the `browserSecret` that `signUp` returned to the browser. */
    readonly browserSecret?: string | null
    readonly attempt: Attempt
  }): Promise<
    | {
        readonly ok: true
        /**
         * For `verify-email` the sign-up, else `null`. `name` may be the choice of a stranger. `keepsPassword`: the password counts
         * without being repeated.
         */
        readonly signUp: { readonly email: string; readonly name: string; readonly keepsPassword: boolean } | null
        /** For `confirm-email-change`: the new address of the account. */
        readonly newEmail?: string
        /** For `confirm-email-change`: whether the other address still has to confirm as well. */
        readonly needsBoth?: boolean
        /** For `undo-email-change`: the address that the account goes back to. */
        readonly formerEmail?: string
      }
    | Rejection<'link-invalid'>
  >
  /** Returns the open sessions and refresh families of the account, the last used first. */
  listSessions(subject: string): Promise<readonly ListedSession[]>
  /**
   * Revokes a session or family of the account by its key, or an API key by its id, but never of another account.
   * `true` for exactly one caller.
   */
  revokeSession(input: { readonly subject: string; readonly key: string; readonly attempt: Attempt }): Promise<boolean>
  /**
   * Revokes all sessions and families of the account, or all but the current session. The epoch of the account
   * invalidates them even if the store does not list them.
   * @returns the number that the store has found. 0 if the current session was revoked in the meantime; the account is
   * unchanged then.
   */
  revokeAllSessions(input: {
    readonly identity: Pick<SignedInIdentity, 'subject' | 'key' | 'impersonator'>
    /**
     * Keeps the session or family of the request.
     * @default true
     */
    readonly exceptCurrent?: boolean
    readonly attempt: Attempt
  }): Promise<number>
  /**
   * Changes the name of the account. `null`: the account does not exist.
   * @throws AccountsError NAME_INVALID.
   */
  changeName(input: {
    readonly identity: SignedInIdentity
    /** 1 to 100 characters. */
    readonly name: string
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Requests a change of address. Response and work are the same whether or not an account has the new address, and links
   * are stored after the response. The new address gets a link to confirm the change. The current address
   * gets a notice with a link that cancels the change, and undoes it for `emailUndoDays`. A mailbox gets three of each
   * within an hour, and three more for devices that have signed in to the account before. If the current address gets
   * no notice, the change is not started.
   * @throws AccountsError EMAIL_INVALID (`newEmail`), OPERATION_UNAVAILABLE.
   */
  requestEmailChange(input: {
    /** Its session or family stays valid when the change is confirmed. */
    readonly identity: SignedInIdentity
    readonly newEmail: string
    readonly attempt: Attempt
  }): Promise<true>
  /**
   * Sets the new address of the account with the token of a mail, and revokes everything but the session or family that
   * requested it. With `emailUndoDays: 0` both addresses confirm, and the second confirmation makes the change.
   * @returns `isChanged: false` if the other address has to confirm as well; `reason: 'link-invalid'` for a link that
   * is used, expired or outdated by another change of the account, and if another account took the address in the
   * meantime.
   * @throws AccountsError OPERATION_UNAVAILABLE, ATTEMPTS_RATE_LIMITED.
   */
  confirmEmailChange(input: {
    readonly token: string
    readonly attempt: Attempt
  }): Promise<{ readonly ok: true; readonly account: Account; readonly isChanged: boolean } | Rejection<'link-invalid'>>
  /**
   * Undoes a change of address with the token of a mail to the current or former address, also before it was confirmed.
   * The account gets back the earliest address that is reserved for it, loses the factors that were added since, keeps
   * older factors, and has no password. Everything that is open is revoked, and that address gets a mail to choose a
   * password.
   * @returns `reason: 'link-invalid'` for a link that is used, expired, or has no change left to undo.
   * @throws AccountsError OPERATION_UNAVAILABLE, ATTEMPTS_RATE_LIMITED.
   */
  undoEmailChange(input: {
    readonly token: string
    readonly attempt: Attempt
  }): Promise<{ readonly ok: true; readonly account: Account } | Rejection<'link-invalid'>>
  /**
   * Deletes the account and all its data for ever: its id is never used again, and its address is free. An error of
   * `deletion.onDelete` passes through; the account remains then with its roles, and only the session of the request stays
   * valid. The same holds if the account is the last administrator once `onDelete` has returned.
   * @returns `reason: 'invalid-credentials'` if the account has changed since the request started, or is closed or gets a new
   * password or its former address back by a mail while `onDelete` runs.
   * @throws AccountsError LAST_ADMINISTRATOR, OPERATION_UNAVAILABLE.
   */
  deleteAccount(input: {
    readonly identity: SignedInIdentity
    readonly attempt: Attempt
  }): Promise<{ readonly ok: true } | Rejection<'invalid-credentials'>>
  /** Returns the data of an account as JSON, without any secret. `null`: the account does not exist. */
  exportAccount(input: { readonly identity: SignedInIdentity; readonly attempt: Attempt }): Promise<string | null>
  /** Returns the facts for an identity while the account of the session is active and of the same epoch. */
  identifySession(session: Session | null): Promise<AccountFacts | null>
  /**
   * The same for the credential of a session, with the session: it is read together with its account if the
   * store of accounts has `identities`. It counts as a use of the session, unless `isUse` is `false`.
   */
  identifyCredential(
    credential: string | null,
    use?: { waitUntil?(work: Promise<unknown>): void; readonly isUse?: boolean },
  ): Promise<{ readonly session: Session; readonly facts: AccountFacts } | null>
  /**
   * Returns the facts for an identity of a verified access token. A token of an account is valid while its family is
   * valid, and a token of a third party never becomes first-party. A token on the deny list is rejected. A token
   * without family and epoch, whose subject is its `client_id`, belongs to a machine without an account. A token that
   * is bound to a key is valid only with that key.
   */
  identifyToken(
    claims: VerifiedClaims | null,
    /** `keyBinding`: the thumbprint of the key that the request has proven to hold (RFC 9449). */
    presenter?: { readonly keyBinding?: string | null },
  ): Promise<
    | AccountFacts
    | {
        readonly kind: 'client'
        /** The client's id. */
        readonly subject: string
        readonly clientId: string
        readonly firstParty: false
        readonly scopes: readonly string[]
        readonly grant: null
        readonly keyBinding: string | null
        readonly roles: readonly []
        readonly factors: readonly []
        readonly enrolledFactors: readonly []
        readonly enrollmentDueAt: null
        readonly mustEnroll: false
        readonly key: null
        readonly lineage: null
        readonly via: 'bearer'
        readonly epoch: null
        readonly impersonator: null
      }
    | null
  >
  /**
   * Returns the same use cases for one request: background work that they start, such as mails, is passed to
   * `waitUntil`. Platforms such as Workers stop that work with the response otherwise. Without `waitUntil` the use
   * cases are unchanged.
   */
  forRequest(request: { waitUntil?(work: Promise<unknown>): void }): this
  /** Resolves when no mail and no rehash is under way, for shutdown and tests. */
  settled(): Promise<void>
}
