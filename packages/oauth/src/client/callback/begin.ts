import { isLocalPath } from '@latchkey/http'
import { OAuthError } from '../../errors.ts'
import { challengeOf } from '../../pkce.ts'
import { invalidAnswer } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'
import { nonceOf, startTransaction, type Transaction, verifierOf } from '../transactions/transaction.ts'

type SignInStart = NonNullable<Parameters<OAuthClient['begin']>[0]>

/** Starts a sign-in. Returns the provider's URL and the transaction's cookie. */
export async function beginSignIn(context: ClientContext, input: SignInStart): ReturnType<OAuthClient['begin']> {
  const { returnTo = '/', cookieHeader = null, maxAgeSeconds = null, binding = null } = input
  if (!isLocalPath(returnTo) || returnTo.length > 1024) {
    throw new OAuthError('OAUTH_RETURN_TO_INVALID', 'a sign-in returns to a path of this site of up to 1024 characters')
  }
  if (maxAgeSeconds !== null && !(Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0)) {
    throw new TypeError('"maxAgeSeconds" must be a whole number, 0 or more')
  }
  if (!isBinding(binding)) throw new TypeError('"binding" must be 1 to 96 letters, digits and any of -._~:')
  const { cookies } = context
  const { authorization_endpoint: endpoint } = await context.askProvider(async (found) => {
    if (context.sharesRedirectUri && found.authorization_response_iss_parameter_supported !== true) {
      throw invalidAnswer('the provider does not name itself in its answers: it needs a redirect URI of its own')
    }
    return found
  })
  const place = cookies.choosePlace(cookieHeader)
  const transaction = startTransaction(place, { returnTo, maxAgeSeconds, binding, startedAt: context.now() })
  return { url: addressOf(context, endpoint, transaction, input), cookie: await cookies.write(transaction) }
}

function isBinding(binding: string | null): boolean {
  return binding === null || (typeof binding === 'string' && /^[\w.~:-]{1,96}$/.test(binding))
}

/** Keeps the query parameters of the endpoint (RFC 6749 §3.1). */
function addressOf(context: ClientContext, endpoint: string, transaction: Transaction, input: SignInStart): string {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parametersOf(context, transaction, input))) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}

function parametersOf(
  { provider, clientId, redirectUri, scopes, offline }: ClientContext,
  transaction: Transaction,
  input: SignInStart,
): Readonly<Record<string, string | undefined>> {
  const besides = offline ? provider.offline : undefined
  return {
    ...provider.parameters,
    ...besides?.parameters,
    ...(input.prompt !== undefined && { prompt: input.prompt }),
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: [...new Set([...scopes, ...(besides?.scopes ?? [])])].join(' '),
    state: transaction.state,
    code_challenge: challengeOf(verifierOf(transaction)),
    code_challenge_method: 'S256',
    nonce: provider.protocol === 'openid' ? nonceOf(transaction) : undefined,
    response_mode: provider.responseMode,
    login_hint: input.loginHint,
    max_age: input.maxAgeSeconds === undefined ? undefined : String(input.maxAgeSeconds),
    acr_values: input.acrValues?.join(' '),
  }
}
