/**
 * The signature algorithms that are spoken (RFC 7518 §3.1, RFC 8037): HMAC, RSA, RSA-PSS and ECDSA with SHA-256, and
 * EdDSA with Ed25519. There is no `none`.
 */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

const algorithms: ReadonlySet<unknown> = new Set<JwtAlgorithm>(['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA'])

/** Tells whether a value names one of the algorithms, in its one spelling. */
export function isJwtAlgorithm(value: unknown): value is JwtAlgorithm {
  return algorithms.has(value)
}
