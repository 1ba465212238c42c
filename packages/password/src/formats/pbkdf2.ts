import { equalBytes } from '@latchkey/bytes'
import { decodeAnyBase64 } from '../base64.ts'
import type { Pbkdf2Job } from '../engines/engine.ts'
import { isWithin, readInteger, readParameters } from './phc.ts'
import { type StoredHash, spellTyped } from './stored-hash.ts'

/** More than any framework sets (Django 6: 1.2 million) and at most a few seconds. */
const maximumPbkdf2Iterations = 5_000_000

const digests: Record<string, Pbkdf2Job['digest']> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha1': 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
}

/** Returns a PBKDF2 hash of the parts that every notation of it has, or `null` when one is out of bounds. */
export function createPbkdf2Hash(
  format: string,
  { digest, salt, iterations, hash }: Pick<Pbkdf2Job, 'digest' | 'salt' | 'iterations'> & { readonly hash: Uint8Array },
): StoredHash | null {
  if (!isWithin(iterations, 1, maximumPbkdf2Iterations)) return null
  if (!isWithin(salt.length, 1, 64) || !isWithin(hash.length, 16, 64)) return null
  return {
    algorithm: `pbkdf2-${digest}`,
    format,
    parameters: { iterations, saltBytes: salt.length, outputBytes: hash.length },
    spell: spellTyped,
    jobFor: (password) => ({ kind: 'pbkdf2', digest, password, salt, iterations, length: hash.length }),
    matches: (output) => equalBytes(output, hash),
  }
}

/**
 * Reads `$pbkdf2-sha256$i=600000,l=32$salt$hash` (PHC), with `v=1` before it as `@phc/pbkdf2` has it, and passlib's
 * `$pbkdf2-sha256$29000$salt$hash`.
 */
export function readPbkdf2(id: string, fields: readonly string[]): StoredHash | null {
  const digest = digests[id]
  const [cost = '', saltText = '', hashText = '', ...more] = fields[0] === 'v=1' ? fields.slice(1) : fields
  const iterations = readIterations(cost)
  const salt = decodeAnyBase64(saltText)
  const hash = decodeAnyBase64(hashText)
  if (!digest || iterations === null || !salt || !hash || more.length > 0) return null
  return createPbkdf2Hash('phc', { digest, salt, iterations, hash })
}

/** The length `l` only repeats what the hash itself shows. */
function readIterations(text: string): number | null {
  const [first, second, ...more] = readParameters(text) ?? []
  if (!first) return readInteger(text)
  if (first[0] !== 'i' || (second && second[0] !== 'l') || more.length > 0) return null
  return readInteger(first[1])
}
