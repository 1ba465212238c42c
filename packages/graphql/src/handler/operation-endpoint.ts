import type { HttpResponse } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Response } from '../responses/response.ts'
import { answerBatch } from './batch.ts'
import { checkRequest } from './check-request.ts'
import { startDeadline } from './deadline.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { checkHandlerOptions } from './endpoint-options.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { GraphqlHandlerOptions } from './graphql-handler-options.ts'
import { createOperationSteps } from './operation-steps.ts'
import { readBody } from './request-params.ts'
import type { RequestSteps } from './request-steps.ts'
import { toHttpResponse } from './to-http-response.ts'

/**
 * Creates the steps of an endpoint of operations.
 *
 * @throws TypeError naming the option that cannot be used.
 */
export function createRequestSteps(options: GraphqlHandlerOptions<AnyPolicy>): RequestSteps {
  checkHandlerOptions(options)
  const endpoint = openEndpoint(options)
  const answerOperation = createOperationSteps(endpoint)
  const { requestLimits, checkRate } = endpoint
  return {
    start: (request) => createExchange(request, endpoint.statusProfile),
    checkHead: (exchange) => checkRequest(exchange, requestLimits.urlBytes),
    limitRate: ({ request, requestIdentity }) => (requestIdentity ? checkRate?.(request, requestIdentity) : undefined),
    async readBody(exchange) {
      const { body, isLate } = await readBody(exchange.request, requestLimits.bodyBytes)
      exchange.body = body
      exchange.isBodyRead = true
      exchange.isBodyLate = isLate
    },
    async respond(exchange) {
      // The deadline of all operations together.
      exchange.deadline = startDeadline(requestLimits.executionMs, () => exchange.request.signal)
      return finish(await answerOperations(exchange, endpoint, answerOperation), exchange, endpoint)
    },
    reject: (exchange, error) => finish(endpoint.answerThrown(error, exchange), exchange, endpoint),
  }
}

function finish(answer: Response, exchange: Exchange, { headers, measure }: Endpoint): HttpResponse {
  exchange.deadline?.end()
  const response = toHttpResponse(answer, exchange, headers)
  measure?.(exchange, response.status)
  return response
}

function answerOperations(
  exchange: Exchange,
  { requestLimits, checkRate, reportExceeded }: Endpoint,
  answerOne: (exchange: Exchange) => Promise<Response>,
): Promise<Response> {
  const { batchSize: limit, responseBytes } = requestLimits
  if (limit === undefined || !Array.isArray(exchange.body)) return answerOne(exchange)
  const { request, requestIdentity, body } = exchange
  if (body.length > limit) {
    const counted = { limit: 'batchSize', value: body.length, allowed: limit, operationName: null, cost: null } as const
    reportExceeded(exchange, [{ ...counted, code: 'QUERY_LIMIT_EXCEEDED', refused: true }])
  }
  const count = async (): Promise<void> => (requestIdentity ? checkRate?.(request, requestIdentity) : undefined)
  return answerBatch(exchange, body, { limit, responseBytes, count, answerOne })
}
