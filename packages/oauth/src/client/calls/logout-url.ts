import type { ClientContext } from '../context/client-context.ts'

/** What a provider is told when a user signs out there. */
export interface LogoutInput {
  /** The id token of the sign-in: without it the provider asks the user. */
  readonly idToken?: string | null
  /** Where the provider sends the browser back to, as it is registered there. */
  readonly postLogoutRedirectUri?: string
  /** Comes back with the browser. */
  readonly state?: string
}

/** Returns where a user signs out at the provider (RP-Initiated Logout §2), or `null` where that is not possible. */
export async function logoutUrlOf(context: ClientContext, input: LogoutInput): Promise<string | null> {
  const { end_session_endpoint: endpoint } = await context.askProvider(async (metadata) => metadata)
  if (endpoint === undefined) return null
  const url = new URL(endpoint)
  url.searchParams.set('client_id', context.clientId)
  const { idToken, postLogoutRedirectUri, state } = input
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: postLogoutRedirectUri, state }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  return url.href
}
