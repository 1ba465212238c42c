import type { HashJob } from '../engines/engine.ts'
import type { PasswordInput } from '../read-password.ts'

/** The parameters of a stored hash, as numbers: see the README for each algorithm. */
export type HashParameters = Readonly<Record<string, number>>

/** A verifiable stored hash, without its pepper and wrapping. */
export interface StoredHash {
  readonly algorithm: string
  /** The system whose notation it has: `phc`, `bcrypt`, `django`, … */
  readonly format: string
  readonly parameters: HashParameters
  /** Returns the characters that were hashed. */
  spell(input: PasswordInput): string | Promise<string>
  /** Returns the computation that verifies a password, or `null` when no password of these bytes can have made this hash. */
  jobFor(password: Uint8Array): HashJob | null
  matches(output: Uint8Array): boolean | Promise<boolean>
}

/** The text in canonical composition, as this package and most libraries hash it. */
export const spellComposed = ({ text }: PasswordInput): string => text

/** Systems that did not normalise have hashed what was typed. */
export const spellTyped = ({ typed }: PasswordInput): string => typed
