import {
  createPasswordHasher,
  type HashOptions,
  type PasswordHasher,
  type PasswordVerdict,
} from './create-password-hasher.ts'

let hasher: PasswordHasher | undefined

/** Created with the first password, so that a process that never hashes starts no workers. */
function defaultHasher(): PasswordHasher {
  hasher ??= createPasswordHasher()
  return hasher
}

/**
 * Returns the text to store for a password: Argon2id, 19 MiB, 2 iterations, a fresh salt, as a PHC string of 97
 * characters. Computed off the event loop, as many at once as there are cores; 200 more may wait.
 *
 * @param password any well-formed text without NUL of 1 to 1024 bytes; its canonical composition (NFC) is hashed. Check
 * it with `createPasswordPolicy` first.
 * @throws PasswordError PASSWORD_INVALID, PASSWORD_TOO_LONG, PASSWORD_HASHER_UNAVAILABLE (503, with `retryAfterSeconds`).
 *
 * @example
 * import { hashPassword } from '@latchkey/password'
 * await hashPassword('correct horse battery staple') // '$argon2id$v=19$m=19456,t=2,p=1$…'
 */
export function hashPassword(password: string, options?: HashOptions): Promise<string> {
  return defaultHasher().hash(password, options)
}

/**
 * Verifies a password against a stored hash, of this package or in any notation of the README's table.
 * Exactly one hash is computed whatever the input is, so that the time of an answer does not reveal whether an account
 * exists.
 *
 * @param stored the stored text, or `null` when there is no account or it has no password: then `ok` is false.
 * @returns `ok`, and `needsRehash` when the hash should be replaced by `hashPassword(password, { lane: 'idle' })`,
 * written by compare-and-swap on the hash that was verified.
 * @throws PasswordError PASSWORD_HASHER_UNAVAILABLE (503, with `retryAfterSeconds`): there was no verdict.
 *
 * @example
 * import { hashPassword, verifyPassword } from '@latchkey/password'
 * const stored = await hashPassword('correct horse battery staple')
 * await verifyPassword('correct horse battery staple', stored) // { ok: true, needsRehash: false }
 * await verifyPassword('anything', null) // { ok: false, needsRehash: false }, after the same work
 */
export function verifyPassword(
  password: string,
  stored: string | null,
  options?: HashOptions,
): Promise<PasswordVerdict> {
  return defaultHasher().verify(password, stored, options)
}

/**
 * Puts Argon2id around a weak digest that an old system stored (`argon2id(md5(password))`), for accounts whose owners
 * may never sign in again. `verifyPassword` accepts the result and reports `needsRehash` at the next login.
 *
 * @param digest hexadecimal or base64.
 * @throws TypeError when the algorithm is none of the four.
 * @throws PasswordError PASSWORD_HASH_INVALID when it is no digest of the algorithm, PASSWORD_HASHER_UNAVAILABLE.
 *
 * @example
 * import { verifyPassword, wrapHash } from '@latchkey/password'
 * const stored = await wrapHash('5f4dcc3b5aa765d61d8327deb882cf99', { algorithm: 'md5', lane: 'idle' })
 * await verifyPassword('password', stored) // { ok: true, needsRehash: true }
 */
export function wrapHash(digest: string, options: Parameters<PasswordHasher['wrap']>[1]): Promise<string> {
  return defaultHasher().wrap(digest, options)
}
