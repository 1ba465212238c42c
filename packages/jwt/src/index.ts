export type { JwtAlgorithm } from './algorithm.ts'
export { isJwtError, JwtError, type JwtErrorCode } from './errors.ts'
export type { Jwk } from './keys/check-jwk.ts'
export { generateJwtKey } from './keys/generate-jwt-key.ts'
export { importJwtKey } from './keys/import-jwt-key.ts'
export type { Jwks, JwtKey } from './keys/jwt-key.ts'
export type { KeySet } from './keys/key-set.ts'
export { createRemoteKeySet } from './keys/remote-key-set.ts'
export { createKeyRing, type KeyRing } from './rings/key-ring.ts'
export { openKeyRing, type StoredKeyRing } from './rings/open-key-ring.ts'
export type { JwtClaims, VerifiedClaims } from './tokens/claims.ts'
export { createDenyList, type DenyList } from './tokens/deny-list.ts'
export type { JwtRefusal } from './tokens/jwt-refusal.ts'
export { allowLongLifetime, createJwtSigner, type JwtSigner } from './tokens/jwt-signer.ts'
export {
  acceptAnyAudience,
  createJwtVerifier,
  type JwtVerdict,
  type JwtVerifier,
  type JwtVerifierOptions,
} from './tokens/jwt-verifier.ts'
