import type { Account, Accounts, Attempt, IdentityFacts, Refusal } from '@latchkey/accounts'
import { AccessError, type AuthContext } from '@latchkey/graphql'
import type { ForgeryCheck, HttpRequest } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { ServiceCookies } from '../settings/service-cookies.ts'
import type { MakeIdentity } from './credential-verifiers.ts'
import type { DeliveredCredentials, DeliveredTokens, Deliverer } from './deliverer.ts'
import type { ShownCredentials } from './shown-credentials.ts'

/** How credentials are delivered; the table in the README lists what goes where. */
export type CredentialDelivery = 'SESSION' | 'TOKEN' | 'NATIVE'

/** What a sign-in form asks for. */
interface SignInForm {
  readonly email: string
  readonly password: string
  readonly delivery: CredentialDelivery
}

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

/** A sign-in, with what it delivers in the body. */
export interface DeliveredSignIn extends DeliveredCredentials {
  readonly ok: true
  readonly status: 'signed-in'
  readonly account: Account
}

/** A refresh, with what it delivers in the body. */
export type DeliveredRefresh = DeliveredTokens & { readonly ok: true }

/**
 * The use cases of accounts as one request asks for them: with its cookies in, and its cookies out. They throw what the
 * use cases throw, and an `AccessError` `BAD_USER_INPUT` where a page asks for tokens of native applications.
 */
export interface AccountSession {
  /**
   * Signs in with a password. The new session or family replaces the session of the request's cookie, and a new refresh
   * cookie replaces the family of the old one: they end.
   */
  signIn(input: SignInForm): Promise<DeliveredSignIn | Refusal<'invalid-credentials'>>
  /**
   * Renews by the token of the body, or with `null` by the refresh cookie; both in one request are refused. A token that
   * is not accepted leaves the cookie, because a late refusal must not remove that of a newer sign-in.
   */
  refresh(refreshToken: string | null): Promise<DeliveredRefresh | Refusal<'invalid-credentials'>>
  /**
   * Ends the session, the family of the access token and the family of the refresh cookie, whichever the request came
   * with. A session cookie beside a bearer token is kept. `false`: the bearer token is not valid, so what it belongs to
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
  /** Returns where a secret of this request comes from, for the use cases that test one. */
  attempt(): Attempt
  /** Returns the token for mutations over the session cookie; `null` without a cookie session. */
  csrfToken(): string | null
}

export interface AccountSessionOptions {
  readonly base: AuthContext<AnyPolicy>
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => ShownCredentials
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly makeIdentity: MakeIdentity
  readonly cookies: ServiceCookies
  readonly forgery: ForgeryCheck
  readonly deliverer: Deliverer
}

const deliveries = { SESSION: 'session', TOKEN: 'token', NATIVE: 'native' } as const

export function createAccountSession(options: AccountSessionOptions): AccountSession {
  return {
    signIn: (input) => signIn(options, input),
    refresh: (refreshToken) => refresh(options, refreshToken),
    signOut: () => signOut(options),
    confirmPassword: (input) => confirmPassword(options, input),
    changePassword: (input) => changePassword(options, input),
    attempt: () => options.read().attempt,
    csrfToken: () => csrfToken(options),
  }
}

async function signIn(
  options: AccountSessionOptions,
  { email, password, delivery }: SignInForm,
): Promise<DeliveredSignIn | Refusal<'invalid-credentials'>> {
  const { base, request, read, accounts, sessions, cookies, deliverer } = options
  const { fromBrowser, device, sessionCredential, refreshToken, attempt } = read()
  if (delivery === 'NATIVE' && fromBrowser) rejectNative('input.delivery')
  const replaces = await sessions.read(sessionCredential, request)
  const result = await accounts.signIn({ email, password, delivery: deliveries[delivery], device, replaces, attempt })
  if (!result.ok) return result
  await establish(options, result.identity)
  const { ok, status, account, credentials } = result
  if (credentials.delivery === 'session') return { ok, status, account, ...deliverer.session(credentials) }
  if (credentials.delivery === 'token') await accounts.signOut({ refreshToken })
  if (replaces) base.reply.setCookie(cookies.session.clear())
  return { ok, status, account, ...deliverer.tokens(credentials) }
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

async function signOut({ base, read, accounts, cookies }: AccountSessionOptions): Promise<boolean> {
  const { refreshToken, isBearerSent } = read()
  const ended = await accounts.signOut({ identity: base.identity, refreshToken })
  if (!isBearerSent) base.reply.setCookie(cookies.session.clear())
  base.reply.setCookie(cookies.refresh.clear())
  return ended || !isBearerSent
}

async function confirmPassword(
  options: AccountSessionOptions,
  { currentPassword }: { readonly currentPassword: string },
): Promise<DeliveredSignIn | Refusal<'invalid-credentials'>> {
  const { base, read, accounts, deliverer } = options
  const identity = base.authorize('authenticated')
  const { fromBrowser, attempt } = read()
  const result = await accounts.confirmPassword({ identity, currentPassword, allowsNative: !fromBrowser, attempt })
  if (!result.ok) return result
  await establish(options, result.identity)
  const { ok, status, account, credentials } = result
  const delivered = credentials.delivery === 'session' ? deliverer.session(credentials) : deliverer.tokens(credentials)
  return { ok, status, account, ...delivered }
}

async function changePassword(
  { base, read, accounts, deliverer }: AccountSessionOptions,
  input: PasswordChange,
): Promise<{ readonly ok: true } | Refusal<'invalid-credentials'>> {
  const result = await accounts.changePassword({
    identity: base.authorize('authenticated'),
    ...input,
    attempt: read().attempt,
  })
  if (!result.ok) return result
  if (result.credentials) deliverer.session(result.credentials)
  return { ok: true }
}

function csrfToken({ base: { identity }, forgery }: AccountSessionOptions): string | null {
  return identity?.via === 'cookie' && identity.key !== null ? forgery.createToken(identity.key) : null
}

async function establish({ base, makeIdentity }: AccountSessionOptions, facts: IdentityFacts): Promise<void> {
  base.establish(await makeIdentity(facts))
}

/** A token in the body beside one in the cookie comes from a page, or from a confused client: neither is accepted. */
function checkNativeRefresh({ fromBrowser, isRefreshCookieSent }: ShownCredentials): void {
  if (fromBrowser) rejectNative('input.refreshToken')
  if (!isRefreshCookieSent) return
  throw new AccessError('BAD_USER_INPUT', {
    message: 'Two refresh tokens were sent: one in the cookie, one in the input.',
    field: 'input.refreshToken',
  })
}

/** A refresh token that a page can read can be read by an injected script. */
function rejectNative(field: string): never {
  throw new AccessError('BAD_USER_INPUT', { message: 'Native delivery is not for browsers.', field })
}
