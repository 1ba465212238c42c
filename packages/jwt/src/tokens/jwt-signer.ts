import { randomToken } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { maxTokenLength } from '../encoding/compact-token.ts'
import { parseStrictObject } from '../encoding/strict-json.ts'
import { JwtError } from '../errors.ts'
import { type JwtKey, operationsOf } from '../keys/jwt-key.ts'
import { checkSeconds, checkText } from '../option-checks.ts'
import type { KeyRing } from '../rings/key-ring.ts'
import { findMistypedClaim, type JwtClaims } from './claims.ts'

/** Passed as `maxTtl`: allows tokens that live longer than 15 minutes, for which a stolen one is valid. */
export const allowLongLifetime: unique symbol = Symbol('allowLongLifetime')

/** Signs tokens. */
export interface JwtSigner {
  /**
   * Returns a token with the claims and `iss`, `aud`, `iat`, `exp` and a fresh `jti`. Every holder can read it: put no
   * secrets into claims.
   *
   * @throws TypeError if the signer itself sets one of the claims, a known claim has the wrong type, or a member at any
   * depth is named `__proto__`, which every verifier of this package refuses.
   * @throws JwtError `JWT_CLAIMS_TOO_LARGE`. Errors of the key store pass through.
   */
  sign(
    claims: JwtClaims,
    bounds?: {
      /**
       * When it expires at the latest, epoch milliseconds.
       * @default after `ttlSeconds`
       */
      readonly endsAt?: number
    },
  ): Promise<{
    readonly token: string
    /** Epoch milliseconds. */
    readonly expiresAt: number
    /** The id of the token for a deny list: 16 random bytes in base64url. */
    readonly jti: string
  }>
}

const optionNames = {
  issuer: true,
  audience: true,
  keys: true,
  ttlSeconds: true,
  maxTtl: true,
  typ: true,
  now: true,
} as const

const signerClaims = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']

/**
 * Creates a signer of tokens that live 5 to 15 minutes (RFC 9700 §2.2 recommends short lifetimes, because such tokens
 * cannot be revoked).
 *
 * @throws TypeError when an option is unknown, missing or out of range, or the ring keeps retired keys for less than
 *   `ttlSeconds`.
 *
 * @example
 * import { createJwtSigner, createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 * const signer = createJwtSigner({ issuer: 'https://id.example.com', audience: 'https://api.example.com', keys })
 * const { token, expiresAt } = await signer.sign({ sub: 'acc_1', role: 'AUTHOR' })
 */
export function createJwtSigner(options: {
  /** The claim `iss`: this service, for example its base URL. */
  readonly issuer: string
  /** The claim `aud`: the recipient of the tokens. */
  readonly audience: string
  readonly keys: KeyRing
  /**
   * From 300 to 900.
   * @default 900
   */
  readonly ttlSeconds?: number
  /** Allows `ttlSeconds` to exceed 900. */
  readonly maxTtl?: typeof allowLongLifetime
  /**
   * The `typ` in the header (RFC 7515 §4.1.9); `at+jwt` for RFC 9068.
   * @default 'JWT'
   */
  readonly typ?: string
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): JwtSigner {
  checkOptionNames('createJwtSigner', options, optionNames)
  const { issuer, audience, keys, ttlSeconds = 900, typ = 'JWT', now = wallClock } = options
  checkOptions({ ...options, ttlSeconds, typ })
  return {
    async sign(given, { endsAt = Number.POSITIVE_INFINITY } = {}) {
      const claims: JwtClaims = { ...given } // what an object inherits is not written
      checkClaims(claims)
      const jti = randomToken(16)
      const iat = Math.floor(now() / 1000)
      const exp = Math.min(iat + ttlSeconds, Math.floor(endsAt / 1000))
      if (!(exp > iat)) throw new TypeError('"endsAt" must be at least a second from now')
      const payload = JSON.stringify({ ...claims, iss: issuer, aud: audience, iat, exp, jti })
      checkMemberNames(payload)
      const token = await signWith(await keys.signingKey(), typ, payload)
      if (token.length <= maxTokenLength) return { token, expiresAt: exp * 1000, jti }
      throw new JwtError('JWT_CLAIMS_TOO_LARGE', `the token would have more than ${maxTokenLength} characters`)
    },
  }
}

async function signWith(key: JwtKey, typ: string, payload: string): Promise<string> {
  const { sign } = operationsOf(key)
  if (!sign) throw new TypeError('"keys": the signing key is a public key')
  return sign({ alg: key.algorithm, typ, kid: key.id }, payload)
}

function checkOptions(
  options: Parameters<typeof createJwtSigner>[0] &
    Required<Pick<Parameters<typeof createJwtSigner>[0], 'ttlSeconds' | 'typ'>>,
): void {
  const { issuer, audience, keys, ttlSeconds, typ, maxTtl } = options
  checkText(issuer, 'issuer')
  checkText(audience, 'audience')
  checkText(typ, 'typ')
  if (typeof keys?.signingKey !== 'function') throw new TypeError('"keys" must be a key ring')
  if (ttlSeconds > 900 && maxTtl !== allowLongLifetime) {
    throw new TypeError('"ttlSeconds" must not exceed 900 unless "maxTtl" is allowLongLifetime')
  }
  checkSeconds(ttlSeconds, 'ttlSeconds', 300)
  if (ttlSeconds > keys.maxLifetimeSeconds) {
    throw new TypeError('"ttlSeconds" must not exceed the "maxLifetimeSeconds" of the key ring')
  }
}

function checkClaims(claims: JwtClaims): void {
  const own = signerClaims.find((name) => claims[name] !== undefined)
  if (own) throw new TypeError(`the claim "${own}" is set by the signer`)
  if (claims.sub === undefined) throw new TypeError('the claim "sub" is required')
  const mistyped = findMistypedClaim(claims)
  if (mistyped) throw new TypeError(`the claim "${mistyped}" has the wrong type`)
}

/**
 * Refuses a member named `__proto__`, as verifiers do. `JSON.stringify` writes no duplicate members, so these need no
 * check.
 */
function checkMemberNames(payload: string): void {
  if (payload.includes('__proto__') && !parseStrictObject(new TextEncoder().encode(payload))) {
    throw new TypeError('no member of the claims may be named "__proto__"')
  }
}
