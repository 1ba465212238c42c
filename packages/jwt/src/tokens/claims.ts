import type { JsonObject } from '../encoding/strict-json.ts'
import type { JwtRefusal } from './jwt-refusal.ts'

declare const verified: unique symbol

/** The claims of a token to be signed. Those that the signer sets itself cannot be given. */
export interface JwtClaims {
  /** Whom the token speaks of: an account or client id. */
  readonly sub: string
  /** The roles, joined with a space. */
  readonly role?: string | undefined
  /** The session or refresh family that the token belongs to. */
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

/** The claims of a token that has passed every check of a verifier. Nothing else makes this type. */
export interface VerifiedClaims {
  readonly iss: string
  readonly sub: string
  /** As the token writes it; an empty list when it names none, which only `acceptAnyAudience` lets through. */
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

/** What the claims are held against; times in seconds. */
export interface ClaimsPolicy {
  readonly issuer: string
  /** `null`: any. */
  readonly audience: string | null
  readonly clockToleranceSeconds: number
  readonly maxLifetimeSeconds: number
}

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  exp: isCount,
  iat: isCount,
  nbf: isCount,
  jti: isText,
  role: (value) => typeof value === 'string' && value.isWellFormed(),
  sid: isText,
  epoch: isCount,
}
const required = ['iss', 'sub', 'exp', 'iat']

/**
 * Gives the verified claims of a payload whose signature was good, or why it is refused. The one place where
 * `VerifiedClaims` are made.
 *
 * @param seconds now, in whole seconds since the epoch.
 */
export function verifyClaims(payload: JsonObject, policy: ClaimsPolicy, seconds: number): VerifiedClaims | JwtRefusal {
  const claims = 'aud' in payload ? { ...payload } : { ...payload, aud: [] }
  if (!areClaims(claims)) return 'claims'
  if (claims.iss !== policy.issuer) return 'issuer'
  if (policy.audience !== null && !includesAudience(claims.aud, policy.audience)) return 'audience'
  return timeRefusal(claims, policy, seconds) ?? freezeDeep(claims)
}

/** Tells whether every claim that is there has its type and the required ones are there. */
function areClaims(claims: JsonObject): claims is JsonObject & VerifiedClaims {
  return required.every((name) => Object.hasOwn(claims, name)) && findMistypedClaim(claims) === null
}

/** Gives the first claim that has not the type it is known by, or `null`. */
export function findMistypedClaim(claims: JsonObject): string | null {
  for (const name in checks) {
    if (claims[name] !== undefined && !checks[name]?.(claims[name])) return name
  }
  return null
}

/** One token's claims may be handed to several requests: none of them can change what the others see. */
function freezeDeep<T extends object>(claims: T): T {
  const open: object[] = [claims]
  for (let value = open.pop(); value; value = open.pop()) {
    for (const one of Object.values(Object.freeze(value))) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return claims
}

function includesAudience(audiences: string | readonly string[], audience: string): boolean {
  return typeof audiences === 'string' ? audiences === audience : audiences.includes(audience)
}

/** Gives why claims are refused at a time, or `null`. */
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

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
