import type { Accounts } from '@latchkey/accounts'
import type { IdentityFacts } from '@latchkey/accounts/internal'
import { AccessError, type AuthContext } from '@latchkey/graphql'
import type { ForgeryCheck, HttpRequest } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { AccountSession } from './account-session.ts'
import { authenticatedRule } from './authenticated-rule.ts'
import { bindLate } from './bind-late.ts'
import { requestSignInCode, signInWithCode } from './code-session.ts'
import type { MakeIdentity } from './credential-verifiers.ts'
import { current } from './current-session.ts'
import { deliverRenewed, deliverSignIn, readDelivery, rejectNative, withDevice } from './deliver-sign-in.ts'
import type { Deliverer } from './deliverer.ts'
import { endImpersonation, startImpersonation } from './impersonation-session.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
import { confirmProvider, signInWithProvider } from './provider-session.ts'

export interface AccountSessionOptions {
  /** The context of a GraphQL operation, or the same members of a page. */
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'authorize' | 'establish' | 'response'>
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly makeIdentity: MakeIdentity
  readonly cookies: ServiceCookies
  readonly forgery: ForgeryCheck
  readonly deliverer: Deliverer
  readonly now: () => number
  /** Revokes the request's token if it is a client's. `false` for any other credential. */
  readonly endClientToken: () => Promise<boolean>
}

type Input<Name extends keyof AccountSession> = Parameters<AccountSession[Name]>[0]

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
  current,
})

export function createAccountSession(make: () => AccountSessionOptions): AccountSession {
  return new LateAccountSession(make)
}

async function signUp(
  { base, read, accounts, cookies }: AccountSessionOptions,
  input: Input<'signUp'>,
): ReturnType<AccountSession['signUp']> {
  const { browserSecret: shown, attempt } = read()
  const { accepted, browserSecret } = await accounts.signUp({ ...input, browserSecret: shown, attempt })
  base.response.setCookie(cookies.signUp.write(browserSecret))
  return { accepted }
}

async function verifyEmail(
  { read, accounts }: AccountSessionOptions,
  { token, password = null }: Input<'verifyEmail'>,
): ReturnType<AccountSession['verifyEmail']> {
  const { browserSecret, attempt } = read()
  return accounts.verifyEmail({ token, password, browserSecret, attempt })
}

async function requestPasswordReset(
  { read, accounts }: AccountSessionOptions,
  { email, deviceToken }: Input<'requestPasswordReset'>,
): Promise<true> {
  return accounts.requestPasswordReset({ email, attempt: withDevice(read().attempt, deviceToken) })
}

async function resetPassword(
  { read, accounts, deliverer }: AccountSessionOptions,
  input: Input<'resetPassword'>,
): ReturnType<AccountSession['resetPassword']> {
  const result = await accounts.resetPassword({ ...input, attempt: read().attempt })
  if (result.ok && result.status === 'password-set') deliverer.device(result.deviceToken, 'session')
  return result
}

async function signIn(
  options: AccountSessionOptions,
  { email, password, delivery, deviceToken: given, trustedDeviceToken: remembered = null }: Input<'signIn'>,
): ReturnType<AccountSession['signIn']> {
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
  idempotencyKey: string | null = null,
): ReturnType<AccountSession['refresh']> {
  if (idempotencyKey !== null) checkAttempt(idempotencyKey)
  const shown = options.read()
  if (refreshToken !== null) checkNativeRefresh(shown)
  const token = refreshToken ?? shown.refreshToken
  const channel = refreshToken === null ? 'cookie' : 'native'
  const result = await options.accounts.refresh({ token, channel, idempotencyKey, attempt: shown.attempt })
  if (!result.ok) return result
  await establish(options, result.identity)
  return { ok: true, ...options.deliverer.tokens(result.credentials) }
}

async function signOut(options: AccountSessionOptions): Promise<boolean> {
  const { base, read, accounts, cookies, endClientToken } = options
  if (base.identity && base.identity.impersonator !== null) return endImpersonation(options)
  if (base.identity && base.identity.apiKey !== null) throw new AccessError('FORBIDDEN', keptFromKeys)
  // Other tokens of the client and the cookies of the browser stay valid.
  if (await endClientToken()) return true
  const { refreshToken, isBearerSent, attempt } = read()
  const ended = await accounts.signOut({ identity: base.identity, refreshToken, attempt })
  if (!isBearerSent) base.response.setCookie(cookies.session.clear())
  base.response.setCookie(cookies.refresh.clear())
  return ended || !isBearerSent
}

/** A key is revoked by its owner. */
const keptFromKeys = { message: 'This is not possible with an API key.', reason: 'api-key' } as const

async function confirmPassword(
  options: AccountSessionOptions,
  { currentPassword }: Input<'confirmPassword'>,
): ReturnType<AccountSession['confirmPassword']> {
  const { base, read, accounts } = options
  const identity = base.authorize(authenticatedRule)
  const { fromBrowser, attempt } = read()
  const result = await accounts.confirmPassword({ identity, currentPassword, allowsNative: !fromBrowser, attempt })
  if (!result.ok) return result
  return deliverRenewed(options, result)
}

async function changePassword(
  { base, read, accounts, deliverer }: AccountSessionOptions,
  input: Input<'changePassword'>,
): ReturnType<AccountSession['changePassword']> {
  const { attempt } = read()
  const identity = base.authorize('authenticated')
  const result = await accounts.changePassword({ identity, attempt, ...input })
  if (!result.ok) return result
  if (result.credentials) deliverer.session(result.credentials)
  // An application outside browsers has no cookie to replace.
  if (identity.via === 'cookie' || attempt.deviceToken !== null) deliverer.device(result.deviceToken, 'session')
  return { ok: true }
}

async function deleteAccount({
  base,
  read,
  accounts,
  cookies,
}: AccountSessionOptions): ReturnType<Accounts['deleteAccount']> {
  const { isBearerSent, attempt } = read()
  const deleted = await accounts.deleteAccount({ identity: base.authorize('authenticated'), attempt })
  if (!deleted.ok) return deleted
  // With a bearer token, the session cookie belongs to another sign-in.
  if (!isBearerSent) base.response.setCookie(cookies.session.clear())
  base.response.setCookie(cookies.refresh.clear())
  base.response.setCookie(cookies.remembered.clear())
  return deleted
}

function csrfToken({ base: { identity }, forgery }: AccountSessionOptions): string | null {
  return identity?.via === 'cookie' && identity.key !== null ? forgery.createToken(identity.key) : null
}

async function establish({ base, makeIdentity }: AccountSessionOptions, facts: IdentityFacts): Promise<void> {
  base.establish(await makeIdentity(facts))
}

function checkAttempt(attempt: string): void {
  if (/^[\w-]{22,64}$/.test(attempt)) return
  throw new AccessError('BAD_USER_INPUT', {
    message: 'The attempt must have 22 to 64 characters of A-Z, a-z, 0-9, - and _.',
    field: 'input.attempt',
  })
}

/** Rejects a token in the body if a page has sent it, or if the cookie has a token, too. */
function checkNativeRefresh({ fromBrowser, isRefreshCookieSent }: PresentedCredentials): void {
  if (fromBrowser) rejectNative('input.refreshToken')
  if (!isRefreshCookieSent) return
  throw new AccessError('BAD_USER_INPUT', {
    message: 'Send the refresh token either in the cookie or in the input, not both.',
    field: 'input.refreshToken',
  })
}
