import type { VerifiedClaims } from '@latchkey/jwt'
import type { ListedSession, Session } from '@latchkey/sessions'
import type { Page } from '@latchkey/store'
import { type AccountAdministration, bindAdministration } from './account-administration.ts'
import { type AccountFactors, bindFactorUseCases } from './account-factors.ts'
import { type AccountImpersonation, bindImpersonation } from './account-impersonation.ts'
import { type AccountProviders, bindProviders } from './account-providers.ts'
import { checkAttempt } from './attempt.ts'
import type { WaitingRequest } from './background-work.ts'
import { checkOwner } from './check-owner.ts'
import { type AccountsContext, createContext } from './context/accounts-context.ts'
import type { AccountsOptions } from './context/accounts-options.ts'
import type { CredentialUse } from './context/session-reader.ts'
import { bindOwnAccount, type OwnAccount } from './own-account.ts'
import {
  type AccountFacts,
  type IdentifiedSession,
  type IdentityFacts,
  identifyCredential,
  identifySession,
  identifyToken,
  type TokenPresenter,
} from './sign-in/identity-facts.ts'
import { type Account, toAccount } from './store/account-store.ts'
import { type ChangePasswordInput, type ChangePasswordResult, changePassword } from './use-cases/change-password.ts'
import { type ConfirmPasswordInput, type ConfirmPasswordResult, confirmPassword } from './use-cases/confirm-password.ts'
import type { SignInResult } from './use-cases/continue-sign-in.ts'
import { type CreateAccountInput, createAccount } from './use-cases/create-account.ts'
import {
  type RequestSignInCodeInput,
  requestSignInCode,
  type SignInCodeRequested,
} from './use-cases/email-code/request-sign-in-code.ts'
import { type SignInWithCodeInput, signInWithCode } from './use-cases/email-code/sign-in-with-code.ts'
import { findByEmail, getAccount, getManyAccounts } from './use-cases/look-up.ts'
import {
  listSessions,
  type RevokeAllSessionsInput,
  type RevokeSessionInput,
  revokeAllSessions,
  revokeSession,
} from './use-cases/manage-sessions.ts'
import { type CheckLinkInput, type CheckLinkResult, checkLink } from './use-cases/own-account/check-link.ts'
import { type RefreshRequest, type RefreshResult, refresh } from './use-cases/refresh.ts'
import { type RequestPasswordResetInput, requestPasswordReset } from './use-cases/request-password-reset.ts'
import { type ResetPasswordInput, type ResetPasswordResult, resetPassword } from './use-cases/reset-password.ts'
import { type SignInInput, signIn } from './use-cases/sign-in.ts'
import { type SignOutInput, signOut } from './use-cases/sign-out.ts'
import { type SignUpAccepted, type SignUpInput, signUp } from './use-cases/sign-up.ts'
import { type VerifyEmailInput, type VerifyEmailResult, verifyEmail } from './use-cases/verify-email.ts'

/**
 * The life of an account, without HTTP and without GraphQL. A refusal has one of four forms, here as in every package:
 * - input that breaks a rule throws an `AccountsError` with a code;
 * - something shown, a password, a token or a link, gets the verdict `{ ok: true, … }` or `{ ok: false, reason }`;
 * - what is looked up, or changed by its id, is returned, or `null` where it does not exist;
 * - `signOut` and `revokeSession` return whether something ended, `revokeAllSessions` how many.
 *
 * An outage of a store is none of them: what the store throws passes through.
 */
