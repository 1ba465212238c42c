import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { issuer } from '../support/provider.ts'
import type { ConformanceModule } from './conformance-module.ts'
import { changesJson } from './mistakes.ts'

const path = '/.well-known/openid-configuration'

type Metadata = Readonly<Record<string, unknown>>

const listOf = (metadata: Metadata, name: string): readonly unknown[] => {
  const value = metadata[name]
  return Array.isArray(value) ? value : []
}

/** An address of this provider, over https and without a fragment. */
const isEndpoint = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith(`${issuer}/`) && URL.canParse(value) && !value.includes('#')

const texts = (values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string')

/** Each condition of the document by itself (OpenID Connect Discovery §3, RFC 8414 §2). */
const ofDocument: Readonly<Record<string, (metadata: Metadata) => boolean>> = {
  'issuer is the address that the document was asked for at, without query and fragment': ({ issuer: named }) =>
    named === issuer,
  'authorization_endpoint and token_endpoint are https addresses': (metadata) =>
    isEndpoint(metadata.authorization_endpoint) && isEndpoint(metadata.token_endpoint),
  'userinfo_endpoint is an https address': ({ userinfo_endpoint }) => isEndpoint(userinfo_endpoint),
  'every endpoint is an https address': (metadata) =>
    Object.entries(metadata).every(([name, value]) => !/_(endpoint|uri)$/.test(name) || isEndpoint(value)),
  'response_types_supported has code': (metadata) => listOf(metadata, 'response_types_supported').includes('code'),
  'grant_types_supported has authorization_code': (metadata) =>
    listOf(metadata, 'grant_types_supported').includes('authorization_code'),
  'subject_types_supported has public or pairwise only': (metadata) => {
    const types = listOf(metadata, 'subject_types_supported')
    return types.length > 0 && types.every((type) => type === 'public' || type === 'pairwise')
  },
  'id_token_signing_alg_values_supported has RS256 and not none': (metadata) => {
    const algorithms = listOf(metadata, 'id_token_signing_alg_values_supported')
    return algorithms.includes('RS256') && !algorithms.includes('none')
  },
  'scopes_supported has openid and scopes of RFC 6749 §3.3 only': (metadata) => {
    const scopes = listOf(metadata, 'scopes_supported')
    return scopes.includes('openid') && scopes.every((scope) => /^[!#-[\]-~]+$/.test(String(scope)))
  },
  'claims_supported is a list that has sub': (metadata) => {
    const claims = listOf(metadata, 'claims_supported')
    return texts(claims) && claims.includes('sub')
  },
  'code_challenge_methods_supported is a list that has S256': (metadata) =>
    listOf(metadata, 'code_challenge_methods_supported').includes('S256'),
  'the flags of parameters are true or false': (metadata) =>
    ['claims', 'request', 'request_uri'].every((name) => typeof metadata[`${name}_parameter_supported`] === 'boolean'),
}

const answered = 'the document is answered 200 with JSON'
const keyed = 'jwks_uri has public keys only, each with a kid of its own, and one of the algorithm of id tokens'

const isPublicKeys = (keys: readonly Readonly<Record<string, unknown>>[]): boolean => {
  const ids = keys.map(({ kid }) => kid)
  return texts(ids) && new Set(ids).size === ids.length && keys.every((key) => !('d' in key) && !('k' in key))
}

const discovery: ConformanceModule = {
  name: 'oidcc-discovery-endpoint-verification',
  conditions: [answered, ...Object.keys(ofDocument), keyed],
  async run(provider, holds) {
    const { status, headers, body } = await provider.json(path)
    holds(answered, status === 200 && /^application\/json\b/.test(headers.get('content-type') ?? ''))
    for (const [condition, isTrue] of Object.entries(ofDocument)) holds(condition, isTrue(body))
    const { body: jwks } = await provider.json(new URL(String(body.jwks_uri)).pathname)
    const keys = (jwks.keys ?? []) as readonly Readonly<Record<string, unknown>>[]
    createLocalJWKSet(jwks as unknown as JSONWebKeySet)
    holds(keyed, isPublicKeys(keys) && keys.some(({ kty, alg }) => kty === 'RSA' && alg === 'RS256'))
  },
  violation: {
    what: 'has another issuer',
    between: changesJson(path, (body) => ({ ...body, issuer: `${issuer}/` })),
    breaks: 'issuer is the address that the document was asked for at, without query and fragment',
  },
}

/** The one module of the plan, with further mistakes: each of its conditions is worth something. */
const mistakes: readonly (readonly [what: string, change: object, breaks: string])[] = [
  [
    'has an endpoint without https',
    { revocation_endpoint: 'http://id.example.com/revoke' },
    'every endpoint is an https address',
  ],
  ['has no response types', { response_types_supported: undefined }, 'response_types_supported has code'],
  [
    'has unsigned id tokens',
    { id_token_signing_alg_values_supported: ['RS256', 'none'] },
    'id_token_signing_alg_values_supported has RS256 and not none',
  ],
  [
    'has a scope with a space',
    { scopes_supported: ['openid', 'a b'] },
    'scopes_supported has openid and scopes of RFC 6749 §3.3 only',
  ],
  [
    'has a text for a list',
    { code_challenge_methods_supported: 'S256' },
    'code_challenge_methods_supported is a list that has S256',
  ],
]

const further = mistakes.map(([what, change, breaks]): ConformanceModule => {
  const between = changesJson(path, (body) => ({ ...body, ...change }))
  return { ...discovery, violation: { what, between, breaks } }
})

export const configModules: readonly ConformanceModule[] = [
  discovery,
  ...further,
  {
    ...discovery,
    violation: {
      what: 'publishes a private key',
      between: changesJson('/jwks', (body) => ({ keys: (body.keys as object[]).map((key) => ({ ...key, d: 'd' })) })),
      breaks: keyed,
    },
  },
]
