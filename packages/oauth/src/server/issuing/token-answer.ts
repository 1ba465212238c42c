import type { RefreshFamily } from '@latchkey/sessions'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import { issueAccessToken } from './access-tokens.ts'
import { type IdTokenInput, issueIdToken } from './id-tokens.ts'

/** The result of a grant. */
export interface Granted {
  readonly ok: true
  /** `null`: the grant is `client_credentials`. */
  readonly family: RefreshFamily | null
  /** `null`: neither `offline_access` nor `online_access` was allowed. */
  readonly refreshToken: string | null
  readonly scopes: readonly string[]
  readonly audience: string
  /** The latest expiry of the access token, in epoch milliseconds. Omitted: the usual lifetime. */
  readonly endsAt?: number
  /** The claims of an id token that the family does not know. */
  readonly idToken?: Partial<Pick<IdTokenInput, 'nonce' | 'sessionKey'>>
}

/** A successful answer (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer' | 'DPoP'
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/**
 * Creates the tokens of a grant; `null`: their session has ended meanwhile. `keyBinding`: the thumbprint of the key of the
 * request's proof.
 */
export async function answerWith(
  context: ServerContext,
  { family, refreshToken, scopes, audience, endsAt = Number.POSITIVE_INFINITY, idToken }: Granted,
  { client, keyBinding }: { readonly client: RegisteredClient; readonly keyBinding: string | null },
): Promise<TokenAnswer | null> {
  const asked = { family, clientId: client.id, scopes, audience, keyBinding, endsAt }
  const issued = await issueAccessToken(context, asked)
  if (!issued) return null
  const { token: accessToken, expiresIn } = issued
  const isOpenId = family !== null && scopes.includes('openid')
  return {
    access_token: accessToken,
    token_type: keyBinding === null ? 'Bearer' : 'DPoP',
    expires_in: expiresIn,
    scope: scopes.join(' '),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    ...(isOpenId && {
      id_token: await issueIdToken(context, { ...idTokenInput(family, accessToken, idToken), client }),
    }),
  }
}

function idTokenInput(
  family: RefreshFamily,
  accessToken: string,
  more: Granted['idToken'] = {},
): Omit<IdTokenInput, 'client'> {
  const { subject, factors, authenticatedAt, givenIn } = family
  const known = { subject, factors, authenticatedAt, sessionKey: givenIn }
  return { ...known, accessToken, nonce: null, ...more }
}
