import { encodeBase64url, equalBytes, randomToken, sha256 } from '@latchkey/bytes'

/**
 * Creates a verifier and its challenge for an authorization request (RFC 7636).
 *
 * @example
 * import { createPkcePair } from '@latchkey/oauth'
 * const { verifier, challenge, method } = createPkcePair()
 * const url = `https://id.example.com/authorize?code_challenge=${challenge}&code_challenge_method=${method}`
 */
export function createPkcePair(): {
  /** Kept by the client until the token request: 32 random bytes in base64url. */
  readonly verifier: string
  /** Sent with the authorization request: the SHA-256 of the verifier. */
  readonly challenge: string
  readonly method: 'S256'
} {
  const verifier = randomToken(32)
  return { verifier, challenge: challengeOf(verifier), method: 'S256' }
}

/** RFC 7636 §4.1. */
const verifierFormat = /^[\w.~-]{43,128}$/

/** The SHA-256 of a verifier in base64url (RFC 7636 §4.2): the last of 43 characters has no set bit after 32 bytes. */
const challengeFormat = /^[\w-]{42}[AEIMQUYcgkosw048]$/

/** Returns whether a text can be the challenge of a verifier. */
export function isPkceChallenge(text: string): boolean {
  return challengeFormat.test(text)
}

/**
 * Returns whether a verifier matches a challenge of the method S256, in constant time. Malformed verifiers (RFC 7636
 * §4.1) match no challenge.
 *
 * @example
 * import { createPkcePair, verifyPkce } from '@latchkey/oauth'
 * const { verifier, challenge } = createPkcePair()
 * verifyPkce(verifier, challenge) // true
 * verifyPkce(challenge, challenge) // false: that would be the method plain
 */
export function verifyPkce(verifier: string | null | undefined, challenge: string): boolean {
  if (typeof verifier !== 'string' || !verifierFormat.test(verifier) || !isPkceChallenge(challenge)) return false
  const encoder = new TextEncoder()
  return equalBytes(encoder.encode(challengeOf(verifier)), encoder.encode(challenge))
}

/** Returns the challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return encodeBase64url(sha256(verifier))
}
