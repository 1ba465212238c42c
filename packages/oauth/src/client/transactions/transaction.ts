import { decodeBase64url, encodeBase64url, hmacSha256, randomBytes, randomToken } from '@latchkey/bytes'

/** A started sign-in, which the browser stores sealed. */
export interface Transaction {
  /** Sent with the request and expected in the answer. */
  readonly state: string
  /** The seed of nonce and verifier: 32 random bytes in base64url. */
  readonly seed: string
  /** A path of this site. */
  readonly returnTo: string
  /** The maximum age of the sign-in at the provider; `null`: any. */
  readonly maxAgeSeconds: number | null
  /** The caller's value that the callback returns; `null`: none given. */
  readonly binding: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
}

/** The time limit of a sign-in. */
export const transactionSeconds = 600

/** The limit of concurrent sign-ins in a browser: each has a cookie, and together they fit into a request's headers. */
export const transactionsAtMost = 5

const stateFormat = /^[0-4]\.[\w-]{43}$/

/** Returns whether a text can be the state of a transaction. */
export function isState(text: string | null): text is string {
  return text !== null && stateFormat.test(text)
}

/** Returns the place of a transaction in its browser. */
export function placeOf(state: string): number {
  return Number(state[0])
}

/** Creates a transaction at a place in its browser. */
export function startTransaction(
  place: number,
  input: Pick<Transaction, 'returnTo' | 'maxAgeSeconds' | 'binding' | 'startedAt'>,
): Transaction {
  return { state: `${place}.${randomToken(32)}`, seed: encodeBase64url(randomBytes(32)), ...input }
}

/** Returns the nonce, which binds an id token to the transaction (OpenID Connect Core §15.5.2). */
export function nonceOf({ seed }: Transaction): string {
  return derive(seed, 'nonce')
}

/** Returns the verifier, which binds the code to the transaction (RFC 7636): 43 characters. */
export function verifierOf({ seed }: Transaction): string {
  return derive(seed, 'verifier')
}

function derive(seed: string, purpose: string): string {
  return encodeBase64url(hmacSha256(decodeBase64url(seed) ?? new Uint8Array(), new TextEncoder().encode(purpose)))
}
