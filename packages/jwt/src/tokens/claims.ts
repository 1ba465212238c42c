import type { JsonObject } from '../encoding/strict-json.ts'
import type { JwtRefusal } from './jwt-refusal.ts'

declare const verified: unique symbol

/** The claims of a token to be signed, without the claims that the signer sets itself. */
export interface JwtClaims {
  /** The subject: an account or client id. */
  readonly sub: string
  /** The roles, separated by a space. */
  readonly role?: string | undefined
  /** The key of the session or refresh family that the token belongs to. */
  readonly sid?: string | undefined
  /** The account's epoch at sign-in. */
  readonly epoch?: number | undefined
  readonly iss?: never
  readonly aud?: never
  readonly exp?: never
  readonly iat?: never
  readonly nbf?: never
  readonly jti?: never
  readonly [name: string]: unknown
}

/**
 * The claims of a token that has passed every check of a verifier. Only verifiers create this type. The object and its
 * members are frozen and have no prototype: a claim that the token does not have is undefined, also one named
 * `constructor` or `toString`.
 */
export interface VerifiedClaims {
  readonly iss: string
  readonly sub: string
  /** As in the token; an empty list when it names none, which only `acceptAnyAudience` accepts. */
  readonly aud: string | readonly string[]
  /** Seconds since the epoch (RFC 7519 §2, NumericDate), as are `iat` and `nbf`. */
  readonly exp: number
  readonly iat: number
  readonly nbf?: number
  /** The signer of this package always sets it; other issuers may not. */
  readonly jti?: string
  readonly role?: string
  readonly sid?: string
  readonly epoch?: number
  readonly [name: string]: unknown
  readonly [verified]: true
}

/** The values that the claims are checked against; times in seconds. */
export interface ClaimsPolicy {
  readonly issuer: string
  /** `null`: any. */
  readonly audience: string | null
  /** Every audience that a token may name: its own, and the services that it may be shared with. */
  readonly audiences: ReadonlySet<string>
  readonly clockToleranceSeconds: number
  readonly maxLifetimeSeconds: number
}

/**
 * Returns the verified claims of a payload whose signature is valid, or the reason why it is refused. The only function
 * that creates `VerifiedClaims`.
 *
 * @param payload frozen, as the claims of one token may be returned to several requests.
 * @param seconds now, in whole seconds since the epoch.
 */
export function verifyClaims(payload: JsonObject, policy: ClaimsPolicy, seconds: number): VerifiedClaims | JwtRefusal {
  const claims = 'aud' in payload ? payload : withoutAudience(payload)
  if (!areClaims(claims)) return 'claims'
  if (claims.iss !== policy.issuer) return 'issuer'
  if (policy.audience !== null && !isFor(claims.aud, policy.audience, policy.audiences)) return 'audience'
  return timeRefusal(claims, policy, seconds) ?? claims
}

function withoutAudience(payload: JsonObject): JsonObject {
  return Object.freeze(Object.assign(Object.create(null), payload, { aud: Object.freeze([]) }))
}

/** Whether the required claims are present and every known claim has its type. */
function areClaims(claims: JsonObject): claims is JsonObject & VerifiedClaims {
  const { iss, sub, exp, iat } = claims
  const isComplete = iss !== undefined && sub !== undefined && exp !== undefined && iat !== undefined
  return isComplete && findMistypedClaim(claims) === null
}

/** Returns the name of the first known claim with another type, or `null`. */
export function findMistypedClaim(claims: JsonObject): string | null {
  const { iss, sub, aud, exp, iat, nbf, jti, role, sid, epoch } = claims
  if (!mayBe(iss, isText)) return 'iss'
  if (!mayBe(sub, isText)) return 'sub'
  if (!mayBe(aud, isAudience)) return 'aud'
  if (!mayBe(exp, isCount)) return 'exp'
  if (!mayBe(iat, isCount)) return 'iat'
  if (!mayBe(nbf, isCount)) return 'nbf'
  if (!mayBe(jti, isText)) return 'jti'
  if (!mayBe(role, isRole)) return 'role'
  if (!mayBe(sid, isText)) return 'sid'
  if (!mayBe(epoch, isCount)) return 'epoch'
  return null
}

/** A token for another service as well could be presented here by that service (RFC 7519 §4.1.3). */
function isFor(aud: VerifiedClaims['aud'], audience: string, accepted: ReadonlySet<string>): boolean {
  if (typeof aud === 'string') return aud === audience
  return aud.includes(audience) && aud.every((one) => accepted.has(one))
}

/** Returns the reason why claims are refused at a time, or `null`. */
export function timeRefusal(
  { exp, iat, nbf = 0 }: VerifiedClaims,
  { clockToleranceSeconds, maxLifetimeSeconds }: ClaimsPolicy,
  seconds: number,
): JwtRefusal | null {
  if (exp <= iat || exp - iat > maxLifetimeSeconds) return 'lifetime'
  if (seconds >= exp + clockToleranceSeconds) return 'expired'
  if (Math.max(iat, nbf) > seconds + clockToleranceSeconds) return 'not-yet-valid'
  return null
}

function mayBe(value: unknown, isRight: (value: unknown) => boolean): boolean {
  return value === undefined || isRight(value)
}

function isAudience(value: unknown): boolean {
  return isText(value) || (Array.isArray(value) && value.every(isText))
}

function isRole(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed()
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
