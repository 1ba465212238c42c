import { readTypedCode } from '@latchkey/store/internal'
import type { SecondFactorKind } from './second-factors.ts'

/** The kinds that make the password alone insufficient, in the order in which a challenge names them. */
export const enrolledKinds = ['totp', 'passkey'] as const

/** The kinds of second factors, and the recovery codes that replace them. */
export const secondFactorKinds: readonly SecondFactorKind[] = [...enrolledKinds, 'recovery-code']

/** Returns the kind of a code by its form: six digits, in groups or not, are a code of an authenticator app. */
export function kindOfCode(code: unknown): 'totp' | 'recovery-code' {
  return /^[0-9]{6}$/.test(readTypedCode(code)) ? 'totp' : 'recovery-code'
}
