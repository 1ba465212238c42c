import { type AppleOptions, apple } from './apple.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'
import { type MicrosoftOptions, microsoft } from './microsoft.ts'
import { type OpenIdOptions, openid } from './openid.ts'
import type { OAuthProvider, OpenIdProvider } from './provider.ts'

const google: OpenIdProvider = {
  ...openid({ issuer: 'https://accounts.google.com', name: 'google', idTokenAlgorithms: ['RS256'] }),
  // https://developers.google.com/identity/protocols/oauth2/web-server#offline: there is no scope for it
  offline: { parameters: { access_type: 'offline', prompt: 'consent' } },
}

const gitlab: OpenIdProvider = {
  ...openid({ issuer: 'https://gitlab.com', name: 'gitlab', idTokenAlgorithms: ['RS256'] }),
  // https://docs.gitlab.com/api/oauth2: a refresh token comes with every code
  offline: {},
}

/**
 * Well-known providers as data: each says where it deviates from the specifications, and every other one of OpenID Connect is
 * `openid({ issuer })`.
 *
 * @example
 * import { providers } from '@latchkey/oauth/client'
 * const ours = providers.openid({ issuer: 'https://id.example.com', name: 'staff' })
 * const everybody = [ours, providers.google, providers.github, providers.microsoft({ tenant: 'common' })]
 */
export const providers: {
  readonly google: OpenIdProvider
  readonly github: OAuthProvider
  readonly gitlab: OpenIdProvider
  readonly discord: OAuthProvider
  /** `TypeError` for a tenant that is no id. */
  readonly microsoft: (options: MicrosoftOptions) => OpenIdProvider
  readonly apple: (options: AppleOptions) => OpenIdProvider
  readonly openid: (options: OpenIdOptions) => OpenIdProvider
} = { google, github, gitlab, discord, microsoft, apple, openid }
