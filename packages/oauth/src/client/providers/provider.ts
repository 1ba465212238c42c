import type { Provider } from '../contract/provider.ts'

export type OpenIdProvider = Extract<Provider, { readonly protocol: 'openid' }>
export type OAuthProvider = Extract<Provider, { readonly protocol: 'oauth' }>

export type ProviderUser = NonNullable<ReturnType<OAuthProvider['readUser']>>
