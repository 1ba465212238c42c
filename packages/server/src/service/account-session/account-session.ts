import type { Accounts, DeleteAccountResult, IdentityFacts, ProviderIdentity, Refusal } from '@latchkey/accounts'
import { AccessError, type AuthContext } from '@latchkey/graphql'
import type { ForgeryCheck, HttpRequest } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import { authenticatedRule } from './authenticated-rule.ts'
import { bindLate } from './bind-late.ts'
import { type CodeForm, type CodeRequest, requestSignInCode, signInWithCode } from './code-session.ts'
import type { MakeIdentity } from './credential-verifiers.ts'
import {
  type CredentialDelivery,
  type DeliveredSignIn,
  deliverRenewed,
  deliverSignIn,
  readDelivery,
  rejectNative,
  type SecondFactorAsked,
  withDevice,
} from './deliver-sign-in.ts'
import type { DeliveredTokens, Deliverer } from './deliverer.ts'
import {
  type DeliveredImpersonation,
  endImpersonation,
  type ImpersonationForm,
  startImpersonation,
} from './impersonation-session.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
import { confirmProvider, signInWithProvider } from './provider-session.ts'

type InvalidCredentials = Refusal<'invalid-credentials'>

/** What a sign-in form asks for. */
interface SignInForm {
  readonly email: string
  readonly password: string
  readonly delivery: CredentialDelivery
  /** What an application outside browsers got from an earlier sign-in. */
  readonly deviceToken?: string | null
  /** The same, where the device was to be remembered. */
  readonly trustedDeviceToken?: string | null
}

interface SignUpForm {
  readonly email: string
  readonly password: string
  readonly name: string
}

interface VerificationForm {
  readonly token: string
  readonly password?: string | null
}

interface ResetRequest {
  readonly email: string
  readonly deviceToken?: string | null
}

interface PasswordReset {
  readonly token: string
  readonly newPassword: string
}

/** A password that was set by a link. It opens no session. */
interface PasswordSet {
  readonly ok: true
  readonly status: 'password-set'
}

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

/** A refresh, with what it delivers in the body. */
export type DeliveredRefresh = DeliveredTokens & { readonly ok: true }

/**
 * The use cases of accounts as one request asks for them: with its cookies in, and its cookies out. They throw what the
 * use cases throw, and an `AccessError` `BAD_USER_INPUT` where a page asks for tokens of native applications.
 */
export interface AccountSession {
  /** Signs up. A cookie recognizes the browser when it confirms the address. */
  signUp(input: SignUpForm): Promise<{ readonly accepted: true }>
  /**
   * Confirms an address. The password of the sign-up counts when it is given again, or by the cookie of the browser that
   * signed up.
   */
  verifyEmail(input: VerificationForm): Promise<{ readonly ok: true } | Refusal<'link-invalid'>>
  /** Requests a mail with a link for a new password. A device that has signed in before gets it whatever others request. */
  requestPasswordReset(input: ResetRequest): Promise<true>
  /**
   * Sets a new password by a link. The device is recognized from then on. Where a second factor comes first, the answer to
   * the challenge sets it, and signs in.
   */
  resetPassword(input: PasswordReset): Promise<PasswordSet | SecondFactorAsked | Refusal<'link-invalid'>>
  /**
   * Signs in with a password. The new session or family replaces the session of the request's cookie, and a new refresh
   * cookie replaces the family of the old one: they end. Where the account has a second factor, nothing is delivered but the
   * challenge for it, and nothing ends.
   */
  signIn(input: SignInForm): Promise<DeliveredSignIn | SecondFactorAsked | Refusal<'invalid-credentials'>>
  /**
   * Requests a mail with a code to sign in with. A cookie recognizes the browser that has asked, or with `NATIVE` the challenge
   * that is returned.
   */
  requestSignInCode(input: CodeRequest): Promise<{ readonly accepted: true; readonly challenge: string | null }>
  /** Signs in with such a code, and then does as `signIn`. */
  signInWithCode(input: CodeForm): Promise<DeliveredSignIn | SecondFactorAsked | Refusal<'invalid-credentials'>>
  /**
   * Signs in with the verdict on the callback of a provider, as `finish` of `@latchkey/oauth/client` returns it, and then does as
   * `signIn`, with a session.
   */
  signInWithProvider(verdict: ProviderIdentity): Promise<DeliveredSignIn | SecondFactorAsked | InvalidCredentials>
  /** Takes such a verdict as a fresh proof, as `confirmPassword` takes the password. */
  confirmProvider(verdict: ProviderIdentity): Promise<DeliveredSignIn | InvalidCredentials>
  /**
   * Renews by the token of the body, or with `null` by the refresh cookie; both in one request are refused. A token that
   * is not accepted leaves the cookie, because a late refusal must not remove that of a newer sign-in.
   */
  refresh(refreshToken: string | null): Promise<DeliveredRefresh | Refusal<'invalid-credentials'>>
  /**
   * Ends the session, the family of the access token and the family of the refresh cookie, whichever the request came
   * with. A session cookie beside a bearer token is kept. Of what a client of others was given, the token of the request alone
   * ends. `false`: the bearer token is not valid, so what it belongs to
   * could not be ended.
   */
  signOut(): Promise<boolean>
  /**
   * Takes the password as a fresh proof. The credential of the request is renewed in its form: a new cookie, or new tokens
   * by the way that the old refresh token travels. The old one is dead at once.
   */
  confirmPassword(input: {
    readonly currentPassword: string
  }): Promise<DeliveredSignIn | Refusal<'invalid-credentials'>>
  /**
   * Sets a new password and ends everything but what the request came with. A session continues under a new cookie, and
   * needs a new `csrfToken`.
   */
  changePassword(input: PasswordChange): Promise<{ readonly ok: true } | Refusal<'invalid-credentials'>>
  /** Deletes the account for ever, and takes away the cookies that were its credentials. */
  deleteAccount(): Promise<DeleteAccountResult>
  /** Lets an administrator act as another account. A session takes the place of the own one in the browser. */
  startImpersonation(input: ImpersonationForm): Promise<DeliveredImpersonation>
  /** Ends it; `false`: there was nothing to end. */
  endImpersonation(): Promise<boolean>
  /** Returns the token for mutations over the session cookie; `null` without a cookie session. */
  csrfToken(): string | null
}

