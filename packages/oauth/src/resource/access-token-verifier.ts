import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import { createJwtVerifier, type DenyList, type JwtAlgorithm, type KeySet } from '@latchkey/jwt'
import type { RecordStore } from '@latchkey/store'
import { createProofNonces } from '../proofs/proof-nonces.ts'
import { createSingleUse } from '../proofs/single-use.ts'
import { type AccessToken, accessTokenType, toAccessToken } from './access-token.ts'
import {
  type AccessTokenVerdict,
  bindingRefusal,
  type PresentedRefusal,
  readPresented,
  refusePresented,
} from './presented-token.ts'

const optionNames = {
  issuer: true,
  resource: true,
  origin: true,
  keys: true,
  algorithms: true,
  records: true,
  secrets: true,
  denyList: true,
  isAlive: true,
  now: true,
} as const

/**
 * Creates a verifier of access tokens (RFC 9068 §4) for a resource. A bound token is accepted only as `DPoP` with a
 * proof of its key (RFC 9449 §7), any other token only as `Bearer`. With a remote key set, the verifier does not ask
 * the server about each token: a revoked token is accepted until it expires, at most 15 minutes.
 *
 * @throws TypeError if an option is unknown, missing or not valid.
 *
 * @example
 * import { createRemoteKeySet } from '@latchkey/jwt'
 * import { createAccessTokenVerifier } from '@latchkey/oauth'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const verifier = createAccessTokenVerifier({
 *   issuer: 'https://id.example.com',
 *   resource: 'https://api.example.com/graphql',
 *   origin: 'https://api.example.com',
 *   keys: createRemoteKeySet({ url: 'https://id.example.com/jwks' }),
 *   algorithms: ['ES256'],
 *   records: createMemoryRecordStore(),
 * })
 */
export function createAccessTokenVerifier(options: {
  /** The authorization server: the `iss` of its tokens. */
  readonly issuer: string
  /** The identifier of this resource in its metadata (RFC 9728): the `aud` of its tokens. */
  readonly resource: string
  /** The public origin of this resource, for which proofs are made. Never taken from a request. */
  readonly origin: string
  /** The keys of the authorization server, for example `createRemoteKeySet`. */
  readonly keys: KeySet
  /** The accepted algorithms. A token's header cannot select another algorithm. */
  readonly algorithms: readonly [JwtAlgorithm, ...JwtAlgorithm[]]
  /** The store of used proofs, shared by all processes of the resource; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * The secrets of nonces, which accept clients with a wrong clock (RFC 9449 §9); the same in all processes. Omitted:
   * such clients are refused.
   */
  readonly secrets?: SecretKeys
  /** Checked for every otherwise valid token. Omitted: tokens are accepted until they expire. */
  readonly denyList?: Pick<DenyList, 'isDenied'>
  /**
   * Returns whether the grant of an otherwise valid token still exists. Rejects if this is unknown. Omitted: tokens are
   * accepted until they expire.
   */
  readonly isAlive?: (token: AccessToken) => Promise<boolean>
  /**
   * The clock, in epoch milliseconds.
   *
   * @default `records.now`
   */
  readonly now?: () => number
}): {
  /**
   * Returns the verdict on the request's `Authorization` header: `Bearer`, or `DPoP` with a proof for this request. The
   * proof of an accepted token is used up. Rejects without a verdict if keys or stores are unavailable.
   */
  verify(request: Pick<HttpRequest, 'method' | 'target' | 'headers'>): Promise<AccessTokenVerdict>
} {
  const { issuer, resource, keys, algorithms, denyList, records, secrets, isAlive } = checkOptions(options)
  const now = options.now ?? (() => records.now())
  const common = { issuer, audience: resource, keys, algorithms, typ: accessTokenType, now }
  const tokens = createJwtVerifier({ ...common, ...(denyList && { denyList }) })
  const nonces = secrets && createProofNonces({ secrets: deriveSecrets(secrets, 'oauth/proof-nonce'), now })
  const context = { now, proofs: createSingleUse(records, 'dp'), ...(nonces && { nonces }) }
  const refuse = (reason: PresentedRefusal): AccessTokenVerdict => refusePresented(context, reason)

  async function readToken(text: string): Promise<AccessToken | null> {
    const verdict = await tokens.verify(text)
    const token = verdict.ok ? toAccessToken(verdict.claims) : null
    return token && (!isAlive || (await isAlive(token))) ? token : null
  }

  return {
    async verify(request) {
      const presented = readPresented(request.headers.get('authorization') ?? null)
      if (presented === null) return refuse('missing')
      if (presented === 'invalid') return refuse('malformed')
      const token = await readToken(presented.text)
      if (!token) return refuse('token')
      const [path = ''] = request.target.split('?', 1)
      const refusal = await bindingRefusal(context, { presented, token }, { request, url: `${options.origin}${path}` })
      return refusal ? refuse(refusal) : { ok: true, token }
    },
  }
}

type Options = Parameters<typeof createAccessTokenVerifier>[0]

function checkOptions(options: Options): Options {
  checkOptionNames('createAccessTokenVerifier', options, optionNames)
  const { resource, origin, records, secrets, isAlive } = options
  if (typeof resource !== 'string' || !URL.canParse(resource))
    throw new TypeError('"resource" must be an absolute address')
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    throw new TypeError('"origin" must be an origin like https://api.example.com')
  if (records?.capabilities?.consistency !== 'strong') {
    throw new TypeError('"records" must be strongly consistent: a proof works once')
  }
  if (secrets !== undefined) checkSecrets(secrets)
  if (isAlive !== undefined && typeof isAlive !== 'function') throw new TypeError('"isAlive" must be a function')
  return options
}
