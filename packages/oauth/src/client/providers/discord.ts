import { isJsonObject } from '../connection/json-object.ts'
import type { OAuthProvider, ProviderUser } from './provider.ts'

/** https://docs.discord.com/developers/topics/oauth2 */
export const discord: OAuthProvider = {
  name: 'discord',
  protocol: 'oauth',
  issuer: 'https://discord.com',
  endpoints: {
    authorization: 'https://discord.com/oauth2/authorize',
    token: 'https://discord.com/api/oauth2/token',
    revocation: 'https://discord.com/api/oauth2/token/revoke',
  },
  scopes: ['identify', 'email'],
  // https://docs.discord.com/developers/resources/user#user-object
  userEndpoints: ['https://discord.com/api/users/@me'],
  readUser: ([user]) => readUser(user),
}

function readUser(user: unknown): ProviderUser | null {
  if (!isJsonObject(user) || typeof user.id !== 'string' || !/^\d{1,20}$/.test(user.id)) return null
  return {
    subject: user.id,
    name: typeof user.global_name === 'string' ? user.global_name : null,
    verifiedEmail: user.verified === true && typeof user.email === 'string' ? user.email : null,
  }
}
