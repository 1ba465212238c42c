import type { Provider } from '../contract/provider.ts'
import { apple } from './apple.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'
import { microsoft } from './microsoft.ts'
import { openid } from './openid.ts'
import type { OpenIdProvider } from './provider.ts'

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
 * Well-known providers as data, with their deviations from the specifications. Use `openid({ issuer })` for any other
 * OpenID Connect provider.
 *
 * @example
 * import { providers } from '@latchkey/oauth/client'
 * const ours = providers.openid({ issuer: 'https://id.example.com', name: 'staff' })
 * const everybody = [ours, providers.google, providers.github, providers.microsoft({ tenant: 'common' })]
 */
export const providers: {
  readonly google: Provider
  readonly github: Provider
  readonly gitlab: Provider
  readonly discord: Provider
  /** @throws TypeError for a tenant that is no id. */
  readonly microsoft: (options: {
    /**
     * The accounts that may sign in: of the directory with this id (a GUID), of every directory (`organizations`),
     * personal accounts (`consumers`), or all of them (`common`).
     */
    readonly tenant: string
  }) => Extract<Provider, { readonly protocol: 'openid' }>
  readonly apple: (options: {
    /** The ten characters of the key's team. */
    readonly teamId: string
  }) => Extract<Provider, { readonly protocol: 'openid' }>
  readonly openid: (options: {
    /** The exact issuer, with or without a trailing slash: `https:`, or `http:` on loopback. */
    readonly issuer: string
    /** The provider's name in events, verdicts and cookies. @default 'openid' */
    readonly name?: string
    /** @default ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] */
    readonly idTokenAlgorithms?: Extract<Provider, { readonly protocol: 'openid' }>['idTokenAlgorithms']
  }) => Extract<Provider, { readonly protocol: 'openid' }>
} = { google, github, gitlab, discord, microsoft, apple, openid }
