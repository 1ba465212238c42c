import { encodeBase64url } from './base64url.ts'

/**
 * Returns bytes from the platform's cryptographic generator.
 *
 * @param length 1 to 65536 (the limit of Web Crypto's `getRandomValues`).
 * @throws TypeError when the length is outside that range.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * const salt = randomBytes(16)
 */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(length) || length < 1 || length > 65_536) {
    throw new TypeError('"length" must be an integer from 1 to 65536')
  }
  return crypto.getRandomValues(new Uint8Array(length))
}

/**
 * Returns an unguessable token that is safe in a URL, a header and a cookie: random bytes in base64url.
 *
 * @param length bytes of randomness, at least 16. Default: 32, which are 43 characters.
 * @throws TypeError if it is less than 16: the token could be guessed.
 * @example
 * import { randomToken } from '@latchkey/bytes'
 * const state = randomToken()
 */
export function randomToken(length = 32): string {
  if (length < 16) throw new TypeError('"length" must be at least 16 bytes')
  return encodeBase64url(randomBytes(length))
}

/**
 * Returns a random number from 0 up to, but not including, 1: for a pause of which others cannot guess the length.
 */
export function randomFraction(): number {
  return new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32
}
