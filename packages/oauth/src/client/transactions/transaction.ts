import { decodeBase64url, encodeBase64url, hmacSha256, randomBytes, randomToken } from '@latchkey/bytes'

/** A sign-in that has begun: what the browser keeps of it, sealed. */
export interface Transaction {
  /** Goes out with the request and must come back with the answer. */
  readonly state: string
  /** What `nonce` and `verifier` are made of: 32 random bytes in base64url. */
  readonly seed: string
  /** A path of this site. */
  readonly returnTo: string
  /** How old the sign-in at the provider may be; `null`: nothing was asked. */
  readonly maxAgeSeconds: number | null
  /** What the callback must belong to beside the browser; `null`: to that alone. */
  readonly binding: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
}

/** How long a user may take at the provider. */
export const transactionSeconds = 600

/** How many sign-ins a browser can have begun at once: each is a cookie, and all of them fit into the headers of a request. */
export const transactionsAtMost = 5

const stateFormat = /^[0-4]\.[\w-]{43}$/

/** Returns whether a text can be the state of a transaction. */
export function isState(text: string | null): text is string {
  return text !== null && stateFormat.test(text)
}

/** Returns the place of a transaction among those of its browser. */
export function placeOf(state: string): number {
  return Number(state[0])
}

/** Begins a transaction at a place among those of its browser. */
export function startTransaction(
  place: number,
  input: Pick<Transaction, 'returnTo' | 'maxAgeSeconds' | 'binding' | 'startedAt'>,
): Transaction {
  return { state: `${place}.${randomToken(32)}`, seed: encodeBase64url(randomBytes(32)), ...input }
}

/** Returns what ties an id token to the transaction (OpenID Connect Core §15.5.2). */
export function nonceOf({ seed }: Transaction): string {
  return derive(seed, 'nonce')
}

/** Returns what ties the code to the transaction (RFC 7636): 43 characters. */
export function verifierOf({ seed }: Transaction): string {
  return derive(seed, 'verifier')
}

function derive(seed: string, purpose: string): string {
  return encodeBase64url(hmacSha256(decodeBase64url(seed) ?? new Uint8Array(), new TextEncoder().encode(purpose)))
}
