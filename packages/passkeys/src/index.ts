export type { PasskeyAlgorithm } from './algorithms.ts'
export { createPasskeys, type Passkeys, type PasskeysOptions, type RenameVerdict } from './create-passkeys.ts'
export type { EnrolledPasskey } from './passkey.ts'
export type { PasskeyRefusal, Refused, UnsignedRefusal } from './refusal.ts'
export type {
  FinishRegistrationOptions,
  PasskeyAccount,
  RegistrationVerdict,
  StartedRegistration,
  StartRegistrationOptions,
} from './registration.ts'
export { type RelatedOrigins, type RelyingParty, relatedOriginsDocument } from './relying-party.ts'
export type {
  FinishSignInOptions,
  PasskeyVerdict,
  RefusedCounter,
  StartedSignIn,
  StartSignInOptions,
} from './sign-in.ts'