export interface Accounts
  extends AccountFactors,
    AccountProviders,
    OwnAccount,
    AccountAdministration,
    AccountImpersonation {
  /**
   * Requests an account. The answer and the work are the same whether or not the address is taken, and nothing is stored
   * before the answer: the owner of the address learns by mail which it is. The account exists once `verifyEmail` was
   * called with the token of that mail. A mailbox gets three mails about sign-ups within an hour.
   * @throws AccountsError EMAIL_INVALID, NAME_INVALID, PASSWORD_REJECTED, SIGN_UP_CLOSED. PasswordError
   * PASSWORD_HASHER_UNAVAILABLE when too many passwords are waiting.
   */
  signUp(input: SignUpInput): Promise<SignUpAccepted>
  /**
   * Creates the account of a sign-up whose address is proven by this token, once. What a store throws leaves the link
   * usable. The password of the sign-up counts when it is shown again, or the secret of the browser that signed up:
   * otherwise the account has none, and its owner gets a mail to choose one.
   * @returns `reason: 'link-invalid'` for a link that was used, has expired or never was one.
   * @throws PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  verifyEmail(input: VerifyEmailInput): Promise<VerifyEmailResult>
  /**
   * Signs in with a password. Work and answer are the same, one hash and one refusal, for an unknown address, a wrong
   * password, an account without password, and one that is disabled or was never verified.
   * @returns `status: 'signed-in'`; `status: 'second-factor-required'` with a challenge and nothing else, when the account has
   * a second factor; or `reason: 'invalid-credentials'`.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  signIn(input: SignInInput): Promise<SignInResult>
  /**
   * Sends a code to sign in with to the owner of an account, with the option `emailCode`. Answer and work are the same if there
   * is none, and nothing is stored before the answer. A mailbox gets three of these mails within an hour, and three more for
   * devices that have signed in to the account before.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. OPERATION_UNAVAILABLE without `emailCode`.
   */
  requestSignInCode(input: RequestSignInCodeInput): Promise<SignInCodeRequested>
  /**
   * Signs in with the code of a mail in place of the password, by the `challenge` of who has asked for it: a right code is
   * refused without. It works once, five tries end it, and wrong ones count as wrong passwords of the account. The refusal is the same
   * for an unknown address, a wrong code and an account that is disabled.
   * @returns as `signIn`: an account with a second factor is asked for it.
   * @throws AccountsError DELIVERY_NOT_ALLOWED. OPERATION_UNAVAILABLE without `emailCode`.
   */
  signInWithCode(input: SignInWithCodeInput): Promise<SignInResult>
  /**
   * Returns a new access token and the next refresh token, while the account is active and of the same epoch.
   * @returns `reason: 'invalid-credentials'` for a token that is not accepted, and for `null`.
   * @throws AccountsError DELIVERY_NOT_ALLOWED for the channel `native` where that is not allowed.
   */
  refresh(input: RefreshRequest): Promise<RefreshResult>
  /** Ends the session or family of the request. `false`: there was none. */
  signOut(input: SignOutInput): Promise<boolean>
  /**
   * Takes the password of who is signed in as a fresh proof, and renews the credential in the form in which it came: a
   * session gets a new one, a family is replaced by one with new tokens, and the old ones are dead at once. Other factors
   * keep their times. It takes one hash, whatever the outcome.
   * @returns `reason: 'invalid-credentials'` when the password is wrong, or the session has ended in the meantime; then
   * nothing has changed.
   * @throws AccountsError DELIVERY_NOT_ALLOWED with `allowsNative: false`. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  confirmPassword(input: ConfirmPasswordInput): Promise<ConfirmPasswordResult>
  /**
   * Sets a new password for a signed-in account whose current password is given, and ends everything else that is open.
   * A session gets a new credential; the family of a bearer token and its access tokens go on. Other requests of the same
   * device are answered meanwhile. Once the password is
   * set the answer is `ok: true`, even if a store fails after that.
   * @returns `reason: 'invalid-credentials'` when the current password is wrong.
   * @throws AccountsError PASSWORD_REJECTED (`newPassword`). PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  changePassword(input: ChangePasswordInput): Promise<ChangePasswordResult>
  /**
   * Sends a link for a new password to the owner of an account. Answer and work are the same if there is none, and nothing
   * is stored before the answer. A mailbox gets three of these mails within an hour however many ask, and three more for
   * devices that have signed in to the account before.
   */
  requestPasswordReset(input: RequestPasswordResetInput): Promise<true>
  /**
   * Sets a new password with the token of a mail and ends everything that is open. It does not sign in. A password that
   * is refused, and a store that fails before the password is set, leave the link usable.
   *
   * An account that has a second factor and no password, as after a change of address that was undone, shows the factor
   * first: what answers the challenge, as that of a sign-in, sets the password and signs in.
   * @returns `status: 'password-set'`; `status: 'second-factor-required'`; or `reason: 'link-invalid'` for a link that was used, has expired or was overtaken by a later change.
   * @throws AccountsError PASSWORD_REJECTED (`newPassword`). PasswordError PASSWORD_HASHER_UNAVAILABLE.
   */
  resetPassword(input: ResetPasswordInput): Promise<ResetPasswordResult>
  /**
   * Checks a link of a mail and leaves it usable, so that a page can say at once that one is used, expired or not one of
   * this service, and for a sign-up which address and name are about to be confirmed. It reads no account: `resetPassword` may still refuse a link that a later change has overtaken.
   */
  checkLink(input: CheckLinkInput): Promise<CheckLinkResult>
  /** Returns the open sessions and refresh families of the account, the last used first. */
  listSessions(subject: string): Promise<readonly ListedSession[]>
  /** Ends one of them, but never one of another account. `true` for exactly one caller. */
  revokeSession(input: RevokeSessionInput): Promise<boolean>
  /**
   * Ends all of them, or all but the current one, and returns how many the store has found. The others are invalid by the
   * epoch, whether or not it has found them. 0 and nothing is changed: the current one has ended in the meantime.
   */
  revokeAllSessions(input: RevokeAllSessionsInput): Promise<number>
  /**
   * Creates an account that can sign in at once, for administrators: no mail is sent, and whether the address belongs to
   * the person is theirs to know. With `password: null` a mail lets the person choose one. Sign-ups that wait for the address come to nothing. `null`: the address is taken.
   * @throws AccountsError EMAIL_INVALID, NAME_INVALID, PASSWORD_REJECTED. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   * @throws TypeError when a role is empty or contains white space.
   */
  create(input: CreateAccountInput): Promise<Account | null>
  /** Returns the account, or `null`. */
  get(id: string): Promise<Account | null>
  /** Returns all accounts, page by page. */
  list(page?: Page): Promise<{ readonly items: readonly Account[]; readonly cursor?: string }>
  /**
   * Returns the accounts in the order of the ids, `null` for each unknown one, in one call of the store: the batch of a
   * loader.
   * @throws TypeError for more than 1000 ids.
   */
  getMany(ids: readonly string[]): Promise<(Account | null)[]>
  /** Returns the account with this address in any spelling of `canonicalEmail`, or `null`. */
  findByEmail(email: string): Promise<Account | null>
  /** Returns the facts for an identity while the account of the session is active and of the same epoch. */
  identifySession(session: Session | null): Promise<AccountFacts | null>
  /**
   * The same for the credential of a session, with the session: it is read together with its account if the
   * store of accounts has `identities`. It counts as a use of the session, unless `isUse` is `false`.
   */
  identifyCredential(credential: string | null, use?: CredentialUse): Promise<IdentifiedSession | null>
  /**
   * The same for an access token: that of an account is valid while its family is, and what was given to a third party
   * never becomes first-party. One that `denyList` denies is refused. A token without family and epoch whose subject is its `client_id` is that of a machine. One
   * that is bound to a key is valid only with that key.
   */
  identifyToken(claims: VerifiedClaims | null, presenter?: TokenPresenter): Promise<IdentityFacts | null>
  /**
   * Returns the same use cases for one request: what they start and do not wait for, such as mails, is passed to its
   * `waitUntil`, without which platforms such as Workers end it with the reply. A request without one gets them as they are.
   */
  forRequest(request: WaitingRequest): this
  /** Resolves when no mail and no rehash is under way, for shutdown and tests. */
  settled(): Promise<void>
}

