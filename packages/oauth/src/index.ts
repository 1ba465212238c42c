export { isOAuthError, OAuthError, type OAuthErrorCode } from './errors.ts'
export { createPkcePair, type PkcePair, verifyPkce } from './pkce.ts'
