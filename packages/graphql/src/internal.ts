// @internal: changes in any release

export { checkSchema } from './access/check-schema.ts'
export { type OperationAccess, readOperationAccess } from './access/operation-access.ts'
export { type EndpointOptions, endpointOptionNames } from './handler/endpoint-options.ts'
export type { Exchange } from './handler/exchange.ts'
export { createRequestSteps } from './handler/operation-endpoint.ts'
export { checkOrigin } from './handler/request-identity.ts'
export type { RequestSteps } from './handler/request-steps.ts'
export { reidentify, rejectRequest } from './handler/request-steps.ts'
export { neededScopes } from './plan/needed-scopes.ts'
export { createPublishedScopes } from './plan/published-scopes.ts'
export { scopeHolderOf, unknownHolder } from './plan/scope-holder.ts'
export { createStreamSteps } from './subscriptions/sse/stream-steps.ts'
