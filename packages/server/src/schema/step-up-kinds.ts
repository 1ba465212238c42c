/** The factors that every step-up accepts. */
const secondKinds: readonly string[] = ['totp', 'passkey']

/** Returns the kinds of factors that answer a step-up; a recovery code only where what is lost is replaced or removed. */
export function stepUpKinds(recoveryCode: boolean): readonly string[] {
  return recoveryCode ? [...secondKinds, 'recovery-code'] : secondKinds
}
