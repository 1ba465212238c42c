export { type AccessOptions, compileAccess } from './access/compile-access.ts'
export { type AccessReport, reportAccess } from './access/report-access.ts'
export type { Resolver, Resolvers } from './access/resolvers.ts'
export type {
  Access,
  AuthContext,
  OperationVerdict,
  PrepareInput,
  StepUpChallenge,
  StepUpHook,
} from './access-contract.ts'
export type { AccessEvent } from './access-event.ts'
export type { DocumentLimits } from './documents/limits.ts'
export { createTrustedDocuments, type TrustedDocuments } from './documents/trusted-documents.ts'
export { AccessError, type AccessErrorCode, type AccessErrorDetails, isAccessError } from './errors.ts'
export type { TraceExecution } from './execution/trace-execution.ts'
export { createGraphqlHandler, type GraphqlHandler } from './handler/create-graphql-handler.ts'
export type { GraphqlHandlerOptions, RequestMeasurement } from './handler/graphql-handler-options.ts'
export type { RateLimitHook } from './handler/rate-limit-hook.ts'
export type { RequestIdentity } from './handler/request-identity.ts'
export { authDirectives } from './rules/auth-directives.ts'
export type { RuleMap } from './rules/collect-rules.ts'
export { createSubscriptions, type Subscriptions } from './subscriptions/create-subscriptions.ts'
export type { StreamLimits } from './subscriptions/stream-limits.ts'
