import { createHttpHandler, type HttpHandler, type HttpRequest, type HttpResponse } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { AccessError } from '../errors.ts'
import type { GraphqlHandlerOptions } from './graphql-handler-options.ts'
import { createRequestSteps } from './operation-endpoint.ts'
import { createIdentify, type RequestIdentity, rejectForged } from './request-identity.ts'
import { rejectRequest, runSteps } from './request-steps.ts'

/** Answers GraphQL over HTTP. */
export interface GraphqlHandler extends HttpHandler {
  /**
   * Responds like `handle`, for a server that has read the identity itself. `forgery` is not called: a `forged` request
   * is rejected if it has one of the `cookies`.
   */
  respond(request: HttpRequest, requestIdentity: RequestIdentity): Promise<HttpResponse>
  /**
   * Returns the refusal of a request before its first step, in the format and with the headers of all responses. For a
   * check in front of the endpoint, for example `createHostCheck` of `@latchkey/http`.
   */
  refuse(request: HttpRequest, error: AccessError): HttpResponse
}

/**
 * Creates the handler of a GraphQL endpoint with the statuses, headers and bodies of the table in the README. They are
 * decided before the execution if possible (GraphQL over HTTP; RFC 9110 §15.5; RFC 6750 §3; RFC 9470).
 *
 * It answers on every path at which it is mounted. Answers are not cached, except as
 * `trustedDocuments.publicMaxAgeSeconds` allows.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
 * import { createIdentityReader } from '@latchkey/http'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const findTokenOwner = async (token: string) => (token === 'secret' ? { subject: 'acc_1', roles: ['READER'] } : null)
 * const handler = createGraphqlHandler({
 *   access: compileAccess({
 *     schema: buildSchema('type Query { hello: String }'),
 *     policy,
 *     rules: { 'Query.hello': 'public' },
 *   }),
 *   identify: createIdentityReader({ bearer: { verify: async (token) => policy.identify(await findTokenOwner(token)) } }),
 * })
 * await handler.fetch(new Request('https://example.com/graphql?query={hello}'))
 */
export function createGraphqlHandler<P extends AnyPolicy>(given: GraphqlHandlerOptions<P>): GraphqlHandler {
  // The compiler checked the names that the policy's type adds to the context: at run time it is the same context.
  const options = given as unknown as GraphqlHandlerOptions<AnyPolicy>
  const steps = createRequestSteps(options)
  const identify = createIdentify(options)
  return {
    ...createHttpHandler((request) => runSteps(request, steps, identify)),
    respond: (request, requestIdentity) =>
      runSteps(request, steps, async () => {
        rejectForged(request, requestIdentity.forged, options)
        return requestIdentity
      }),
    refuse: (request, error) => rejectRequest(request, error, steps),
  }
}