export interface AccountSessionOptions {
  /** Of an operation of GraphQL its context, of a page what it has of one. */
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'authorize' | 'establish' | 'reply'>
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly makeIdentity: MakeIdentity
  readonly cookies: ServiceCookies
  readonly forgery: ForgeryCheck
  readonly deliverer: Deliverer
  /** Ends the token of a client of others that the request came with. `false`: it came with something else. */
  readonly endClientToken: () => Promise<boolean>
}

const LateAccountSession = bindLate<AccountSessionOptions, AccountSession>({
  signUp,
  verifyEmail,
  requestPasswordReset,
  resetPassword,
  signIn,
  requestSignInCode,
  signInWithCode,
  signInWithProvider,
  confirmProvider,
  refresh,
  signOut,
  confirmPassword,
  changePassword,
  deleteAccount,
  startImpersonation,
  endImpersonation,
  csrfToken,
})

export function createAccountSession(make: () => AccountSessionOptions): AccountSession {
  return new LateAccountSession(make)
}

async function signUp(
  { base, read, accounts, cookies }: AccountSessionOptions,
  input: SignUpForm,
): Promise<{ readonly accepted: true }> {
  const { browserSecret: shown, attempt } = read()
  const { accepted, browserSecret } = await accounts.signUp({ ...input, browserSecret: shown, attempt })
  base.reply.setCookie(cookies.signUp.write(browserSecret))
  return { accepted }
}

async function verifyEmail(
  { read, accounts }: AccountSessionOptions,
  { token, password = null }: VerificationForm,
): Promise<{ readonly ok: true } | Refusal<'link-invalid'>> {
  const { browserSecret, attempt } = read()
  return accounts.verifyEmail({ token, password, browserSecret, attempt })
}

async function requestPasswordReset(
  { read, accounts }: AccountSessionOptions,
  { email, deviceToken }: ResetRequest,
): Promise<true> {
  return accounts.requestPasswordReset({ email, attempt: withDevice(read().attempt, deviceToken) })
}

async function resetPassword(
  { read, accounts, deliverer }: AccountSessionOptions,
  input: PasswordReset,
): Promise<PasswordSet | SecondFactorAsked | Refusal<'link-invalid'>> {
  const result = await accounts.resetPassword({ ...input, attempt: read().attempt })
  if (result.ok && result.status === 'password-set') deliverer.device(result.deviceToken, 'session')
  return result
}

