import { readStoredHash } from '../formats/read-stored-hash.ts'

/** The properties of a stored hash. */
export interface HashDescription {
  /** `argon2id`, `argon2i`, `scrypt`, `bcrypt`, `pbkdf2-sha1`, `pbkdf2-sha256`, `pbkdf2-sha512` or `firebase-scrypt`. */
  readonly algorithm: string
  /** `phc`, `bcrypt`, `django`, `aspnet-identity-v2`, `aspnet-identity-v3`, `firebase` or `better-auth`. */
  readonly format: string
  /** The numbers it was made with, by the names that the options of `createPasswordHasher` have. */
  readonly parameters: Readonly<Record<string, number>>
  /** The id of the pepper key that is needed to verify it, or `null` without pepper. */
  readonly pepperKeyId: string | null
  /** The weak digest that it was put around by `wrapHash`, or `null`. */
  readonly wrapped: 'md5' | 'sha1' | 'sha256' | 'sha512' | null
}

/**
 * Describes a stored hash. Returns `null` if no password could verify against it: unknown, malformed, truncated, or
 * with parameters out of bounds. It computes no hash and never throws: use it to check a table before a migration.
 *
 * @example
 * import { describeHash, hashPassword } from '@latchkey/password'
 * describeHash(await hashPassword('correct horse battery staple'))
 * // { algorithm: 'argon2id', format: 'phc', parameters: { memoryKib: 19456, iterations: 2, … }, pepperKeyId: null, … }
 * describeHash('*') // null
 */
export function describeHash(stored: string | null): HashDescription | null {
  const read = readStoredHash(stored)
  if (!read) return null
  const { algorithm, format, parameters } = read.hash
  return { algorithm, format, parameters, pepperKeyId: read.pepperKeyId, wrapped: read.digest?.algorithm ?? null }
}
