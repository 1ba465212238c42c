export type { JwtAlgorithm } from './algorithm.ts'
export type { Jwk, KeyPairAlgorithm } from './check-jwk.ts'
export type { JwtClaims, VerifiedClaims } from './claims.ts'
export { JwtError, type JwtErrorCode } from './errors.ts'
export { generateJwtKey } from './generate-jwt-key.ts'
export { importJwtKey, type JwtKeyMaterial } from './import-jwt-key.ts'
export type { Jwks, JwtKey, PublicJwk } from './jwt-key.ts'
export type { JwtRefusal } from './jwt-refusal.ts'
export {
  allowLongLifetime,
  createJwtSigner,
  type JwtSigner,
  type JwtSignerOptions,
  type SignedJwt,
} from './jwt-signer.ts'
export {
  acceptAnyAudience,
  createJwtVerifier,
  type DenyList,
  type JwtVerdict,
  type JwtVerifier,
  type JwtVerifierOptions,
} from './jwt-verifier.ts'
export { createKeyRing, type KeyRing, type KeyRingOptions } from './key-ring.ts'
export type { KeyQuery, KeySet } from './key-set.ts'
export { createMemoryKeyStore, type KeyStore, type StoredKey } from './key-store.ts'
export { createRemoteKeySet, type RemoteKeySetOptions } from './remote-key-set.ts'
export { type OpenKeyRingOptions, openKeyRing } from './stored-key-ring.ts'
