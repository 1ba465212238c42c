export { createServer, type Server } from './create-server.ts'
export { createTerminalMailer } from './features/development/terminal-mailer.ts'
export type { IdentityCacheOptions } from './identity-cache/identity-cache.ts'
export { type AuditingOptions, allowUnaudited } from './options/audit/auditing.ts'
export { joinStores } from './options/join-stores.ts'
export type {
  AuthorizationParts,
  ClientConsent,
  ServiceAuthorizationServer,
} from './options/oauth/authorization-server.ts'
export type { AuthorizationEvent } from './options/observe/authorization-event.ts'
export type { ServerMeasurement } from './options/observe/measuring.ts'
export type { ServerEvent } from './options/observe/server-event.ts'
export type { ServiceTelemetry, TracedRequestFacts } from './options/observe/service-telemetry.ts'
export type { DevelopmentPages, GraphiqlFile } from './options/pages/development-pages.ts'
export type { PageOptions, ScopeWords } from './options/pages/page-settings.ts'
export type { PageColor, PageTheme } from './options/pages/page-theme.ts'
export type {
  EnumValues,
  FieldResolvers,
  PrebuiltSchema,
  ResolverMap,
  SchemaOptions,
  SdlSchema,
  TypeResolvers,
} from './options/server/schema-options.ts'
export type { SecretSource, ServerOptions, ServiceOptions } from './options/server/server-options.ts'
export type { ServerStores } from './options/server-stores.ts'
export type { AccessTokenOptions, AccessTokenSettings, ClientAlgorithm } from './options/sessions/access-tokens.ts'
export type { CookieOptions } from './options/sessions/service-cookies.ts'
export type {
  PasskeyParts,
  RecoveryCodeParts,
  ServicePasskeys,
  TotpParts,
} from './options/sign-in/sign-in-options.ts'
export { englishPageTexts } from './page-kit/texts/english.ts'
export type { PageTextName, PageTexts } from './page-kit/texts/page-texts.ts'
export type { RequestContext, ServerContext } from './schema/server-context.ts'
export type { AccountSession, DeliveredRefresh } from './service/account-session/account-session.ts'
export type {
  CredentialDelivery,
  DeliveredSignIn,
  SecondFactorAsked,
} from './service/account-session/deliver-sign-in.ts'
export type { DeliveredCredentials, DeliveredTokens } from './service/account-session/deliverer.ts'
export type { FactorSession } from './service/account-session/factor-session.ts'
export type { ClientConsents, PresentedConsent, PresentedSession } from './service/clients/client-consents.ts'
