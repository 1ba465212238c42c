import type { JWK } from 'jose'
import { hasClientAlgorithm, type Members, publicKeyOf, readClaims, readHeader } from '../../proofs/signed-claims.ts'
import type { SingleUse } from '../../proofs/single-use.ts'
import type { RegisteredClient } from './registered-client.ts'

/** Why an assertion is refused. */
export type AssertionRefusal =
  | 'malformed'
  | 'algorithm'
  /** The client has no matching key, or several. */
  | 'key'
  | 'signature'
  /** A claim is missing or has another type. */
  | 'claims'
  /** `iss` or `sub` is not the client. */
  | 'issuer'
  /** `aud` is not a string with the issuer. */
  | 'audience'
  /** `exp` is past or more than five minutes ahead, or `iat` or `nbf` is in the future. */
  | 'time'
  /** The `jti` was used before. */
  | 'replayed'

export interface AssertionContext {
  readonly issuer: string
  readonly now: () => number
  /** The store of used `jti` values of assertions. */
  readonly assertions: SingleUse
}

/** The longest lifetime of an assertion. */
const longestSeconds = 300
/** The accepted difference between the clocks. */
const toleranceSeconds = 5

/** Returns the `sub` of an assertion before it is verified, to look up the client. */
export function namedClient(assertion: string): string | null {
  const [, payload = ''] = assertion.split('.', 2)
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    const sub = typeof claims === 'object' && claims !== null && 'sub' in claims ? claims.sub : null
    return typeof sub === 'string' ? sub : null
  } catch {
    return null
  }
}

/**
 * Verifies the assertion of a client (RFC 7523 §3, OpenID Connect Core §9). Returns the reason for a refusal, or `null`. Marks
 * the `jti` as used after all other checks.
 */
export async function assertionRefusal(
  { issuer, now, assertions }: AssertionContext,
  assertion: string,
  client: { readonly id: string; readonly jwks: NonNullable<RegisteredClient['jwks']> | null },
): Promise<AssertionRefusal | null> {
  const claims = await readSigned(assertion, client.jwks)
  if (typeof claims === 'string') return claims
  const refusal = claimsRefusal(claims, { issuer, clientId: client.id, seconds: Math.floor(now() / 1000) })
  if (refusal) return refusal
  const until = (Number(claims.exp) + toleranceSeconds + 1) * 1000
  return (await assertions.accept([client.id, String(claims.jti)], until)) ? null : 'replayed'
}

async function readSigned(
  assertion: string,
  jwks: NonNullable<RegisteredClient['jwks']> | null,
): Promise<Members | AssertionRefusal> {
  const header = readHeader(assertion)
  if (!header) return 'malformed'
  if (!hasClientAlgorithm(header)) return 'algorithm'
  const jwk = findKey(jwks, header)
  if (!jwk) return 'key'
  return (await readClaims(assertion, jwk, String(header.alg))) ?? 'signature'
}

const keyTypes: Readonly<Record<string, string>> = { ES256: 'EC', EdDSA: 'OKP', RS256: 'RSA', PS256: 'RSA' }

/** Returns the only key that a header can mean. */
function findKey(jwks: NonNullable<RegisteredClient['jwks']> | null, { kid, alg }: Members): JWK | null {
  const meant = (jwks?.keys ?? []).filter(
    (key) =>
      key.kty === keyTypes[String(alg)] &&
      (key.alg === undefined || key.alg === alg) &&
      (key.use === undefined || key.use === 'sig') &&
      (kid === undefined || key.kid === kid),
  )
  const [key, other] = meant
  return key && !other ? publicKeyOf(key) : null
}

/** Whether an assertion names a key by a `kid` that no key of the client has. */
export function namesOtherKey(assertion: string, { jwks }: Pick<RegisteredClient, 'jwks'>): boolean {
  const kid = readHeader(assertion)?.kid
  return typeof kid === 'string' && !(jwks?.keys.some((key) => key.kid === kid) ?? false)
}

interface AssertionExpectation {
  readonly issuer: string
  readonly clientId: string
  readonly seconds: number
}

function claimsRefusal(
  { iss, sub, aud, exp, iat, nbf, jti }: Members,
  { issuer, clientId, seconds }: AssertionExpectation,
): AssertionRefusal | null {
  if (typeof jti !== 'string' || jti === '' || !Number.isSafeInteger(exp)) return 'claims'
  if (iss !== clientId || sub !== clientId) return 'issuer'
  // A string, not a list: each recipient of an assertion for several could present it to the others.
  if (aud !== issuer) return 'audience'
  const left = Number(exp) - seconds
  if (left <= -toleranceSeconds || left > longestSeconds + toleranceSeconds) return 'time'
  return [iat, nbf].every((instant) => isNotAhead(instant, seconds)) ? null : 'time'
}

function isNotAhead(instant: unknown, seconds: number): boolean {
  return instant === undefined || (Number.isSafeInteger(instant) && Number(instant) <= seconds + toleranceSeconds)
}
