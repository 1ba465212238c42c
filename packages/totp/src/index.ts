export type { ConfirmOptions } from './confirm-totp.ts'
export {
  createRecoveryCodes,
  type EnrolledRecoveryCodes,
  type RecoveryCodes,
  type RecoveryCodesOptions,
} from './create-recovery-codes.ts'
export { createTotp, type Totp } from './create-totp.ts'
export type { Enrollment, EnrollOptions } from './enroll-totp.ts'
export type { EnrolledFactor } from './enrolled-factor.ts'
export type { FactorRefusal, FactorVerdict } from './factor-verdict.ts'
export type { EnrolledTotp } from './find-totp.ts'
export type { TotpOptions } from './totp-context.ts'
export type { RecoveryCodeVerdict } from './verify-recovery-code.ts'
