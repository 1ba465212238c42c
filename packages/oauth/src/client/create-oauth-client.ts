import { beginSignIn } from './callback/begin.ts'
import { finishSignIn } from './callback/finish.ts'
import { receivePost } from './callback/receive-post.ts'
import { logoutUrlOf } from './calls/logout-url.ts'
import { createRefresh } from './calls/refresh.ts'
import { revokeToken } from './calls/revoke.ts'
import { readUserinfo } from './calls/userinfo.ts'
import { createClientContext } from './context/client-context.ts'
import type { OAuthClientOptions } from './context/client-options.ts'
import type { OAuthClient } from './contract/oauth-client.ts'
import { verifyLogoutToken } from './tokens/logout-token.ts'

/**
 * Creates a client of a provider, which signs users in with the authorization code flow and PKCE. It sends no request
 * before the first call.
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
