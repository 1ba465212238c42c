import { decodeBase64url, encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'

/** Creates a client secret of 32 random bytes. The server stores only its hash. */
export function createClientSecret(): string {
  return `cs_${randomToken(32)}`
}

/** Returns the hash of a secret to store. Secrets are random, so a slow hash would add no protection. */
export function hashClientSecret(secret: string): string {
  return encodeBase64url(sha256(secret))
}

/** The decoded digests of a list of hashes. A client in code has the same list at every request. */
const digestsByHashes = new WeakMap<readonly string[], readonly Uint8Array[]>()

function digestsOf(secretHashes: readonly string[]): readonly Uint8Array[] {
  const known = digestsByHashes.get(secretHashes)
  if (known) return known
  const digests = secretHashes.map((hash) => decodeBase64url(hash) ?? new Uint8Array())
  digestsByHashes.set(secretHashes, digests)
  return digests
}

/**
 * Returns whether a client has a secret. Each comparison takes constant time.
 *
 * @param secretHashes a list that does not change: its digests are cached.
 */
export function isClientSecret(secretHashes: readonly string[], secret: string): boolean {
  return digestsOf(secretHashes)
    .map((digest) => isSha256Of(digest, secret))
    .includes(true)
}
