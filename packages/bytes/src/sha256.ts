import { hashes } from '#hashes'

/**
 * Gives the SHA-256 digest (32 bytes) of bytes, or of a text's UTF-8 form (FIPS 180-4). For values of high entropy,
 * such as random tokens: a password needs `@latchkey/password`.
 *
 * @example
 * import { randomToken, sha256 } from '@latchkey/bytes'
 * const stored = sha256(randomToken())
 */
export function sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return hashes.sha256(data)
}

/**
 * Tells whether bytes are the SHA-256 digest of a token, in constant time as `equalBytes`: what a database holds, and
 * what somebody shows. It makes no copy of either, so it is the cheapest way to ask on every request.
 *
 * @param digest 32 bytes; of any other length it is not.
 *
 * @example
 * import { isSha256Of, randomToken, sha256 } from '@latchkey/bytes'
 * const token = randomToken()
 * const stored = sha256(token)
 * isSha256Of(stored, token) // true
 */
export function isSha256Of(digest: Uint8Array, data: string | Uint8Array): boolean {
  return hashes.isSha256Of(digest, data)
}
