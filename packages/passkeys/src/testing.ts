export type { CborValue } from './testing/encode-cbor.ts'
export {
  type CeremonyDefects,
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
  type SoftwareAuthenticatorOptions,
} from './testing/software-authenticator.ts'
