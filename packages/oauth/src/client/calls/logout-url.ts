import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'

/** Returns the provider's logout URL (RP-Initiated Logout §2); `null`: the provider has no such endpoint. */
export async function logoutUrlOf(
  context: ClientContext,
  input: NonNullable<Parameters<OAuthClient['logoutUrl']>[0]>,
): Promise<string | null> {
  const { end_session_endpoint: endpoint } = await context.askProvider(async (metadata) => metadata)
  if (endpoint === undefined) return null
  const url = new URL(endpoint)
  url.searchParams.set('client_id', context.clientId)
  const { idToken, postLogoutRedirectUri, state } = input
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: postLogoutRedirectUri, state }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  return url.href
}
