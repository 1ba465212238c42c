import type { Account } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/core/internal'
import type { JwtAlgorithm } from '@latchkey/jwt'

/** The key ring for clients' tokens. It neither signs nor verifies the service's own tokens. */
export const clientKeysPurpose = 'client-token'

/** The RS256 key ring for clients that request it for id tokens. It signs no access tokens. */
export const idTokenKeysPurpose = 'id-token'

/** How access tokens are signed, and how others learn of their keys. */
export interface AccessTokenOptions {
  /**
   * With `HS256` only this service can verify its tokens. With a key pair any service can, by the public keys at
   * `/jwks`. After a change, tokens of the earlier algorithm stay valid until they expire.
   * @default 'HS256'
   */
  readonly algorithm?: JwtAlgorithm
  /**
   * How long they are valid, from 300 to 900 seconds.
   * @default 900
   */
  readonly lifetimeSeconds?: number
  /**
   * The algorithm for clients' access tokens and id tokens, which have their own keys. Used with `oauth`.
   * @default 'ES256'
   */
  readonly clientAlgorithm?: Exclude<JwtAlgorithm, 'HS256'>
  /**
   * How long the next key is published before a rotation may let it sign, from 2 to 2592000. At least the longest time for
   * which a service elsewhere uses the keys that it has fetched, its cool-down, `jwksMaxAgeSeconds`, and the time until
   * every process of this service has heard of the key, which is a fifteenth of this value and at most a minute.
   * @default 900
   */
  readonly publishAheadSeconds?: number
  /**
   * How long caches may keep `/jwks`, less than `publishAheadSeconds`.
   * @default a fifth of publishAheadSeconds, which is 180
   */
  readonly jwksMaxAgeSeconds?: number
  /**
   * For how long the stores' answer about a token is reused, in seconds, at most 3600. 0: every request asks the
   * stores.
   * @default 0
   */
  readonly maxStalenessSeconds?: number
  /**
   * Returns the claim `ext` of an account's access token, synchronously: an object of JSON values, at most 1024 bytes.
   * Every holder of the token can read it, so keep secrets out. `roles` are the token's roles: none while the account
   * must set up a second factor. If it throws, no token is issued. Omitted: tokens have no `ext`. Tokens of OAuth
   * clients never do.
   */
  readonly claims?: (account: Account) => Readonly<Record<string, unknown>>
}

/** The options with their defaults, and derived settings. */
export interface AccessTokenSettings {
  readonly algorithm: JwtAlgorithm
  readonly clientAlgorithm: Exclude<JwtAlgorithm, 'HS256'>
  readonly publishAheadSeconds: number
  readonly jwksMaxAgeSeconds: number
  readonly maxStalenessSeconds: number
  /** The longest time until every process of the service has heard of a new key. */
  readonly refreshSeconds: number
}

/** Each of them, whichever signs now: a key of the ring is for one of them only, and a change leaves earlier tokens valid. */
export const acceptedAlgorithms: readonly [JwtAlgorithm, ...JwtAlgorithm[]] = [
  'HS256',
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
]

const clientAlgorithms: readonly AccessTokenSettings['clientAlgorithm'][] = ['ES256', 'EdDSA', 'RS256', 'PS256']

const names = {
  algorithm: true,
  lifetimeSeconds: true,
  clientAlgorithm: true,
  publishAheadSeconds: true,
  jwksMaxAgeSeconds: true,
  maxStalenessSeconds: true,
  claims: true,
} as const

/** @throws TypeError that names what is unknown or out of range. */
export function readAccessTokens(given: AccessTokenOptions = {}): AccessTokenSettings {
  checkOptionNames('createServer', given, names, 'sessions.accessTokens')
  const { algorithm = 'HS256', clientAlgorithm = 'ES256', publishAheadSeconds = 900, maxStalenessSeconds = 0 } = given
  if (!acceptedAlgorithms.includes(algorithm)) {
    throw new TypeError(`"sessions.accessTokens.algorithm" must be one of ${acceptedAlgorithms.join(', ')}`)
  }
  if (!clientAlgorithms.includes(clientAlgorithm)) {
    throw new TypeError(`"sessions.accessTokens.clientAlgorithm" must be one of ${clientAlgorithms.join(', ')}`)
  }
  if (given.claims !== undefined && typeof given.claims !== 'function') {
    throw new TypeError('"sessions.accessTokens.claims" must be a function')
  }
  checkSeconds('publishAheadSeconds', publishAheadSeconds, [2, 2_592_000])
  const { jwksMaxAgeSeconds = Math.floor(publishAheadSeconds / 5) } = given
  checkSeconds('jwksMaxAgeSeconds', jwksMaxAgeSeconds, [0, publishAheadSeconds - 1])
  checkSeconds('maxStalenessSeconds', maxStalenessSeconds, [0, 3600])
  const refreshSeconds = Math.min(60, Math.max(1, Math.floor(publishAheadSeconds / 15)))
  const seconds = { publishAheadSeconds, jwksMaxAgeSeconds, maxStalenessSeconds, refreshSeconds }
  return Object.freeze({ algorithm, clientAlgorithm, ...seconds })
}

function checkSeconds(name: keyof AccessTokenOptions, seconds: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return
  throw new TypeError(`"sessions.accessTokens.${name}" must be a whole number of seconds from ${least} to ${most}`)
}
