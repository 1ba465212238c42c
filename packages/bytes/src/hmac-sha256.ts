import { hashes } from '#hashes'

/**
 * Gives the HMAC-SHA-256 (32 bytes, RFC 2104) of bytes, or of a text's UTF-8 form. Compare it with `equalBytes`.
 *
 * @param key at least 16 bytes; give each purpose its own key with `deriveSecrets`.
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
