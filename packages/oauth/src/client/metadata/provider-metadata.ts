import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type DiscoveryRequestOptions,
  discoveryRequest,
} from 'oauth4webapi'
import { invalidAnswer, isJsonObject, type JsonMembers, readJsonObject } from '../connection/json-object.ts'
import { isPlainLoopback, isSecureAddress } from '../connection/provider-address.ts'
import type { ProviderFetch } from '../connection/provider-fetch.ts'
import type { Provider } from '../contract/provider.ts'

/** The metadata of a provider that this client uses (RFC 8414, OpenID Connect Discovery). */
export interface ProviderMetadata extends AuthorizationServer {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
}

const requiredAddresses = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const furtherAddresses = ['userinfo_endpoint', 'revocation_endpoint', 'end_session_endpoint'] as const

/**
 * Returns the metadata of a provider: discovered, or from the preset of an OAuth 2.0 provider.
 *
 * @throws OAuthError `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID`
 */
export async function loadMetadata(provider: Provider, fetch: ProviderFetch): Promise<ProviderMetadata> {
  const { issuer } = provider
  if (provider.protocol === 'oauth') return toMetadata(issuer, provider.endpoints)
  const options: DiscoveryRequestOptions = { [customFetch]: fetch, [allowInsecureRequests]: isPlainLoopback(issuer) }
  const response = await discoveryRequest(new URL(issuer), options)
  if (response.status !== 200) throw invalidAnswer('there is no discovery document')
  const found = await readJsonObject(response)
  // Another spelling is another issuer (OpenID Connect Discovery §4.3).
  if (found.issuer !== (provider.announcedIssuer ?? issuer))
    throw invalidAnswer('the discovery document is of another issuer')
  checkMembers(found, isPlainLoopback(issuer))
  return { ...pick(found), issuer }
}

function toMetadata(
  issuer: string,
  { authorization, token, revocation }: Extract<Provider, { protocol: 'oauth' }>['endpoints'],
): ProviderMetadata {
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(revocation !== undefined && { revocation_endpoint: revocation }),
  }
}

function checkMembers(found: JsonMembers, allowsLoopback: boolean): void {
  for (const name of requiredAddresses) checkAddress(found, name, allowsLoopback)
  for (const name of furtherAddresses) if (found[name] !== undefined) checkAddress(found, name, allowsLoopback)
  const methods = found.token_endpoint_auth_methods_supported
  if (methods !== undefined && !(Array.isArray(methods) && methods.every((method) => typeof method === 'string'))) {
    throw invalidAnswer('"token_endpoint_auth_methods_supported" is no list of texts')
  }
  const named = found.authorization_response_iss_parameter_supported
  if (named !== undefined && typeof named !== 'boolean') {
    throw invalidAnswer('"authorization_response_iss_parameter_supported" is neither true nor false')
  }
}

/** A remote provider must not make this machine send requests to itself. */
function checkAddress(found: JsonMembers, name: string, allowsLoopback: boolean): void {
  if (!isSecureAddress(found[name], { allowsLoopback })) throw invalidAnswer(`"${name}" is no https address`)
}

const used: readonly string[] = [
  ...requiredAddresses,
  ...furtherAddresses,
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
]

/** Unchecked members do not reach the library. */
function pick(found: JsonMembers): ProviderMetadata {
  const members = Object.entries(found).filter(([name]) => used.includes(name))
  return Object.fromEntries(members) as unknown as ProviderMetadata
}

/** A published key set. A key is checked only when it is used. */
export interface PublishedKeys {
  readonly keys: JsonMembers[]
}

const keysAtMost = 100

/**
 * Returns the keys that a provider publishes (RFC 7517 §5).
 *
 * @throws OAuthError `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID`
 */
export async function loadKeys(address: string, fetch: ProviderFetch): Promise<PublishedKeys> {
  const response = await fetch(address, { headers: { accept: 'application/jwk-set+json, application/json' } })
  if (response.status !== 200) throw invalidAnswer('there are no keys')
  const { keys } = await readJsonObject(response)
  if (!Array.isArray(keys) || keys.length > keysAtMost || !keys.every(isJsonObject)) {
    throw invalidAnswer(`"keys" is no list of up to ${keysAtMost} keys`)
  }
  return { keys }
}
