import { decodeBase64url, encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'

/** Creates a secret of a client: 32 random bytes, which it alone keeps. */
export function createClientSecret(): string {
  return `cs_${randomToken(32)}`
}

/** Returns what is stored of a secret. Secrets are random, so a slow hash would protect nothing more. */
export function hashClientSecret(secret: string): string {
  return encodeBase64url(sha256(secret))
}

/** Digests of a list of hashes, decoded once: a client that is written in code has the same list at every request. */
const digestsByHashes = new WeakMap<readonly string[], readonly Uint8Array[]>()

function digestsOf(secretHashes: readonly string[]): readonly Uint8Array[] {
  const known = digestsByHashes.get(secretHashes)
  if (known) return known
  const digests = secretHashes.map((hash) => decodeBase64url(hash) ?? new Uint8Array())
  digestsByHashes.set(secretHashes, digests)
  return digests
}

/**
 * Whether a secret is one of a client, in constant time for each.
 *
 * @param secretHashes never changed: another list is another client.
 */
export function isClientSecret(secretHashes: readonly string[], secret: string): boolean {
  return digestsOf(secretHashes)
    .map((digest) => isSha256Of(digest, secret))
    .includes(true)
}
