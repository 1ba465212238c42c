import { genericTokenEndpointRequest } from 'oauth4webapi'
import { OAuthError } from '../../errors.ts'
import { invalidAnswer, type JsonMembers, readJsonObject } from '../connection/json-object.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'

/** The codes of RFC 6749 §5.2. Other codes are not repeated, because they may contain any text. */
const knownCodes: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
])

/**
 * Requests tokens. Returns the response, or `null` if the provider refuses the code or refresh token.
 *
 * @throws OAuthError `OAUTH_CLIENT_REJECTED` for any other refusal.
 */
export async function requestTokens(
  context: ClientContext,
  metadata: ProviderMetadata,
  grantType: 'authorization_code' | 'refresh_token',
  parameters: Readonly<Record<string, string>>,
): Promise<Response | null> {
  const { provider, libraryOptions } = context
  const authentication = await context.authentication(metadata)
  const response = await genericTokenEndpointRequest(
    metadata,
    context.libraryClient(),
    authentication,
    grantType,
    parameters,
    libraryOptions,
  )
  const answer = await readJsonObject(response)
  const error = answer.error ?? undefined
  if (response.status === 200 && error === undefined) return withoutNulls(response, answer)
  if (typeof error !== 'string') throw invalidAnswer('a refusal has no "error"')
  const code = codeOf(provider.errorCodes, error)
  if (code === 'invalid_grant') return null
  throw refusedByProvider(code)
}

/** Some providers write `null` for an absent member. */
function withoutNulls(response: Response, answer: JsonMembers): Response {
  const given = Object.entries(answer).filter(([, value]) => value !== null)
  if (given.length === Object.keys(answer).length) return response
  const { status, headers } = response
  return new Response(JSON.stringify(Object.fromEntries(given)), { status, headers })
}

/** Returns the standard code for a provider's error code. */
export function codeOf(codes: Readonly<Record<string, string>> | undefined, error: string): string {
  return codes && Object.hasOwn(codes, error) ? (codes[error] ?? error) : error
}

function refusedByProvider(code: string): OAuthError {
  const why = knownCodes.has(code) ? code : 'by a code of its own'
  return new OAuthError('OAUTH_CLIENT_REJECTED', `the provider refuses this client: ${why}`)
}
