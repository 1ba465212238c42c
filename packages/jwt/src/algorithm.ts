/**
 * The supported signature algorithms (RFC 7518 §3.1, RFC 8037): HMAC, RSA, RSA-PSS and ECDSA with SHA-256, and EdDSA
 * with Ed25519. There is no `none`.
 */
export type JwtAlgorithm = 'HS256' | 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

const algorithms: ReadonlySet<unknown> = new Set<JwtAlgorithm>(['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA'])

/** Whether a value is the name of one of the algorithms, in its only spelling. */
export function isJwtAlgorithm(value: unknown): value is JwtAlgorithm {
  return algorithms.has(value)
}

/** @throws TypeError unless the option is one of the algorithms. */
export function checkAlgorithm(value: unknown): void {
  if (!isJwtAlgorithm(value)) throw new TypeError('"algorithm" must be HS256, RS256, PS256, ES256 or EdDSA')
}
