import { decodeBase64url } from '@latchkey/bytes'
import { isJwtAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { parseStrictObject } from '../encoding/strict-json.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { JwtRefusal } from './jwt-refusal.ts'

/** The unverified header of a token. */
export interface TokenHeader {
  /** The key that it names. */
  readonly query: Parameters<KeySet['find']>[0]
  /** Its `typ`, normalized; `null` without `typ`. */
  readonly typ: string | null
}

/**
 * Returns what a token's header says, or the reason why the token is refused whatever its key. The header is only
 * compared with the options: `jwk`, `jku`, `x5u` and `x5c` are never read (RFC 8725 §3.10).
 */
export function readTokenHeader(segment: string, algorithms: ReadonlySet<JwtAlgorithm>): TokenHeader | JwtRefusal {
  const bytes = decodeBase64url(segment)
  const header = bytes && parseStrictObject(bytes)
  if (!header) return 'malformed'
  const { alg, typ, kid } = header
  if ('crit' in header || 'b64' in header || 'zip' in header) return 'unsupported'
  if (!isJwtAlgorithm(alg) || !algorithms.has(alg)) return 'algorithm'
  if (kid !== undefined && typeof kid !== 'string') return 'malformed'
  return { query: { id: kid ?? null, algorithm: alg }, typ: typeof typ === 'string' ? normalizeType(typ) : null }
}

/** Normalizes a media type: case is ignored, and `application/` may be omitted (RFC 7515 §4.1.9). */
export function normalizeType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
