import { decodeBase64url } from '@latchkey/bytes'
import { isJwtAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { parseStrictObject } from '../encoding/strict-json.ts'
import type { KeyQuery } from '../keys/key-set.ts'
import type { JwtRefusal } from './jwt-refusal.ts'

/**
 * Returns the key that a token's header names, or the reason why the token is refused whatever its key. The header is
 * only compared with the options: `jwk`, `jku`, `x5u` and `x5c` are never read (RFC 8725 §3.10).
 */
export function readTokenHeader(
  segment: string,
  pinned: { readonly algorithms: ReadonlySet<JwtAlgorithm>; readonly typ: string },
): KeyQuery | JwtRefusal {
  const bytes = decodeBase64url(segment)
  const header = bytes && parseStrictObject(bytes)
  if (!header) return 'malformed'
  const { alg, typ, kid } = header
  if ('crit' in header || 'b64' in header || 'zip' in header) return 'unsupported'
  if (!isJwtAlgorithm(alg) || !pinned.algorithms.has(alg)) return 'algorithm'
  if (typeof typ !== 'string' || normalizeType(typ) !== pinned.typ) return 'type'
  if (kid !== undefined && typeof kid !== 'string') return 'malformed'
  return { id: kid ?? null, algorithm: alg }
}

/** Normalizes a media type: case is ignored, and `application/` may be omitted (RFC 7515 §4.1.9). */
export function normalizeType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
