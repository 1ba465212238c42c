/**
 * Something that computes password hashes. All engines give the same bytes for the same job, so a stored hash never
 * depends on the engine that made it.
 */
export interface PasswordEngine {
  /** Shown by `hasher.engines()`. */
  readonly name: string
  /** The kinds of job that it can do. */
  readonly kinds: readonly ('argon2id' | 'argon2i' | 'scrypt' | 'bcrypt' | 'pbkdf2')[]
  /**
   * Returns the derived bytes of `length`. Runs on the calling thread: a custom engine should not block it.
   *
   * - Argon2: RFC 9106, version 1.3.
   * - scrypt: RFC 7914; `cost` is N.
   * - bcrypt: `$2b$`; at most 72 bytes without NUL in, 23 bytes out; `cost` is the logarithm.
   * - PBKDF2 with HMAC: RFC 8018 §5.2.
   */
  run(
    job: { readonly password: Uint8Array; readonly salt: Uint8Array } & (
      | {
          readonly kind: 'argon2id' | 'argon2i'
          readonly memoryKib: number
          readonly iterations: number
          readonly parallelism: number
          readonly length: number
        }
      | {
          readonly kind: 'scrypt'
          readonly cost: number
          readonly blockSize: number
          readonly parallelism: number
          readonly length: number
        }
      | { readonly kind: 'bcrypt'; readonly cost: number }
      | {
          readonly kind: 'pbkdf2'
          readonly digest: 'sha1' | 'sha256' | 'sha512'
          readonly iterations: number
          readonly length: number
        }
    ),
  ): Uint8Array | Promise<Uint8Array>
}

/** A key derivation for an engine to compute. */
export type HashJob = Parameters<PasswordEngine['run']>[0]
export type Argon2Job = Extract<HashJob, { kind: 'argon2id' | 'argon2i' }>
export type ScryptJob = Extract<HashJob, { kind: 'scrypt' }>
export type BcryptJob = Extract<HashJob, { kind: 'bcrypt' }>
export type Pbkdf2Job = Extract<HashJob, { kind: 'pbkdf2' }>

/** The programming error of handing an engine a job of a kind it does not list. */
export function cannotRun(engine: string, { kind }: HashJob): Error {
  return new Error(`the engine ${engine} cannot compute ${kind}`)
}

/**
 * Imports a package that the application may have installed; resolves to `null` when it has not. The name comes as a value, and with comments, so
 * that bundlers neither require the package nor bundle its native parts.
 */
export async function importOptional(name: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name)
  } catch {
    return null
  }
}
