import { sha256 as portableSha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { equalBytes } from './equal-bytes.ts'
import { nativeCrypto } from './native-crypto.ts'

/**
 * Gives the SHA-256 digest (32 bytes) of bytes, or of a text's UTF-8 form (FIPS 180-4). For values of high entropy,
 * such as random tokens: a password needs `@latchkey/password`.
 *
 * @example
 * import { randomToken, sha256 } from '@latchkey/bytes'
 * const stored = sha256(randomToken())
 */
export function sha256(data: string | Uint8Array): Uint8Array<ArrayBuffer> {
  // A text of one character for each byte costs half of what a buffer from native memory does.
  if (nativeCrypto?.hash) return toBytes(nativeCrypto.hash('sha256', data, 'latin1'))
  return portableSha256(typeof data === 'string' ? utf8ToBytes(data) : data)
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
  if (!nativeCrypto?.hash) return equalBytes(digest, sha256(data))
  const text = nativeCrypto.hash('sha256', data, 'latin1')
  let difference = digest.length ^ text.length
  for (let index = 0; index < text.length; index++) difference |= text.charCodeAt(index) ^ (digest[index] ?? 0)
  return difference === 0
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}
