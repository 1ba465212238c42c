export type { AccessEvent } from './access-event.ts'
export type { AuthContext } from './auth-context.ts'
export { authDirectives } from './auth-directives.ts'
export type { RuleMap } from './collect-rules.ts'
export { type Access, type AccessOptions, compileAccess } from './compile-access.ts'
export { createGraphqlHandler, type GraphqlHandler, type GraphqlHandlerOptions } from './create-graphql-handler.ts'
export {
  type ConnectInput,
  type Connection,
  createSubscriptions,
  type Subscriptions,
  type SubscriptionsOptions,
} from './create-subscriptions.ts'
export type { TrustedDocumentsOptions } from './document-choice.ts'
export type { FieldAccess } from './effective-rules.ts'
export { type EndpointOptions, endpointOptionNames } from './endpoint-options.ts'
export { AccessError, type AccessErrorCode, type AccessErrorDetails } from './errors.ts'
export type { Established } from './established.ts'
export type { ResultStream } from './event-stream.ts'
export type { Limits } from './limits.ts'
export type { OperationExecutor } from './operation-executor.ts'
export type { OperationParams, OperationVerdict, PreparedArgs, PrepareInput } from './prepare.ts'
export type { PreparedPlan } from './prepared-plan.ts'
export type { RateLimitAnswer, RateLimitFacts, RateLimitHook } from './rate-limit-hook.ts'
export { type AccessOutcome, type AccessReport, type AccessReportRow, reportAccess } from './report-access.ts'
export type { Resolver, Resolvers, SubscriptionResolver } from './resolvers.ts'
export type { StatusProfile } from './status-profile.ts'
export type { StreamEnd } from './stream-end.ts'
export type { StreamLimits } from './stream-limits.ts'
export type { OpenedStream } from './subscriber.ts'
export { createTrustedDocuments, type DocumentManifest, type TrustedDocuments } from './trusted-documents.ts'
