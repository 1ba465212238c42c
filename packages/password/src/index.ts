export type { PasswordEngine } from './engines/engine.ts'
export { isPasswordError, PasswordError, type PasswordErrorCode } from './errors.ts'
export { allowWeakHashes } from './formats/algorithm.ts'
export type { Argon2idParameters } from './formats/argon2.ts'
export { calibrateArgon2id } from './hasher/calibrate-argon2id.ts'
export {
  createPasswordHasher,
  type HashOptions,
  type PasswordHasher,
  type PasswordVerdict,
} from './hasher/create-password-hasher.ts'
export { hashPassword, verifyPassword, wrapHash } from './hasher/default-hasher.ts'
export { describeHash, type HashDescription } from './hasher/describe-hash.ts'
export type { PasswordHasherOptions } from './hasher/hasher-options.ts'
export type { PasswordMeasurement } from './hasher/password-measurement.ts'
export type { BreachCheckEvent, BreachCheckOptions } from './policy/breach-check-options.ts'
export { type BreachCheck, createBreachCheck } from './policy/create-breach-check.ts'
export {
  createPasswordPolicy,
  type PasswordPolicy,
  type PasswordPolicyOptions,
  type PasswordPolicyVerdict,
  type PasswordRefusal,
} from './policy/create-password-policy.ts'
