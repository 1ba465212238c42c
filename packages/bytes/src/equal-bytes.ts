/**
 * Compares two byte strings in a time that depends on their lengths only, not on their contents. The lengths are not
 * hidden: compare digests, or values whose length is public.
 *
 * @example
 * import { equalBytes, sha256 } from '@latchkey/bytes'
 * equalBytes(sha256('a'), sha256('a')) // true
 */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= (left[index] ?? 0) ^ (right[index] ?? 0)
  return difference === 0
}
