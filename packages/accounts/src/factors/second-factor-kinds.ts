import { readTypedCode } from '@latchkey/store/internal'
import type { SecondFactorKind } from './second-factors.ts'

/** The kinds that make the password alone insufficient, in the order in which a challenge names them. */
export const enrolledKinds = ['totp', 'passkey'] as const

/** The same, and what stands in for them. */
export const secondFactorKinds: readonly SecondFactorKind[] = [...enrolledKinds, 'recovery-code']

/** Returns the kind of a code by its form: six digits are those of an authenticator app, in groups or not. */
export function kindOfCode(code: unknown): 'totp' | 'recovery-code' {
  return /^[0-9]{6}$/.test(readTypedCode(code)) ? 'totp' : 'recovery-code'
}
