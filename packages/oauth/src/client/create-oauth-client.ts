import { type BegunSignIn, beginSignIn, type SignInStart } from './callback/begin.ts'
import type { CallbackVerdict } from './callback/callback-verdict.ts'
import { finishSignIn } from './callback/finish.ts'
import { type PostVerdict, receivePost } from './callback/receive-post.ts'
import { type LogoutInput, logoutUrlOf } from './calls/logout-url.ts'
import { createRefresh, type RefreshInput, type RefreshVerdict } from './calls/refresh.ts'
import { revokeToken } from './calls/revoke.ts'
import { readUserinfo, type UserinfoVerdict } from './calls/userinfo.ts'
import { createClientContext } from './context/client-context.ts'
import type { OAuthClientOptions } from './context/client-options.ts'
import { type LogoutVerdict, type OnBackchannelLogout, verifyLogoutToken } from './tokens/logout-token.ts'

/**
 * Signs users in with a provider. A verdict is a value; where the provider makes none possible, calls reject with an
 * `OAuthError` of `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID` or `OAUTH_CLIENT_REJECTED`: answer 503.
 */
export interface OAuthClient {
  /** The name of the provider. */
  readonly provider: string
  /** The `iss` of its identities. One that has many of them, such as Microsoft for all directories, has another one for each. */
  readonly issuer: string
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string
  /**
   * Begins a sign-in: answer 303 to `url` with `cookie` as `Set-Cookie`. Verifier, state and nonce are sealed in that cookie, one
   * for each sign-in, and end after ten minutes.
   *
   * @throws OAuthError `OAUTH_RETURN_TO_INVALID` when `returnTo` is no path of this site; TypeError when `maxAgeSeconds` is no
   *   whole number, or `binding` cannot be used.
   */
  begin(input?: SignInStart): Promise<BegunSignIn>
  /**
   * Judges the callback of a provider: state, issuer, code, id token. One callback signs in at most once, however often and in
   * however many processes it is shown. What was refused has signed in no user; answer with the verdict's `cookie`.
   *
   * @param url the address of the request, whole or from the path on. @param cookieHeader its header `Cookie`.
   */
  finish(url: string | URL, cookieHeader: string | null): Promise<CallbackVerdict>
  /**
   * Keeps an answer that was posted to the redirect URI, as Apple does it, for a minute: answer 303 to `location`, which is for
   * `finish`. It signs no user in by itself, because a browser shows the cookie to no post of another site.
   *
   * @param form the body, `application/x-www-form-urlencoded`.
   */
  receivePost(form: string): Promise<PostVerdict>
  /** Renews tokens. Calls at once with one refresh token are one request. */
  refresh(refreshToken: string, input: RefreshInput): Promise<RefreshVerdict>
  /** Asks who a user is now. What is said of another subject is refused. */
  userinfo(accessToken: string, input: { readonly subject: string }): Promise<UserinfoVerdict>
  /** Revokes a refresh token or an access token (RFC 7009). `false`: the provider has no way to do it. */
  revoke(token: string): Promise<boolean>
  /** Returns where a user signs out at the provider, or `null` where that is not possible. */
  logoutUrl(input?: LogoutInput): Promise<string | null>
  /**
   * Verifies the logout token that a provider has posted (`logout_token`): end the sessions that it names, answer 200, and 400
   * when it is refused. Each token is accepted once.
   *
   * @param end ends what the token names, before it is used up (OpenID Connect Back-Channel Logout 1.0 §2.6): what this throws is
   * thrown, and the same token may be sent again. Omitted: the token is used up first, and a failure afterwards is final.
   */
  verifyLogoutToken(token: string | null, end?: OnBackchannelLogout): Promise<LogoutVerdict>
}

/**
 * Creates a client of a provider: by authorization code with PKCE, in any server. It sends nothing before the first call.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createOAuthClient, providers } from '@latchkey/oauth/client'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const google = createOAuthClient({
 *   provider: providers.google,
 *   clientId: 'our-id',
 *   clientSecret: 'our-secret',
 *   redirectUri: 'https://app.example.com/sign-in/google/callback',
 *   records: createMemoryRecordStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 * })
 * const { url, cookie } = await google.begin({ returnTo: '/inbox' })
 */
export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const context = createClientContext(options)
  return {
    provider: context.provider.name,
    issuer: context.provider.issuer,
    redirectUri: context.redirectUri,
    begin: (input = {}) => beginSignIn(context, input),
    finish: (url, cookieHeader) => finishSignIn(context, url, cookieHeader),
    receivePost: (form) => receivePost(context, form),
    refresh: createRefresh(context),
    userinfo: (accessToken, input) => readUserinfo(context, accessToken, input),
    revoke: (token) => revokeToken(context, token),
    logoutUrl: (input = {}) => logoutUrlOf(context, input),
    verifyLogoutToken: (token, end) => verifyLogoutToken(context, token, end ?? null),
  }
}
