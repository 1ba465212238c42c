import { sha256 as portableSha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
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
  if (nativeCrypto?.hash) return new Uint8Array(nativeCrypto.hash('sha256', data, 'buffer'))
  return portableSha256(typeof data === 'string' ? utf8ToBytes(data) : data)
}
