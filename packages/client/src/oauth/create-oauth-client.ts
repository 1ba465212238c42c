import { createCore } from '../core/create-core.ts'
import { openStorage } from '../platform/open-storage.ts'
import { randomText } from '../platform/random.ts'
import { start } from '../presence/presence.ts'
import type { AuthUser } from '../state/auth-state.ts'
import type { OAuthClient } from './oauth-client.ts'
import { oauthDelivery } from './oauth-delivery.ts'
import { openKeys } from './open-keys.ts'
import { digest, thumbprint } from './proofs.ts'
import { keepDeparture, localPath } from './redirects.ts'
import { createTokenEndpoint } from './token-endpoint.ts'

/**
 * Returns a client that signs in on the pages of the service, from any origin: authorization code, PKCE, and tokens that are
 * bound to a key of this browser (RFC 9449). Its first call or listener sends the first request.
 *
 * @example
 * import { createOAuthClient } from '@latchkey/client/oauth'
 *
 * const auth = createOAuthClient({
 *   issuer: 'https://id.example.com',
 *   clientId: 'shop',
 *   redirectUri: 'https://shop.example.com/callback',
 * })
 * const answer = await auth.handleRedirect()
 * if (answer) history.replaceState(null, '', answer.returnTo)
 */
export function createOAuthClient<User extends { readonly id: string } = Pick<AuthUser, 'id' | 'name'>>(options: {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scope?: string
  readonly url?: string
  readonly userFields?: string
  readonly waitMs?: number
  readonly fetch?: typeof globalThis.fetch
}): OAuthClient<User> {
  if (!options?.issuer) throw new TypeError('createOAuthClient needs "issuer", "clientId" and "redirectUri".')
  const { issuer, clientId, redirectUri, scope = 'openid profile email online_access', fetch } = options
  const { url = `${issuer}/graphql`, userFields = 'id name' } = options
  const name = `latchkey ${url} ${clientId}`
  const kept = openStorage(`${name} `)
  const keys = openKeys(name)
  const endpoint = createTokenEndpoint({ issuer, clientId, keys, fetch })
  const { delivery, redirect } = oauthDelivery<User>({ issuer, redirectUri, kept, keys, endpoint })
  const signInWithRedirect: OAuthClient<User>['signInWithRedirect'] = async ({
    returnTo = location.href,
    prompt,
    maxAge,
  } = {}) => {
    const verifier = randomText()
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope },
      ...{ state: keepDeparture({ verifier, returnTo: localPath(returnTo) }), code_challenge_method: 'S256' },
      ...{ code_challenge: await digest(verifier), dpop_jkt: await thumbprint((await keys.read()).keys) },
      ...(prompt && { prompt }),
      ...(maxAge !== undefined && { max_age: `${maxAge}` }),
    })
    location.assign(`${issuer}/authorize?${query}`)
    return new Promise<never>(() => {})
  }
  const { client, page } = createCore<User>({
    ...options,
    ...{ name, url, userFields, kept, delivery },
    prove: (_page, _proof, _challenge, maxAge) => signInWithRedirect({ maxAge }),
  })
  const handleRedirect: OAuthClient<User>['handleRedirect'] = () => {
    const answer = redirect()
    start(page)
    return answer
  }
  return { ...client, signInWithRedirect, handleRedirect }
}
