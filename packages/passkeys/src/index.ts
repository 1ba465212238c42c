export { createPasskeys, type PasskeysOptions } from './create-passkeys.ts'
export type { Passkeys } from './passkeys.ts'
export { type RelyingParty, relatedOriginsDocument } from './relying-party.ts'
export type { PasskeyVerdict, RegistrationVerdict } from './verdicts.ts'
