import { hmacSha256, type SecretKey } from '@latchkey/bytes'
import { encodeBase64 } from '../base64.ts'

const encoder = new TextEncoder()

/**
 * Returns the bytes that are hashed, and the fields of the stored text that describe the pepper. With a key they are
 * the base64 of an HMAC: 43 characters without NUL, which bcrypt reads in full.
 */
export function applyPepper(
  text: string,
  key: SecretKey | undefined,
): { readonly password: Uint8Array; readonly layer: string } {
  if (!key) return { password: encoder.encode(text), layer: '' }
  return { password: encoder.encode(encodeBase64(hmacSha256(key.bytes, text))), layer: `$hmac-sha256$k=${key.id}` }
}
