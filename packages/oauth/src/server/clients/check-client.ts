import { clientAlgorithms, publicKeyOf } from '../../proofs/signed-claims.ts'
import { isScopeToken } from '../parameters/scope.ts'
import { isClientId } from './client-lookup.ts'
import { findRedirectFault } from './redirect-uri.ts'
import type { ClientAuthentication, GrantType, RegisteredClient } from './registered-client.ts'

/** The registration of a client. */
export interface ClientInput {
  /** The name on the consent page. */
  readonly name: string
  /** @default 'web' */
  readonly kind?: 'web' | 'native'
  /** Each of these methods authenticates a request. `none` and `private_key_jwt` cannot be combined with others. */
  readonly authentication: readonly [RegisteredClient['authentication'][number], ...RegisteredClient['authentication']]
  /** The public keys of `private_key_jwt`. */
  readonly jwks?: NonNullable<RegisteredClient['jwks']>
  /** @default with redirects `authorization_code` and `refresh_token`, else `client_credentials` */
  readonly grantTypes?: readonly [RegisteredClient['grantTypes'][number], ...RegisteredClient['grantTypes']]
  /** Absolute addresses, compared byte for byte. @default [] */
  readonly redirectUris?: readonly string[]
  /** @default [] */
  readonly postLogoutRedirectUris?: readonly string[]
  /**
   * The URL that receives logout tokens for revoked sessions of the client's id tokens (OpenID Connect Back-Channel Logout 1.0
   * §2.2): `https:`, or `http:` on loopback if the issuer is on loopback too. Each logout token has `sub` and `sid`. Omitted:
   * the client is not notified.
   */
  readonly backchannelLogoutUri?: string
  /**
   * The algorithm of the client's id tokens and logout tokens (`id_token_signed_response_alg`). The server needs a key for it.
   * @default the first of `id_token_signing_alg_values_supported`
   */
  readonly idTokenSignedResponseAlg?: NonNullable<RegisteredClient['idTokenSignedResponseAlg']>
  /**
   * The scopes that the client may request.
   *
   * @default []
   */
  readonly scopes?: readonly string[]
  /**
   * `true`: the client belongs to the service. It has no secret and sends DPoP proofs. It needs no consent if its redirect is
   * `https:`, or `http:` on loopback and the issuer is on loopback too. `readAccessToken` returns `firstParty: true` for its
   * tokens, which keep their scopes.
   * @default false
   */
  readonly firstParty?: boolean
}

const deviceCode: GrantType = 'urn:ietf:params:oauth:grant-type:device_code'
const grantTypes: readonly GrantType[] = ['authorization_code', 'refresh_token', 'client_credentials', deviceCode]
const methods: readonly ClientAuthentication[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
]

/** Returns a client with the default for every omitted member. */
export function clientFrom(
  id: string,
  input: ClientInput,
  secretHashes: readonly string[],
  createdAt: number,
): RegisteredClient {
  const { name, kind = 'web', authentication, jwks = null, redirectUris = [], postLogoutRedirectUris = [] } = input
  const { backchannelLogoutUri = null, idTokenSignedResponseAlg = null } = input
  const uris = {
    redirectUris: [...redirectUris],
    postLogoutRedirectUris: [...postLogoutRedirectUris],
    backchannelLogoutUri,
    idTokenSignedResponseAlg,
  }
  const byRedirects: readonly GrantType[] =
    redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : ['client_credentials']
  const scopes = [...new Set(input.scopes ?? [])]
  const given = {
    grantTypes: [...(input.grantTypes ?? byRedirects)],
    authentication: [...authentication],
    secretHashes,
  }
  const { firstParty = false } = input
  return { id, name, kind, jwks, ...given, ...uris, scopes, firstParty, isDisabled: false, createdAt }
}