/**
 * Creates the use cases of accounts with passwords over stores and parts of your choice. Nothing is read or written before
 * the first call.
 *
 * @throws TypeError that names the option that is missing, unknown or cannot be used.
 *
 * @example
 * import { createAccounts, createAttemptLimits, createMemoryAccountStore, unknownAttempt } from '@latchkey/accounts'
 * import { randomBytes } from '@latchkey/bytes'
 * import { createJwtSigner, createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * import { createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
 * import { createRefreshTokens, createSessions } from '@latchkey/sessions'
 * import { createMemoryCounterStore, createMemoryRecordStore } from '@latchkey/store'
 * const records = createMemoryRecordStore()
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 * const accounts = createAccounts({
 *   accounts: createMemoryAccountStore(),
 *   records,
 *   passwordHasher: createPasswordHasher(),
 *   passwordPolicy: createPasswordPolicy(),
 *   sessions: createSessions({ records }),
 *   refreshTokens: createRefreshTokens({ records, secrets }),
 *   accessTokens: createJwtSigner({ issuer: 'https://example.com', audience: 'https://example.com', keys }),
 *   signUp: { role: 'READER' },
 *   signIn: { attemptLimits: createAttemptLimits({ counters: createMemoryCounterStore(), secrets }) },
 *   mails: { mailer: { send: async ({ to, subject }) => console.log(to, subject) }, baseUrl: 'https://example.com' },
 * })
 * const person = { email: 'reader@example.com', password: 'otters read quietly', name: 'A Reader' }
 * await accounts.signUp({ ...person, attempt: unknownAttempt })
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const context = createContext(options)
  const bind = (of: AccountsContext): Accounts => {
    const bound = {
      ...bindUseCases(of),
      forRequest: (request: WaitingRequest) => (request.waitUntil ? bind(of.forRequest(request)) : bound),
    }
    return bound as Accounts
  }
  return bind(context)
}

function bindUseCases(context: AccountsContext): Omit<Accounts, 'forRequest'> {
  return {
    signUp: async (input) => signUp(context, checkAttempt(input)),
    verifyEmail: async (input) => verifyEmail(context, checkAttempt(input)),
    signIn: async (input) => signIn(context, checkAttempt(input)),
    requestSignInCode: async (input) => requestSignInCode(context, checkAttempt(input)),
    signInWithCode: async (input) => signInWithCode(context, checkAttempt(input)),
    refresh: async (input) => refresh(context, checkAttempt(input)),
    signOut: async (input) => signOut(context, checkAttempt(input)),
    confirmPassword: async (input) => confirmPassword(context, checkOwner(checkAttempt(input))),
    changePassword: async (input) => changePassword(context, checkOwner(checkAttempt(input))),
    requestPasswordReset: async (input) => requestPasswordReset(context, checkAttempt(input)),
    resetPassword: async (input) => resetPassword(context, checkAttempt(input)),
    checkLink: async (input) => checkLink(context, checkAttempt(input)),
    listSessions: (subject) => listSessions(context, subject),
    revokeSession: async (input) => revokeSession(context, checkAttempt(input)),
    revokeAllSessions: async (input) => revokeAllSessions(context, checkOwner(checkAttempt(input))),
    create: async (input) => createAccount(context, checkAttempt(input)),
    get: (id) => getAccount(context, id),
    list: (page) => listAccounts(context, page),
    getMany: async (ids) => getManyAccounts(context, ids),
    findByEmail: (email) => findByEmail(context, email),
    identifySession: (session) => identifySession(context, session),
    identifyCredential: (credential, use) => identifyCredential(context, credential, use),
    identifyToken: (claims, presenter) => identifyToken(context, claims, presenter),
    settled: () => context.background.settled(),
    ...bindFactorUseCases(context),
    ...bindProviders(context),
    ...bindOwnAccount(context),
    ...bindAdministration(context),
    ...bindImpersonation(context),
  }
}

async function listAccounts({ accounts }: AccountsContext, page?: Page): ReturnType<Accounts['list']> {
  const { items, ...rest } = await accounts.list(page)
  return { ...rest, items: items.map(toAccount) }
}
