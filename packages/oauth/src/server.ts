export type { ClientInput } from './server/clients/check-client.ts'
export {
  type ClientRegistry,
  type ClientRegistryOptions,
  createClientRegistry,
  type IssuedClient,
} from './server/clients/client-registry.ts'
export type { FixedClient } from './server/clients/fixed-clients.ts'
export type {
  ClientAuthentication,
  ClientJwks,
  GrantType,
  RegisteredClient,
} from './server/clients/registered-client.ts'
export type { OAuthEvent } from './server/context/oauth-event.ts'
export type {
  AccountState,
  AuthorizationServerOptions,
  ConsentQuestion,
  ServerPages,
  SignedIn,
  UserClaims,
} from './server/context/server-options.ts'
export {
  type AuthorizationServer,
  createAuthorizationServer,
  type ListedGrant,
} from './server/create-authorization-server.ts'
export type { ActiveToken } from './server/issuing/access-tokens.ts'
export type { ErrorPage } from './server/replies/error-page.ts'
export type { PresentedOptions, PresentedVerdict } from './server/tokens/presented-access-token.ts'
