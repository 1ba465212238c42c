import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { Exchange } from './exchange.ts'
import type { Identify } from './request-identity.ts'

/** The steps of a request at an endpoint; each rejects by throwing. A server can add its own steps in between. */
export interface RequestSteps {
  start(request: HttpRequest): Exchange
  /** Checks method, URL, `Accept`, content type and coding. */
  checkHead(exchange: Exchange): void
  /** Counts the request. It needs the identity. */
  limitRate(exchange: Exchange): Promise<void> | void
  /** Reads the JSON of a POST, up to its limit. */
  readBody(exchange: Exchange): Promise<void>
  /** Takes the operations through their own steps. */
  respond(exchange: Exchange): Promise<HttpResponse>
  /** Responds with the error of a step. */
  reject(exchange: Exchange, error: unknown): HttpResponse
}

/** Reads the identity again after a late body, because the session may be revoked by then. */
export async function reidentify(exchange: Exchange): Promise<void> {
  const { requestIdentity, isBodyLate } = exchange
  if (!isBodyLate || !requestIdentity?.reidentify) return
  exchange.requestIdentity = { ...requestIdentity, ...(await requestIdentity.reidentify()) }
}

/** Takes a request through all steps; never rejects. The body is read after the identity. */
export async function runSteps(request: HttpRequest, steps: RequestSteps, identify: Identify): Promise<HttpResponse> {
  const exchange = steps.start(request)
  try {
    steps.checkHead(exchange)
    exchange.requestIdentity = await identify(request)
    await steps.limitRate(exchange)
    await steps.readBody(exchange)
    await reidentify(exchange)
    return await steps.respond(exchange)
  } catch (error) {
    return steps.reject(exchange, error)
  }
}

/** Rejects a request before its first step. */
export function rejectRequest(request: HttpRequest, error: unknown, steps: RequestSteps): HttpResponse {
  return steps.reject(steps.start(request), error)
}
