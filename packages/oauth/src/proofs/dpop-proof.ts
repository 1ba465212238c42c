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

/** What a proof must have been made for. */
export interface ProofExpectation {
  readonly method: string
  /** The public URL of the request without query and fragment: from the configuration, never from `Host`. */
  readonly url: string
  /** The access token that is presented with the proof; `null` where none is. */
  readonly accessToken: string | null
  /** The thumbprint of the key that the proof must be made with; omitted: of any key. */
  readonly thumbprint?: string
}

/** As metadata and challenges name them. */
export const proofAlgorithmNames: string = clientAlgorithms.join(' ')

/** Why a proof is refused. */
export type ProofRefusal =
  /** No compact token, or one with `crit`, `b64` or `zip`. */
  | 'malformed'
  /** A `typ` other than `dpop+jwt`. */
  | 'type'
  /** A symmetric or an unknown algorithm. */
  | 'algorithm'
  /** No public key in the header: none at all, a private or a symmetric one, or one of RSA that is costly to verify with. */
  | 'key'
  | 'signature'
  /** `jti` or `iat` is missing or no text and no whole number. */
  | 'claims'
  | 'method'
  | 'url'
  /** Made for another access token, or for none. */
  | 'token'
  /** Made with another key than the token is bound to. */
  | 'binding'
  /** Nothing else is wrong: older than a minute, or made that far in the future; or with a nonce that does not count. */
  | 'time'
  /** Its `jti` was shown before. */
  | 'replayed'

/** The verdict on a proof. `thumbprint`: that of the key that it was signed with (`cnf.jkt`). */
export type ProofVerdict =
  | { readonly ok: true; readonly thumbprint: string }
  | { readonly ok: false; readonly reason: ProofRefusal }

export interface ProofContext {
  readonly now: () => number
  /** Where the `jti` of proofs are used up. */
  readonly proofs: SingleUse
  /** Omitted: none are given, and `iat` decides. */
  readonly nonces?: ProofNonces
}

/** How far `iat` may be from now, in both directions: clocks differ, and a proof is made for one request. */
const toleranceSeconds = 60

/** By how much longer a `jti` is remembered than accepted: `iat` has whole seconds, and the clocks of processes and stores differ. */
const rememberedLongerMs = 6000

/**
 * Verifies a DPoP proof (RFC 9449 §4.3). Its `jti` is used up at the end, when nothing else is wrong with it: what is
 * refused costs no write.
 *
 * @param proof the whole `DPoP` header; two of them are joined by a comma and no token.
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

/** Returns what a proof says, once its signature is valid under the key in its own header. */
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

/** 4096 and 32 bits in base64url: who sends a proof chooses its key, and longer ones take fifty times as long. */
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
 * Returns until when a proof is accepted, epoch milliseconds, or `null`: it is not, now. A nonce decides alone (RFC 9449 §11.1):
 * by an `iat` in the future the same proof would be accepted again later.
 */
function endOf({ iat, nonce }: Members, { now, nonces }: ProofContext): number | null {
  if (nonces && nonce !== undefined) return nonces.endOf(nonce)
  const isNear = Math.abs(Math.floor(now() / 1000) - Number(iat)) <= toleranceSeconds
  return isNear ? (Number(iat) + toleranceSeconds) * 1000 : null
}

/** Query and fragment do not count, and the spellings of one URL are one (RFC 9449 §4.3). */
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