async function signIn(
  options: AccountSessionOptions,
  { email, password, delivery, deviceToken: given, trustedDeviceToken: remembered = null }: SignInForm,
): Promise<DeliveredSignIn | SecondFactorAsked | Refusal<'invalid-credentials'>> {
  const { request, read, accounts, sessions } = options
  const shown = read()
  const attempt = withDevice(shown.attempt, given)
  const form = { email, password, delivery: readDelivery(delivery, shown), device: shown.device, attempt }
  const replaces = await sessions.read(shown.sessionCredential, request)
  const trustedDeviceToken = remembered ?? shown.trustedDeviceToken
  const result = await accounts.signIn({ ...form, replaces, trustedDeviceToken })
  if (!result.ok || result.status === 'second-factor-required') return result
  const { refreshToken } = shown
  return deliverSignIn(options, result, { refreshToken, attempt, isSessionReplaced: replaces !== null })
}

async function refresh(
  options: AccountSessionOptions,
  refreshToken: string | null,
): Promise<DeliveredRefresh | Refusal<'invalid-credentials'>> {
  const shown = options.read()
  if (refreshToken !== null) checkNativeRefresh(shown)
  const token = refreshToken ?? shown.refreshToken
  const channel = refreshToken === null ? 'cookie' : 'native'
  const result = await options.accounts.refresh({ token, channel, attempt: shown.attempt })
  if (!result.ok) return result
  await establish(options, result.identity)
  return { ok: true, ...options.deliverer.tokens(result.credentials) }
}

async function signOut(options: AccountSessionOptions): Promise<boolean> {
  const { base, read, accounts, cookies, endClientToken } = options
  if (base.identity && base.identity.impersonator !== null) return endImpersonation(options)
  // What else its client was given goes on, and so does what the browser has.
  if (await endClientToken()) return true
  const { refreshToken, isBearerSent, attempt } = read()
  const ended = await accounts.signOut({ identity: base.identity, refreshToken, attempt })
  if (!isBearerSent) base.reply.setCookie(cookies.session.clear())
  base.reply.setCookie(cookies.refresh.clear())
  return ended || !isBearerSent
}

async function confirmPassword(
  options: AccountSessionOptions,
  { currentPassword }: { readonly currentPassword: string },
): Promise<DeliveredSignIn | Refusal<'invalid-credentials'>> {
  const { base, read, accounts } = options
  const identity = base.authorize(authenticatedRule)
  const { fromBrowser, attempt } = read()
  const result = await accounts.confirmPassword({ identity, currentPassword, allowsNative: !fromBrowser, attempt })
  if (!result.ok) return result
  return deliverRenewed(options, result)
}

async function changePassword(
  { base, read, accounts, deliverer }: AccountSessionOptions,
  input: PasswordChange,
): Promise<{ readonly ok: true } | Refusal<'invalid-credentials'>> {
  const { attempt } = read()
  const identity = base.authorize('authenticated')
  const result = await accounts.changePassword({ identity, attempt, ...input })
  if (!result.ok) return result
  if (result.credentials) deliverer.session(result.credentials)
  // An application outside browsers has no cookie to replace.
  if (identity.via === 'cookie' || attempt.deviceToken !== null) deliverer.device(result.deviceToken, 'session')
  return { ok: true }
}

async function deleteAccount({ base, read, accounts, cookies }: AccountSessionOptions): Promise<DeleteAccountResult> {
  const { isBearerSent, attempt } = read()
  const deleted = await accounts.deleteAccount({ identity: base.authorize('authenticated'), attempt })
  if (!deleted.ok) return deleted
  // The session cookie beside a bearer token is that of another sign-in.
  if (!isBearerSent) base.reply.setCookie(cookies.session.clear())
  base.reply.setCookie(cookies.refresh.clear())
  base.reply.setCookie(cookies.remembered.clear())
  return deleted
}

function csrfToken({ base: { identity }, forgery }: AccountSessionOptions): string | null {
  return identity?.via === 'cookie' && identity.key !== null ? forgery.createToken(identity.key) : null
}

async function establish({ base, makeIdentity }: AccountSessionOptions, facts: IdentityFacts): Promise<void> {
  base.establish(await makeIdentity(facts))
}

/** A token in the body beside one in the cookie comes from a page, or from a confused client: neither is accepted. */
function checkNativeRefresh({ fromBrowser, isRefreshCookieSent }: PresentedCredentials): void {
  if (fromBrowser) rejectNative('input.refreshToken')
  if (!isRefreshCookieSent) return
  throw new AccessError('BAD_USER_INPUT', {
    message: 'Send the refresh token either in the cookie or in the input, not both.',
    field: 'input.refreshToken',
  })
}
