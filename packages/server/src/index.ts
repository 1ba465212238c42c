export type { AccountSession, DeliveredRefresh } from './account-session/account-session.ts'
export type { CredentialDelivery, DeliveredSignIn, SecondFactorAsked } from './account-session/deliver-sign-in.ts'
export type { DeliveredCredentials, DeliveredTokens } from './account-session/deliverer.ts'
export type { FactorSession } from './account-session/factor-session.ts'
export type { RequestContext, ServerContext } from './accounts-schema/server-context.ts'
export type {
  AuthorizationParts,
  ClientConsent,
  ServiceAuthorizationServer,
} from './clients/authorization-server.ts'
export type { ClientConsents, PresentedConsent, PresentedSession } from './clients/client-consents.ts'
export { createServer, type Server } from './create-server.ts'
export type { IdentityCacheOptions } from './identity-cache/identity-cache.ts'
export type {
  PasskeyParts,
  RecoveryCodeParts,
  ServicePasskeys,
  TotpParts,
} from './options/groups/sign-in.ts'
export { joinStores } from './options/join-stores.ts'
export type {
  EnumValues,
  FieldResolvers,
  PrebuiltSchema,
  ResolverMap,
  SchemaOptions,
  SdlSchema,
  TypeResolvers,
} from './options/schema-options.ts'
export type { SecretSource, ServerOptions, ServiceOptions } from './options/server-options.ts'
export type { ServerStores } from './options/server-stores.ts'
export type { AccessTokenOptions, AccessTokenSettings, ClientAlgorithm } from './settings/access-tokens.ts'
export { type AuditingOptions, allowUnaudited } from './settings/auditing.ts'
export type { DevelopmentPages, GraphiqlFile } from './settings/development-pages.ts'
export type { AuthorizationEvent } from './settings/events/authorization-event.ts'
export type { ServerEvent } from './settings/events/server-event.ts'
export type { ServiceTelemetry, TracedRequestFacts } from './settings/events/service-telemetry.ts'
export type { ServerMeasurement } from './settings/measuring.ts'
export type { PageOptions, ScopeWords } from './settings/page-settings.ts'
export type { PageColor, PageTheme } from './settings/page-theme.ts'
export type { CookieOptions } from './settings/service-cookies.ts'
export { createTerminalMailer } from './terminal-mailer.ts'
export { englishPageTexts } from './texts/english.ts'
export type { PageTextName, PageTexts } from './texts/page-texts.ts'
