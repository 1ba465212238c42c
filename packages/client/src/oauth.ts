export { createOAuthClient } from './oauth/create-oauth-client.ts'
export type { OAuthClient } from './oauth/oauth-client.ts'
