import type { HttpResponse } from '@latchkey/http'
import type { ClientTokenRefusal } from '../service/clients/client-tokens.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import type { Route } from './passage.ts'

/** The algorithms for DPoP proofs (RFC 9449 §7.1). */
const algorithms = 'algs="ES256 EdDSA RS256 PS256"'

interface ChallengedParts {
  readonly resource: NonNullable<Route['resource']>
  readonly site: Site
  /** Why the token of the request was refused, or `null`. */
  readonly refusal: ClientTokenRefusal | null
}

/**
 * Adds the resource's metadata to the challenges of a response (RFC 9728 §5.1), and a DPoP challenge (RFC 9449 §7.1). A
 * client with a wrong clock gets a nonce, even on a successful response.
 */
export function nameResource(response: HttpResponse, { resource, site, refusal }: ChallengedParts): HttpResponse {
  const nonce = refusal?.nonce ?? null
  if (response.status !== 401 && response.status !== 403 && nonce === null) return response
  const metadata = `resource_metadata="${site.base.origin}${resource.metadataPath}"`
  const headers = response.headers.flatMap(([name, value]): HttpResponse['headers'] => {
    if (name.toLowerCase() !== 'www-authenticate') return [[name, value]]
    const bearer = [name, `${value}, ${metadata}`] as const
    const dpop = [name, `DPoP ${[...dpopParameters(value, refusal), algorithms, metadata].join(', ')}`] as const
    return refusal?.reason === 'nonce' ? [dpop] : [bearer, dpop]
  })
  return { ...response, headers: nonce === null ? headers : [...headers, ['DPoP-Nonce', nonce]] }
}

/**
 * Returns the parameters of the DPoP challenge: error, age and scopes of the bearer challenge, unless the proof was
 * refused.
 */
function dpopParameters(bearer: string, refusal: ClientTokenRefusal | null): readonly string[] {
  const parameters = [...bearer.matchAll(/(?:error|max_age|scope)="[^"]*"/g)].map(([parameter]) => parameter)
  const scopes = parameters.filter((parameter) => parameter.startsWith('scope='))
  if (refusal?.reason === 'proof') return ['error="invalid_dpop_proof"', ...scopes]
  if (refusal?.reason === 'nonce') return ['error="use_dpop_nonce"', ...scopes]
  return parameters
}
