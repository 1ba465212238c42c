import { hashes } from '#hashes'

/**
 * Returns the HMAC-SHA-256 (32 bytes, RFC 2104) of bytes, or of text as UTF-8. Compare it with `equalBytes`.
 *
 * @param key at least 16 bytes; derive one for each purpose with `deriveSecrets`.
 * @throws TypeError when the key is shorter.
 *
 * @example
 * import { hmacSha256, randomBytes } from '@latchkey/bytes'
 * hmacSha256(randomBytes(32), 'message')
 */
export function hmacSha256(key: Uint8Array, data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (key.length < 16) throw new TypeError('"key" must have at least 16 bytes')
  return hashes.hmac(key, data)
}
