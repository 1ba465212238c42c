import { protectedResourceRequest } from 'oauth4webapi'
import { invalidAnswer, isJsonObject, type JsonMembers, readJson, readJsonObject } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'
import type { OAuthProvider, OpenIdProvider } from '../providers/provider.ts'
import { isSubject } from '../tokens/id-token.ts'
import type { ProviderIdentity } from './callback-verdict.ts'

/**
 * Returns the identity of an id token. If the id token has no email address, it is read from userinfo. `null`: the two
 * name different users.
 */
export async function identityOf(
  context: ClientContext,
  provider: OpenIdProvider,
  metadata: ProviderMetadata,
  idToken: JsonMembers,
  accessToken: string,
): Promise<ProviderIdentity | null> {
  const isComplete = idToken.email !== undefined || !context.scopes.includes('email')
  if (isComplete || metadata.userinfo_endpoint === undefined) return toIdentity(provider, idToken)
  const userinfo = await askUserinfo(context, metadata, accessToken)
  if (userinfo === null || userinfo.sub !== idToken.sub) return null
  // Address and verification are taken from the same source.
  const { email_verified: _ofNothing, ...signed } = idToken
  return toIdentity(provider, { ...userinfo, ...signed })
}

function toIdentity(provider: OpenIdProvider, claims: JsonMembers): ProviderIdentity {
  const { iss, sub, email, amr, sid, auth_time: authTime } = claims
  const { isEmailVerified = ({ email_verified }: JsonMembers) => email_verified === true } = provider
  const address = typeof email === 'string' && email !== '' ? email : null
  return {
    provider: provider.name,
    issuer: String(iss),
    subject: String(sub),
    claims,
    email: address,
    emailVerified: address !== null && isEmailVerified(claims),
    amr: Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : [],
    sid: isSubject(sid) ? sid : null,
    authenticatedAt: typeof authTime === 'number' ? authTime * 1000 : null,
  }
}

/** Returns the identity from the API of an OAuth 2.0 provider; `null`: the API names no user. */
export async function userOf(
  context: ClientContext,
  provider: OAuthProvider,
  accessToken: string,
): Promise<ProviderIdentity | null> {
  const answers: unknown[] = []
  for (const endpoint of provider.userEndpoints) {
    const response = await present(context, endpoint, accessToken)
    answers.push(response.status === 200 ? await readJson(response) : null)
  }
  const user = provider.readUser(answers)
  if (!user || !isSubject(user.subject)) return null
  const { issuer, name } = provider
  return {
    provider: name,
    issuer,
    subject: user.subject,
    claims: { sub: user.subject, ...(user.name !== null && { name: user.name }) },
    email: user.verifiedEmail,
    emailVerified: user.verifiedEmail !== null,
    amr: [],
    sid: null,
    authenticatedAt: null,
  }
}

/**
 * Returns the claims of userinfo, or `null` when the access token is refused.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID`
 */
export async function askUserinfo(
  context: ClientContext,
  { userinfo_endpoint: endpoint }: ProviderMetadata,
  accessToken: string,
): Promise<JsonMembers | null> {
  if (endpoint === undefined) throw invalidAnswer('there is no userinfo endpoint')
  const response = await present(context, endpoint, accessToken)
  if (response.status === 401) return null
  const claims = response.status === 200 ? await readJsonObject(response) : null
  if (!isJsonObject(claims) || !isSubject(claims.sub)) throw invalidAnswer('userinfo does not say who it is about')
  return claims
}

async function present({ libraryOptions }: ClientContext, endpoint: string, accessToken: string): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  try {
    return await protectedResourceRequest(accessToken, 'GET', new URL(endpoint), headers, null, libraryOptions)
  } catch (error) {
    return refusedAnswer(error)
  }
}

/** The library throws an answer with a challenge. */
function refusedAnswer(error: unknown): Response {
  if (error instanceof Error && 'response' in error && error.response instanceof Response) return error.response
  throw error
}
