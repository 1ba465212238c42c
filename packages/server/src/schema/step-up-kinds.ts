/** The factors that every step-up accepts. */
const secondKinds: readonly string[] = ['totp', 'passkey']

/**
 * Returns the factors that a step-up accepts; a recovery code only if the operation replaces or removes a lost factor.
 */
export function stepUpKinds(recoveryCode: boolean): readonly string[] {
  return recoveryCode ? [...secondKinds, 'recovery-code'] : secondKinds
}
