import type { HttpResponse } from '@latchkey/http'
import { resourceMetadataPath } from '../options/oauth/authorization-paths.ts'
import type { ClientTokenRefusal } from '../service/clients/client-tokens.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** What proofs of keys may be signed with (RFC 9449 §7.1). */
const algorithms = 'algs="ES256 EdDSA RS256 PS256"'

/**
 * Returns a response of the endpoint whose challenges name its metadata (RFC 9728 §5.1), beside which tokens that are bound to
 * a key are asked for (RFC 9449 §7.1).
 *
 * @param refusal why the token of the request was refused, or `null`.
 */
export function nameResource(
  response: HttpResponse,
  refusal: ClientTokenRefusal | null,
  { base, path }: Site,
): HttpResponse {
  if (response.status !== 401 && response.status !== 403) return response
  const metadata = `resource_metadata="${base.origin}${resourceMetadataPath(path)}"`
  const headers = response.headers.flatMap(([name, value]): HttpResponse['headers'] => {
    if (name.toLowerCase() !== 'www-authenticate') return [[name, value]]
    const bearer = [name, `${value}, ${metadata}`] as const
    return [bearer, [name, `DPoP ${[...dpopParameters(value, refusal), algorithms, metadata].join(', ')}`]]
  })
  return { ...response, headers }
}

/** Those of the challenge beside it: error and age are the same for both schemes. */
function dpopParameters(bearer: string, refusal: ClientTokenRefusal | null): readonly string[] {
  if (refusal === 'proof') return ['error="invalid_dpop_proof"']
  return [...bearer.matchAll(/(?:error|max_age)="[^"]*"/g)].map(([parameter]) => parameter)
}
