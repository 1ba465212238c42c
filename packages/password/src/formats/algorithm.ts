import type { HashJob } from '../engines/engine.ts'
import type { HashParameters } from './stored-hash.ts'

/** An algorithm that new hashes are made with, its parameters fixed. */
export interface PasswordAlgorithm {
  readonly name: 'argon2id' | 'scrypt' | 'bcrypt'
  readonly parameters: HashParameters
  /** The most bytes that it reads, or `null` without its own limit. */
  readonly maximumBytes: number | null
  /** Draws a salt and returns the computation, and a function that formats its output. */
  begin(password: Uint8Array): { readonly job: HashJob; write(output: Uint8Array): string }
}

/** Loosens the least parameters that `createPasswordHasher` accepts: for tests that need to be fast, never for users. */
export const allowWeakHashes: unique symbol = Symbol('allowWeakHashes')
