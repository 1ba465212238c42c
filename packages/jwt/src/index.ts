export type { JwtAlgorithm } from './algorithm.ts'
export { isJwtError, JwtError, type JwtErrorCode } from './errors.ts'
export type { Jwk, KeyPairAlgorithm } from './keys/check-jwk.ts'
export { generateJwtKey } from './keys/generate-jwt-key.ts'
export { importJwtKey, type JwtKeyMaterial } from './keys/import-jwt-key.ts'
export type { Jwks, JwtKey, PublicJwk } from './keys/jwt-key.ts'
export type { KeyQuery, KeySet } from './keys/key-set.ts'
export { createRemoteKeySet, type RemoteKeySetOptions } from './keys/remote-key-set.ts'
export { createKeyRing, type KeyRing, type KeyRingOptions } from './rings/key-ring.ts'
export { type OpenKeyRingOptions, openKeyRing, type StoredKeyRing } from './rings/open-key-ring.ts'
export type { JwtClaims, VerifiedClaims } from './tokens/claims.ts'
export { createDenyList, type DenyList, type DenyListOptions } from './tokens/deny-list.ts'
export type { JwtRefusal } from './tokens/jwt-refusal.ts'
export {
  allowLongLifetime,
  createJwtSigner,
  type JwtBounds,
  type JwtSigner,
  type JwtSignerOptions,
  type SignedJwt,
} from './tokens/jwt-signer.ts'
export {
  acceptAnyAudience,
  createJwtVerifier,
  type JwtVerdict,
  type JwtVerifier,
  type JwtVerifierOptions,
} from './tokens/jwt-verifier.ts'
