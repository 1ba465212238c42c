import type { Provider } from '../contract/provider.ts'

export type OpenIdProvider = Extract<Provider, { readonly protocol: 'openid' }>
export type OAuthProvider = Extract<Provider, { readonly protocol: 'oauth' }>

/** Who a user is at a provider of OAuth 2.0. */
export type ProviderUser = NonNullable<ReturnType<OAuthProvider['readUser']>>
