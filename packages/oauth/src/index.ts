export { isOAuthError, OAuthError, type OAuthErrorCode } from './errors.ts'
export { createPkcePair, type PkcePair, verifyPkce } from './pkce.ts'
export type { AccessToken } from './resource/access-token.ts'
export {
  type AccessTokenVerdict,
  type AccessTokenVerifier,
  type AccessTokenVerifierOptions,
  createAccessTokenVerifier,
} from './resource/access-token-verifier.ts'
export type { PresentedRefusal } from './resource/presented-token.ts'
