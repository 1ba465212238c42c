export type { Argon2Job, BcryptJob, HashJob, PasswordEngine, Pbkdf2Job, ScryptJob } from './engines/engine.ts'
export { isPasswordError, PasswordError, type PasswordErrorCode } from './errors.ts'
export { allowWeakHashes } from './formats/algorithm.ts'
export type { Argon2idParameters } from './formats/argon2.ts'
export type { BcryptParameters } from './formats/bcrypt.ts'
export type { WrapOptions } from './formats/read-weak-digest.ts'
export type { ScryptParameters } from './formats/scrypt.ts'
export { type Argon2idCalibration, type CalibrationOptions, calibrateArgon2id } from './hasher/calibrate-argon2id.ts'
export {
  createPasswordHasher,
  type HashOptions,
  type PasswordHasher,
  type PasswordHasherStats,
  type PasswordVerdict,
} from './hasher/create-password-hasher.ts'
export { hashPassword, verifyPassword, wrapHash } from './hasher/default-hasher.ts'
export { describeHash, type HashDescription } from './hasher/describe-hash.ts'
export type { EngineChoice, PasswordHasherOptions } from './hasher/hasher-options.ts'
export type { PasswordMeasurement } from './hasher/password-measurement.ts'
export type { BreachFetch, BreachRangeOptions } from './policy/breach-ranges.ts'
export {
  type BreachCheck,
  type BreachCheckEvent,
  type BreachCheckOptions,
  type BreachVerdict,
  createBreachCheck,
} from './policy/create-breach-check.ts'
export {
  createPasswordPolicy,
  type PasswordCheckOptions,
  type PasswordPolicy,
  type PasswordPolicyOptions,
  type PasswordPolicyVerdict,
  type PasswordRefusal,
} from './policy/create-password-policy.ts'
