import { hashes } from '#hashes'

/**
 * Returns the SHA-256 digest (32 bytes) of bytes, or of text as UTF-8 (FIPS 180-4). Use it for values of high entropy, such
 * as random tokens, and `@latchkey/password` for passwords.
 *
 * @example
 * import { randomToken, sha256 } from '@latchkey/bytes'
 * const stored = sha256(randomToken())
 */
export function sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return hashes.sha256(data)
}

/**
 * Compares a stored SHA-256 digest with a presented token in constant time, like `equalBytes`. It copies neither, which
 * makes it the cheapest check for every request.
 *
 * @param digest 32 bytes; for any other length the result is `false`.
 */
export function isSha256Of(digest: Uint8Array, data: string | Uint8Array): boolean {
  return hashes.isSha256Of(digest, data)
}
