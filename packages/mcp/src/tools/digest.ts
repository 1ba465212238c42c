import { sha256 } from '@latchkey/bytes'

/** Returns the SHA-256 digest of a text, in hexadecimal. */
export function digestOf(text: string): string {
  return Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
