/** One evaluation of Argon2 (RFC 9106, version 1.3). */
export interface Argon2Job {
  readonly kind: 'argon2id' | 'argon2i'
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly memoryKib: number
  readonly iterations: number
  readonly parallelism: number
  readonly length: number
}

/** One evaluation of scrypt (RFC 7914); `cost` is N. */
export interface ScryptJob {
  readonly kind: 'scrypt'
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly cost: number
  readonly blockSize: number
  readonly parallelism: number
  readonly length: number
}

/** One evaluation of bcrypt (`$2b$`): at most 72 bytes without NUL in, 23 bytes out. `cost` is the logarithm. */
export interface BcryptJob {
  readonly kind: 'bcrypt'
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly cost: number
}

/** One evaluation of PBKDF2 with HMAC (RFC 8018 §5.2). */
export interface Pbkdf2Job {
  readonly kind: 'pbkdf2'
  readonly digest: 'sha1' | 'sha256' | 'sha512'
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly iterations: number
  readonly length: number
}

/** A key derivation for an engine to compute, discriminated by `kind`. */
export type HashJob = Argon2Job | ScryptJob | BcryptJob | Pbkdf2Job

/**
 * Something that computes password hashes. All engines give the same bytes for the same job, so a stored hash never
 * depends on the engine that made it.
 */
export interface PasswordEngine {
  /** Shown by `hasher.engines()`. */
  readonly name: string
  /** The kinds of job that it can do. */
  readonly kinds: readonly HashJob['kind'][]
  /** Returns the derived bytes. Runs on the calling thread: a custom engine should not block it. */
  run(job: HashJob): Uint8Array | Promise<Uint8Array>
}

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
