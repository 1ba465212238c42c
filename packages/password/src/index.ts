export { allowWeakHashes } from './algorithm.ts'
export type { Argon2idParameters } from './argon2.ts'
export type { BcryptParameters } from './bcrypt.ts'
export type { BreachFetch, BreachRangeOptions } from './breach-ranges.ts'
export { type Argon2idCalibration, type CalibrationOptions, calibrateArgon2id } from './calibrate-argon2id.ts'
export {
  type BreachCheck,
  type BreachCheckEvent,
  type BreachCheckOptions,
  type BreachVerdict,
  createBreachCheck,
} from './create-breach-check.ts'
export {
  createPasswordHasher,
  type HashOptions,
  type PasswordHasher,
  type PasswordHasherStats,
  type PasswordVerdict,
} from './create-password-hasher.ts'
export {
  createPasswordPolicy,
  type PasswordCheckOptions,
  type PasswordPolicy,
  type PasswordPolicyOptions,
  type PasswordPolicyVerdict,
  type PasswordRefusal,
} from './create-password-policy.ts'
export { hashPassword, verifyPassword, wrapHash } from './default-hasher.ts'
export { describeHash, type HashDescription } from './describe-hash.ts'
export type { Argon2Job, BcryptJob, HashJob, PasswordEngine, Pbkdf2Job, ScryptJob } from './engine.ts'
export { PasswordError, type PasswordErrorCode } from './errors.ts'
export type { EngineChoice, PasswordHasherOptions } from './hasher-options.ts'
export type { WrapOptions } from './read-weak-digest.ts'
export type { ScryptParameters } from './scrypt.ts'
