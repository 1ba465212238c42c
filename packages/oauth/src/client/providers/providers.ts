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
 * Well-known providers as data: each says where it deviates from the specifications, and every other one of OpenID Connect is
 * `openid({ issuer })`.
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
  /** `TypeError` for a tenant that is no id. */
  readonly microsoft: (options: {
    /**
     * Whose accounts may sign in: those of the directory with this id (a GUID), of every directory (`organizations`), of
     * persons (`consumers`), or all of them (`common`).
     */
    readonly tenant: string
  }) => Extract<Provider, { readonly protocol: 'openid' }>
  readonly apple: (options: {
    /** The ten characters of the team that the key belongs to. */
    readonly teamId: string
  }) => Extract<Provider, { readonly protocol: 'openid' }>
  readonly openid: (options: {
    /** As the provider writes it, with or without a slash at its end. `https:`, or `http:` on loopback. */
    readonly issuer: string
    /** How events, verdicts and cookies name it. @default 'openid' */
    readonly name?: string
    /** @default ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] */
    readonly idTokenAlgorithms?: Extract<Provider, { readonly protocol: 'openid' }>['idTokenAlgorithms']
  }) => Extract<Provider, { readonly protocol: 'openid' }>
} = { google, github, gitlab, discord, microsoft, apple, openid }
