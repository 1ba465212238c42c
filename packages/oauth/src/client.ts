export type { BegunSignIn, SignInStart } from './client/callback/begin.ts'
export type {
  AuthorizationErrorCode,
  CallbackRefusal,
  CallbackVerdict,
  ProviderIdentity,
} from './client/callback/callback-verdict.ts'
export type { PostVerdict } from './client/callback/receive-post.ts'
export type { LogoutInput } from './client/calls/logout-url.ts'
export type { RefreshInput, RefreshVerdict } from './client/calls/refresh.ts'
export type { UserinfoVerdict } from './client/calls/userinfo.ts'
export type { OAuthClientEvent } from './client/context/client-event.ts'
export { allowPublicClient, type OAuthClientOptions } from './client/context/client-options.ts'
export { createOAuthClient, type OAuthClient } from './client/create-oauth-client.ts'
export type { AppleOptions } from './client/providers/apple.ts'
export type { MicrosoftOptions } from './client/providers/microsoft.ts'
export type { OpenIdOptions } from './client/providers/openid.ts'
export type {
  AnyProvider,
  ClientSecretInput,
  IdTokenAlgorithm,
  OAuthProvider,
  OpenIdProvider,
  PrivateKey,
  Provider,
  ProviderUser,
  WebCryptoKey,
} from './client/providers/provider.ts'
export { providers } from './client/providers/providers.ts'
export type { IdTokenRefusal } from './client/tokens/id-token.ts'
export type { LogoutRefusal, LogoutVerdict, OnBackchannelLogout } from './client/tokens/logout-token.ts'
export type { TokenSet } from './client/tokens/token-set.ts'
