import { isJsonObject } from '../connection/json-object.ts'
import type { OAuthProvider, ProviderUser } from './provider.ts'

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps: no OpenID Connect for users. */
export const github: OAuthProvider = {
  name: 'github',
  protocol: 'oauth',
  // The `iss` of its answers (RFC 9207), which had one for some days in April 2026.
  issuer: 'https://github.com/login/oauth',
  endpoints: {
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
  },
  scopes: ['read:user', 'user:email'],
  clientSecretIn: 'form',
  // …/troubleshooting-oauth-app-access-token-request-errors: with the status 200
  errorCodes: { bad_verification_code: 'invalid_grant', bad_refresh_token: 'invalid_grant' },
  // https://docs.github.com/rest/users/emails#list-email-addresses-for-the-authenticated-user
  userEndpoints: ['https://api.github.com/user', 'https://api.github.com/user/emails'],
  readUser: ([user, emails]) => readUser(user, emails),
}

/** Ignores `email` of the user: this public address may be unverified. */
function readUser(user: unknown, emails: unknown): ProviderUser | null {
  if (!isJsonObject(user) || !Number.isSafeInteger(user.id)) return null
  const main = Array.isArray(emails)
    ? emails.find((entry) => isJsonObject(entry) && entry.primary === true && entry.verified === true)
    : null
  return {
    subject: String(user.id),
    name: typeof user.name === 'string' ? user.name : null,
    verifiedEmail: typeof main?.email === 'string' ? main.email : null,
  }
}
