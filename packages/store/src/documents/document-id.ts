import { encodeBase64url, sha256 } from '@latchkey/bytes'

/** Returns the id of a document that has several names: their digest, so that no separator can be forged. */
export function documentId(...parts: readonly string[]): string {
  return encodeBase64url(sha256(JSON.stringify(parts)))
}
