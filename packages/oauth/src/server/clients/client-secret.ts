import { decodeBase64url, encodeBase64url, isSha256Of, randomToken, sha256 } from '@latchkey/bytes'

/** Creates a secret of a client: 32 random bytes, which it alone keeps. */
export function createClientSecret(): string {
  return `cs_${randomToken(32)}`
}

/** Returns what is stored of a secret. Secrets are random, so a slow hash would protect nothing more. */
export function hashClientSecret(secret: string): string {
  return encodeBase64url(sha256(secret))
}

/** Whether a secret is one of a client, in constant time for each. */
export function isClientSecret(secretHashes: readonly string[], secret: string): boolean {
  const matches = secretHashes.map((hash) => isSha256Of(decodeBase64url(hash) ?? new Uint8Array(), secret))
  return matches.includes(true)
}
