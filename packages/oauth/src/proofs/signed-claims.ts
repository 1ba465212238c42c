import type { JWK } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { compactVerify } from 'jose/jws/compact/verify'
import { importJWK } from 'jose/key/import'

/** The members of a JSON object that others have made: nothing is known of them. */
export type Members = Readonly<Record<string, unknown>>

/** The algorithms of what clients sign: asymmetric ones only (RFC 9449 §4.2, RFC 7523 §3). */
export const clientAlgorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const

/** Longer than anything that a client signs. */
const longest = 8192

/** Returns the header of a compact token, not verified yet, or `null` for what is no such token. */
export function readHeader(token: string): Members | null {
  if (token.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null
  try {
    const header: Members = { ...decodeProtectedHeader(token) }
    return 'crit' in header || 'b64' in header || 'zip' in header ? null : header
  } catch {
    return null
  }
}

/** Whether a header names one of the algorithms of clients. */
export function hasClientAlgorithm({ alg }: Members): boolean {
  return clientAlgorithms.some((known) => known === alg)
}

/** The members of public keys, by `kty`: a map, because what others name may be a member of every object. */
const keyMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
  ['RSA', ['n', 'e']],
])

/** The members of private and symmetric keys (RFC 7518 §6): any of them reveals the key. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** Whether a key shows what only its owner may know. */
export function revealsSecret(jwk: object): boolean {
  return secretMembers.some((name) => name in jwk)
}

/** Returns the members that make a public key, and no others, or `null` for a private, a symmetric or no key. */
export function publicKeyOf(given: unknown): JWK | null {
  if (typeof given !== 'object' || given === null || revealsSecret(given)) return null
  const jwk = given as Members
  const names = keyMembers.get(jwk.kty)
  if (!names?.every((name) => typeof jwk[name] === 'string')) return null
  return Object.fromEntries(['kty', ...names].map((name) => [name, String(jwk[name])]))
}

/**
 * Returns the claims of a token whose signature is valid under a key, else `null`: a key that is none, or too weak, is the
 * same refusal as another signature.
 */
export async function readClaims(token: string, jwk: JWK, algorithm: string): Promise<Members | null> {
  try {
    const key = await importJWK(jwk, algorithm)
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] })
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Members) : null
  } catch {
    return null
  }
}
