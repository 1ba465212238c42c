import type { HashJob } from '../engines/engine.ts'
import type { PasswordInput } from '../read-password.ts'

/** What made a stored hash, in numbers: see the README for those of each algorithm. */
export type HashParameters = Readonly<Record<string, number>>

/** A stored hash that can be verified, read but for the pepper and the wrapping before it. */
export interface StoredHash {
  readonly algorithm: string
  /** Whose notation it is in: `phc`, `bcrypt`, `django`, … */
  readonly format: string
  readonly parameters: HashParameters
  /** Returns the characters that were hashed. */
  spell(input: PasswordInput): string | Promise<string>
  /** Returns the computation that verifies a password, or `null` when no password of these bytes can have made this hash. */
  jobFor(password: Uint8Array): HashJob | null
  matches(output: Uint8Array): boolean | Promise<boolean>
}

/** Our own notation and that of most libraries: the canonical composition. */
export const spellComposed = ({ text }: PasswordInput): string => text

/** Systems that did not normalise have hashed what was typed. */
export const spellTyped = ({ typed }: PasswordInput): string => typed
