import { decodeBase64url, encodeBase64url, isSha256Of, sha256 } from '@latchkey/bytes'

/** What a record holds of a secret: SHA-256 in base64url. */
export function hashSecret(secret: Uint8Array): string {
  return encodeBase64url(sha256(secret))
}

/** Compares digests in constant time. */
export function isHashOf(hash: string, secret: Uint8Array): boolean {
  const digest = decodeBase64url(hash)
  return digest !== null && isSha256Of(digest, secret)
}
