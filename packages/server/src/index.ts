export type { AccountSession, DeliveredRefresh } from './accounts-schema/account-session.ts'
export type { CredentialDelivery, DeliveredSignIn, SecondFactorAsked } from './accounts-schema/deliver-sign-in.ts'
export type { DeliveredCredentials, DeliveredTokens } from './accounts-schema/deliverer.ts'
export type { FactorSession } from './accounts-schema/factor-session.ts'
export type { RequestContext, ServerContext } from './accounts-schema/server-context.ts'
export { createServer, type Server } from './create-server.ts'
export type { ChangingRolesOptions } from './service/changing-roles.ts'
export type { DevelopmentPages, GraphiqlFile } from './service/development-pages.ts'
export type {
  EnumValues,
  FieldResolvers,
  ResolverMap,
  SchemaInHand,
  SchemaInText,
  SchemaOptions,
  TypeResolvers,
} from './service/schema-options.ts'
export type {
  PasskeyParts,
  RecoveryCodeParts,
  SecondFactorOptions,
  TotpParts,
} from './service/second-factors.ts'
export type { SecretSource, ServerOptions, ServerStores, ServiceOptions } from './service/server-options.ts'
export type { AccessTokenOptions, AccessTokenSettings } from './settings/access-tokens.ts'
export type { GuessingOptions } from './settings/guessing.ts'
export type { Lifetimes } from './settings/lifetimes.ts'
export type { ServerMeasurement } from './settings/measuring.ts'
export type { PageOptions } from './settings/page-settings.ts'
export type { PageColor, PageTheme } from './settings/page-theme.ts'
export type {
  ClockSkewedEvent,
  HostRefusedEvent,
  KeyReplacedEvent,
  KeyRotatedEvent,
  ServerEvent,
  ServiceEvent,
  ServiceFailedEvent,
  TokenRevokedEvent,
  TransportWeakenedEvent,
} from './settings/server-event.ts'
export type { CookieOptions } from './settings/service-cookies.ts'
export { createTerminalMailer, type TerminalMailerOptions } from './terminal-mailer.ts'
export { englishPageTexts } from './texts/english.ts'
export type { PageTextName, PageTexts } from './texts/page-texts.ts'
