export type { AuthContext } from './access/auth-context.ts'
export { type Access, type AccessOptions, compileAccess } from './access/compile-access.ts'
export type { OperationParams, OperationVerdict, PreparedArgs, PrepareInput } from './access/prepare.ts'
export { type AccessOutcome, type AccessReport, type AccessReportRow, reportAccess } from './access/report-access.ts'
export type { Resolver, Resolvers, SubscriptionResolver } from './access/resolvers.ts'
export type { TrustedDocumentsOptions } from './documents/choose-document.ts'
export type { Limits } from './documents/limits.ts'
export { createTrustedDocuments, type DocumentManifest, type TrustedDocuments } from './documents/trusted-documents.ts'
export { AccessError, type AccessErrorCode, type AccessErrorDetails } from './errors.ts'
export type { AccessEvent } from './handler/access-event.ts'
export { createGraphqlHandler, type GraphqlHandler } from './handler/create-graphql-handler.ts'
export type { EndpointOptions } from './handler/endpoint-options.ts'
export type { Established } from './handler/established.ts'
export type { GraphqlHandlerOptions } from './handler/graphql-handler-options.ts'
export type { RateLimitAnswer, RateLimitFacts, RateLimitHook } from './handler/rate-limit-hook.ts'
export { judgeSender, type Sender, type SenderOptions } from './handler/sender.ts'
export type { PreparedPlan } from './plan/plan.ts'
export type { StatusProfile } from './responses/status-profile.ts'
export { authDirectives } from './rules/auth-directives.ts'
export type { RuleMap } from './rules/collect-rules.ts'
export type { FieldAccess } from './rules/effective-rules.ts'
export {
  type ConnectInput,
  type Connection,
  createSubscriptions,
  type Subscriptions,
  type SubscriptionsOptions,
} from './subscriptions/create-subscriptions.ts'
export type { ResultStream } from './subscriptions/event-stream.ts'
export type { StreamEnd } from './subscriptions/stream-end.ts'
export type { StreamLimits } from './subscriptions/stream-limits.ts'
export type { OpenedStream } from './subscriptions/subscriber.ts'
