import { processGenericTokenEndpointResponse, type TokenEndpointResponse } from 'oauth4webapi'
import { invalidAnswer } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { TokenSet } from '../contract/oauth-client.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'

/** @throws OAuthError `OAUTH_PROVIDER_INVALID` for tokens that are bound to a key, because this client has no key. */
export function toTokenSet(answer: TokenEndpointResponse, now: number): TokenSet {
  if (answer.token_type !== 'bearer') throw invalidAnswer('the access token is no bearer token')
  return {
    accessToken: answer.access_token,
    expiresAt: answer.expires_in === undefined ? null : now + answer.expires_in * 1000,
    refreshToken: answer.refresh_token ?? null,
    idToken: answer.id_token ?? null,
    // GitHub separates them by commas.
    scopes: answer.scope === undefined ? null : answer.scope.split(/[ ,]+/).filter((scope) => scope !== ''),
  }
}

/**
 * Returns the tokens of a provider without id tokens.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID`
 */
export async function readOAuthTokens(
  context: ClientContext,
  metadata: ProviderMetadata,
  response: Response,
): Promise<TokenSet> {
  const answer = await processGenericTokenEndpointResponse(metadata, context.libraryClient(), response).catch(
    () => null,
  )
  // The library's error holds the whole answer, tokens and all.
  if (!answer) throw invalidAnswer('the token endpoint answers by another protocol')
  return toTokenSet(answer, context.now())
}
