import type { PasswordErrorCode } from './errors.ts'

/** A password that may be hashed, in the spelling that was typed and in the one that is hashed. */
export interface PasswordInput {
  /** The text as typed, which other systems have hashed. */
  readonly typed: string
  /** In Unicode's canonical composition (NFC), so that every keyboard's spelling of a password is the same password. */
  readonly text: string
}

/** The refusals of a password as such, before any policy. */
export type PasswordFault = Extract<PasswordErrorCode, 'PASSWORD_INVALID' | 'PASSWORD_TOO_LONG'>

const encoder = new TextEncoder()

/**
 * Returns the password in the form that is hashed, or the code of the rule it breaks (NIST SP 800-63B-4 §3.1.1.2).
 * Takes little time whatever the input is: the length is checked before the characters.
 */
export function readPassword(password: unknown, maximumBytes: number): PasswordInput | PasswordFault {
  if (typeof password !== 'string' || password === '') return 'PASSWORD_INVALID'
  // A UTF-16 unit is at least one byte of UTF-8.
  if (password.length > maximumBytes) return 'PASSWORD_TOO_LONG'
  if (!password.isWellFormed() || password.includes('\0')) return 'PASSWORD_INVALID'
  const text = password.normalize('NFC')
  if (encoder.encode(text).length > maximumBytes) return 'PASSWORD_TOO_LONG'
  return { typed: password, text }
}
