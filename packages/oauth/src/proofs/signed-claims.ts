import type { JWK } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { compactVerify } from 'jose/jws/compact/verify'
import { importJWK } from 'jose/key/import'

/** The members of a JSON object from outside; none is checked. */
export type Members = Readonly<Record<string, unknown>>

/** The algorithms of proofs and assertions: asymmetric only (RFC 9449 §4.2, RFC 7523 §3). */
export const clientAlgorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const

/** Longer than any proof or assertion. */
const longest = 8192

/** Returns the unverified header of a compact token; `null`: malformed. */
export function readHeader(token: string): Members | null {
  if (token.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null
  try {
    const header: Members = { ...decodeProtectedHeader(token) }
    return 'crit' in header || 'b64' in header || 'zip' in header ? null : header
  } catch {
    return null
  }
}

export function hasClientAlgorithm({ alg }: Members): boolean {
  return clientAlgorithms.some((known) => known === alg)
}

/** The members of public keys by `kty`. A map, because a given `kty` could name a member of every object. */
const keyMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
  ['RSA', ['n', 'e']],
])

/** The members of private and symmetric keys (RFC 7518 §6). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** Whether a key has a private or symmetric member. */
export function revealsSecret(jwk: object): boolean {
  return secretMembers.some((name) => name in jwk)
}

/** Returns only the public members of a key; `null`: a private, symmetric or malformed key. */
export function publicKeyOf(given: unknown): JWK | null {
  if (typeof given !== 'object' || given === null || revealsSecret(given)) return null
  const jwk = given as Members
  const names = keyMembers.get(jwk.kty)
  if (!names?.every((name) => typeof jwk[name] === 'string')) return null
  return Object.fromEntries(['kty', ...names].map((name) => [name, String(jwk[name])]))
}

/**
 * Returns the claims of a token with a valid signature, else `null`. An invalid or weak key is treated as a wrong
 * signature.
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