/** Returns the rule that a client breaks as a sentence about its registration, or `null`. */
export function findClientFault(client: RegisteredClient): string | null {
  const { id, name, kind, redirectUris, postLogoutRedirectUris, scopes } = client
  if (!isClientId(id))
    return 'the id must have 1 to 64 characters of A-Z a-z 0-9 . _ ~ -, not begin with acc_, and not be first-party'
  if (typeof name !== 'string' || !/^[^\p{C}]{1,100}$/u.test(name) || name.trim() !== name) {
    return 'the name must have 1 to 100 characters that can be shown'
  }
  if (kind !== 'web' && kind !== 'native') return 'the kind must be web or native'
  if (!scopes.every(isScopeToken)) return 'a scope must be a text without spaces, quotes and backslashes'
  return (
    findAuthenticationFault(client) ??
    findGrantFault(client) ??
    findFirstPartyFault(client) ??
    findUrisFault('redirect', redirectUris) ??
    findUrisFault('redirect after logout', postLogoutRedirectUris) ??
    findBackchannelFault(client) ??
    findIdTokenFault(client)
  )
}

function findAuthenticationFault({ authentication, secretHashes, jwks }: RegisteredClient): string | null {
  const isListed = authentication.length > 0 && authentication.every((method) => methods.includes(method))
  if (!isListed) return `the authentication must be of ${methods.join(', ')}`
  const takesSecret = authentication.some((method) => method.startsWith('client_secret_'))
  const takesOther = authentication.some((method) => method === 'none' || method === 'private_key_jwt')
  if (takesOther && authentication.length > 1) return 'none and private_key_jwt stand alone'
  if (takesSecret !== secretHashes.length > 0) return takesSecret ? 'a secret is missing' : 'a secret is not used'
  const takesKeys = authentication.includes('private_key_jwt')
  const hasKeys = Array.isArray(jwks?.keys) && jwks.keys.length > 0
  if (takesKeys !== hasKeys) return takesKeys ? 'the public keys are missing' : 'public keys are not used'
  const isPublic = jwks?.keys.every((key) => publicKeyOf(key) !== null) ?? true
  return isPublic ? null : 'the keys must be public ones'
}

function findGrantFault({ authentication, grantTypes: given, redirectUris }: RegisteredClient): string | null {
  if (!given.every((grant) => grantTypes.includes(grant))) return `the grants must be of ${grantTypes.join(', ')}`
  const isPublic = authentication.includes('none')
  if (isPublic && given.includes('client_credentials'))
    return 'a client without authentication has no client_credentials'
  const needsRedirect = given.includes('authorization_code')
  if (needsRedirect && redirectUris.length === 0) return 'authorization_code needs a redirect'
  return !needsRedirect && redirectUris.length > 0 ? 'a redirect is used by authorization_code only' : null
}

/**
 * Strangers can request the code of a device, so a user who enters it would allow more than with a third-party client.
 */
function findFirstPartyFault({ firstParty, authentication, grantTypes: given }: RegisteredClient): string | null {
  if (typeof firstParty !== 'boolean') return 'firstParty must be true or false'
  const isOfBrowsers = given.includes('authorization_code') && !given.includes(deviceCode)
  if (!firstParty || (authentication.includes('none') && isOfBrowsers)) return null
  return 'a client of the service itself has no authentication, a redirect and no device grant'
}

function findUrisFault(what: string, uris: readonly string[]): string | null {
  if (uris.length > 20) return `there may be 20 of a ${what}`
  const fault = uris.map(findRedirectFault).find((found) => found !== null)
  return fault ? `a ${what} ${fault}` : null
}

function findBackchannelFault({ backchannelLogoutUri: uri, grantTypes: given }: RegisteredClient): string | null {
  if (uri === null) return null
  if (!given.includes('authorization_code')) return 'a back-channel logout is used by authorization_code only'
  const fault = findRedirectFault(uri) ?? (/^https?:/.test(uri) ? null : 'must be https, or http on loopback')
  return fault && `an address of back-channel logout ${fault}`
}

/** Neither `none` nor a symmetric algorithm: the holder of an id token must be able to verify it without a secret. */
function findIdTokenFault({ idTokenSignedResponseAlg: algorithm }: RegisteredClient): string | null {
  if (algorithm === null || clientAlgorithms.some((known) => known === algorithm)) return null
  return `the algorithm of id tokens must be one of ${clientAlgorithms.join(', ')}`
}
