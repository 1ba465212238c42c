import { encodeBase64url, equalBytes, sha256 } from '@latchkey/bytes'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import type { ProofNonces } from './proof-nonces.ts'
import {
  clientAlgorithms,
  hasClientAlgorithm,
  type Members,
  publicKeyOf,
  readClaims,
  readHeader,
} from './signed-claims.ts'
import type { SingleUse } from './single-use.ts'

/** The request that a proof must match. */
export interface ProofExpectation {
  readonly method: string
  /** The public URL of the request without query and fragment: from the configuration, never from `Host`. */
  readonly url: string
  /** The access token of the request; `null`: none. */
  readonly accessToken: string | null
  /** The thumbprint of the required key; omitted: any key. */
  readonly thumbprint?: string
}

/** The algorithms in metadata and challenges. */
export const proofAlgorithmNames: string = clientAlgorithms.join(' ')

/** The reasons for a refused proof. */
export type ProofRefusal =
  /** No compact token, or `crit`, `b64` or `zip` in the header. */
  | 'malformed'
  /** A `typ` other than `dpop+jwt`. */
  | 'type'
  /** A symmetric or an unknown algorithm. */
  | 'algorithm'
  /** The header has no public key, a private or symmetric key, or an RSA key that is costly to verify with. */
  | 'key'
  | 'signature'
  /** `jti` is no text or `iat` is no whole number. */
  | 'claims'
  | 'method'
  | 'url'
  /** Made for another access token, or without an access token. */
  | 'token'
  /** Made with another key than the token is bound to. */
  | 'binding'
  /** All other checks passed, but the proof is older than a minute, too far in the future, or has an invalid nonce. */
  | 'time'
  /** The `jti` was used before. */
  | 'replayed'

/** The verdict on a proof. `thumbprint`: the thumbprint of its key (`cnf.jkt`). */
export type ProofVerdict =
  | { readonly ok: true; readonly thumbprint: string }
  | { readonly ok: false; readonly reason: ProofRefusal }

export interface ProofContext {
  readonly now: () => number
  /** The store of used `jti`. */
  readonly proofs: SingleUse
  /** Omitted: proofs are checked by `iat` only. */
  readonly nonces?: ProofNonces
}

/** The accepted difference between `iat` and now, in both directions. */
const toleranceSeconds = 60

/**
 * The extra time for which a `jti` is stored: `iat` has whole seconds, and the clocks of processes and stores differ.
 */
const rememberedLongerMs = 6000

/**
 * Verifies a DPoP proof (RFC 9449 §4.3). Its `jti` is used up after all other checks, so a refused proof causes no
 * write.
 *
 * @param proof the whole `DPoP` header; two proofs are joined by a comma and refused.
 */
export async function verifyProof(
  context: ProofContext,
  proof: string,
  expected: ProofExpectation,
): Promise<ProofVerdict> {
  const signed = await readSigned(proof)
  if (typeof signed === 'string') return { ok: false, reason: signed }
  const { claims, jwk } = signed
  const reason = claimsRefusal(claims, expected)
  if (reason) return { ok: false, reason }
  const thumbprint = await calculateJwkThumbprint(jwk, 'sha256')
  if (expected.thumbprint !== undefined && thumbprint !== expected.thumbprint) return { ok: false, reason: 'binding' }
  const endsAt = endOf(claims, context)
  if (endsAt === null) return { ok: false, reason: 'time' }
  const isFirst = await context.proofs.accept([thumbprint, String(claims.jti)], endsAt + rememberedLongerMs)
  return isFirst ? { ok: true, thumbprint } : { ok: false, reason: 'replayed' }
}

/** Returns the claims of a proof after its signature was verified with the key of its header. */
async function readSigned(proof: string): Promise<{ readonly jwk: JWK; readonly claims: Members } | ProofRefusal> {
  const header = readHeader(proof)
  if (!header) return 'malformed'
  if (header.typ !== 'dpop+jwt') return 'type'
  if (!hasClientAlgorithm(header)) return 'algorithm'
  const jwk = publicKeyOf(header.jwk)
  if (!jwk || isCostly(jwk)) return 'key'
  const claims = await readClaims(proof, jwk, String(header.alg))
  return claims ? { jwk, claims } : 'signature'
}

/** 4096 and 32 bits in base64url. The sender chooses the key, and longer keys take fifty times as long. */
const longestOfRsa = { n: 684, e: 6 } as const

function isCostly({ kty, n = '', e = '' }: JWK): boolean {
  return kty === 'RSA' && (n.length > longestOfRsa.n || e.length > longestOfRsa.e)
}

function claimsRefusal(
  { jti, htm, htu, iat, ath }: Members,
  { method, url, accessToken }: ProofExpectation,
): ProofRefusal | null {
  if (typeof jti !== 'string' || jti === '' || !Number.isSafeInteger(iat)) return 'claims'
  if (htm !== method) return 'method'
  if (!isSamePlace(htu, url)) return 'url'
  return accessToken === null || isHashOf(ath, accessToken) ? null : 'token'
}

/**
 * Returns the expiry of a proof in epoch milliseconds; `null`: not valid now. A nonce replaces `iat` (RFC 9449 §11.1):
 * with an `iat` in the future, the same proof would be accepted again later.
 */
function endOf({ iat, nonce }: Members, { now, nonces }: ProofContext): number | null {
  if (nonces && nonce !== undefined) return nonces.endOf(nonce)
  const isNear = Math.abs(Math.floor(now() / 1000) - Number(iat)) <= toleranceSeconds
  return isNear ? (Number(iat) + toleranceSeconds) * 1000 : null
}

/** Compares normalized URLs without query and fragment (RFC 9449 §4.3). */
function isSamePlace(htu: unknown, expected: string): boolean {
  const url = typeof htu === 'string' ? URL.parse(htu) : null
  if (url?.username !== '' || url.password !== '') return false
  return `${url.origin}${url.pathname}` === new URL(expected).href
}

function isHashOf(ath: unknown, accessToken: string): boolean {
  if (typeof ath !== 'string') return false
  const encoder = new TextEncoder()
  return equalBytes(encoder.encode(ath), encoder.encode(encodeBase64url(sha256(accessToken))))
}
