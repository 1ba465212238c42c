import type { HttpResponse } from '@latchkey/http'
import { clientAlgorithms } from '../../proofs/signed-claims.ts'
import { acrValues } from '../context/authentication.ts'
import type { Endpoint } from '../context/endpoint.ts'
import type { ServerContext } from '../context/server-context.ts'

/** The time for which clients may cache a document. A key is published for a longer time before it signs. */
const maxAgeSeconds = 300

const clientMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']

/** Creates the endpoints of the metadata (OpenID Connect Discovery §3, RFC 8414 §3) and the keys. */
export function createDiscoveryEndpoints(context: ServerContext): readonly Endpoint[] {
  const document = async (): Promise<HttpResponse> =>
    context.responses.document(await describeServer(context), maxAgeSeconds)
  return [
    { path: '/.well-known/openid-configuration', methods: ['GET'], isOpenTo: 'all' as const, answer: document },
    { path: '/.well-known/oauth-authorization-server', methods: ['GET'], isOpenTo: 'all' as const, answer: document },
    { path: '/jwks', methods: ['GET'], isOpenTo: 'all' as const, answer: () => publishKeys(context) },
    ...createResourceEndpoints(context),
  ]
}

/** Returns the metadata. They contain no part of a request: `Host` changes no address. */
async function describeServer({
  issuer,
  scopes,
  idTokenKeys,
  signOut,
  metadataClients,
}: ServerContext): Promise<object> {
  const algorithms = await idTokenKeys.algorithms()
  const signs = { token_endpoint_auth_signing_alg_values_supported: clientAlgorithms }
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    ...(signOut && { end_session_endpoint: `${issuer}/end-session` }),
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    scopes_supported: [...scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algorithms,
    token_endpoint_auth_methods_supported: ['none', ...clientMethods],
    ...signs,
    revocation_endpoint_auth_methods_supported: ['none', ...clientMethods],
    revocation_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    introspection_endpoint_auth_methods_supported: clientMethods,
    introspection_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    ...(metadataClients && { client_id_metadata_document_supported: true }),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    acr_values_supported: acrValues,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr', 'amr', 'at_hash', 'sid'],
      ...['name', 'email', 'email_verified'],
    ],
    dpop_signing_alg_values_supported: clientAlgorithms,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
    require_pushed_authorization_requests: false,
  }
}

async function publishKeys({ keys, idTokenKeys, responses }: ServerContext): Promise<HttpResponse> {
  const sets = await Promise.all([keys, ...idTokenKeys.rings].map((ring) => ring.jwks()))
  const byId = new Map(sets.flatMap((set) => set.keys).map((key) => [key.kid, key]))
  return responses.document({ keys: [...byId.values()] }, maxAgeSeconds)
}

/** Creates the metadata endpoints of the resources on this origin (RFC 9728 §3.1). */
function createResourceEndpoints({ issuer, resources, scopes, responses }: ServerContext): readonly Endpoint[] {
  return resources
    .filter((resource) => new URL(resource).origin === issuer)
    .map((resource) => ({
      path: resourceMetadataPath(resource),
      methods: ['GET'],
      isOpenTo: 'all' as const,
      answer: async () =>
        responses.document(
          {
            resource,
            authorization_servers: [issuer],
            jwks_uri: `${issuer}/jwks`,
            // Resources have no refresh tokens.
            scopes_supported: [...scopes].filter((scope) => scope !== 'offline_access'),
            bearer_methods_supported: ['header'],
            dpop_signing_alg_values_supported: clientAlgorithms,
          },
          maxAgeSeconds,
        ),
    }))
}

/** Returns the path of the metadata of a resource: the well-known path before the path of the resource (RFC 9728 §3.1). */
function resourceMetadataPath(resource: string): string {
  const { pathname } = new URL(resource)
  return `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
}
