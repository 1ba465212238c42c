import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { AccessError } from '../errors.ts'
import type { Response } from '../responses/response.ts'
import { answerBatch } from './batch.ts'
import { checkRequest } from './check-request.ts'
import { startDeadline } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { Establish } from './request-identity.ts'
import { readBody } from './request-params.ts'
import { toReply } from './to-reply.ts'

/** What a request is answered with. */
export interface RequestParts {
  readonly endpoint: Endpoint
  readonly establish: Establish<Identity>
  /** Takes one operation through its own steps; it never rejects. */
  readonly answerOperation: (exchange: Exchange) => Promise<Response>
}

type Step = (exchange: Exchange, parts: RequestParts) => Promise<void> | void

/**
 * The steps of every request, from top to bottom; a step refuses by throwing. Nothing of the body is read before it is
 * known who sent it. Then each operation of the request goes through the steps of `createOperationSteps`.
 */
// biome-ignore format: one line each
const requestSteps: readonly Step[] = [
  checkHead,       // method, URL, `Accept`, content type and coding
  establish,       // credential → forgery (`judgeSender`) → identity
  countRequest,    // rate limit
  readRequestBody, // JSON, no longer than its limit; after a late one the identity once more
  startTime,       // the deadline of all operations together
]

/** Answers one request; it never rejects. */
export async function answerRequest(request: HttpRequest, parts: RequestParts): Promise<HttpReply> {
  const exchange = createExchange(request, parts.endpoint.statusProfile)
  const response = await passOrRefuse(exchange, parts)
  exchange.deadline?.end()
  const reply = toReply(response, exchange, parts.endpoint.headers)
  parts.endpoint.measure?.(exchange, reply.status)
  return reply
}

/** Answers a request that was refused before its first step. */
export function refuseRequest(request: HttpRequest, error: AccessError, endpoint: Endpoint): HttpReply {
  const exchange = createExchange(request, endpoint.statusProfile)
  const reply = toReply(endpoint.answerThrown(error, exchange), exchange, endpoint.headers)
  endpoint.measure?.(exchange, reply.status)
  return reply
}

async function passOrRefuse(exchange: Exchange, parts: RequestParts): Promise<Response> {
  try {
    for (const step of requestSteps) {
      const done = step(exchange, parts)
      // A turn of the event loop costs more than most steps.
      if (done) await done
    }
    return await answerOperations(exchange, parts)
  } catch (error) {
    return parts.endpoint.answerThrown(error, exchange)
  }
}

function checkHead(exchange: Exchange, { endpoint }: RequestParts): void {
  checkRequest(exchange, endpoint.requestLimits.urlBytes)
}

async function establish(exchange: Exchange, parts: RequestParts): Promise<void> {
  exchange.established = await parts.establish(exchange.request)
}

function countRequest({ request, established }: Exchange, { endpoint }: RequestParts): Promise<void> | void {
  if (established) return endpoint.checkRate?.(request, established)
}

async function readRequestBody(exchange: Exchange, { endpoint }: RequestParts): Promise<void> {
  const { body, isLate } = await readBody(exchange.request, endpoint.requestLimits.bodyBytes)
  exchange.body = body
  exchange.isBodyRead = true
  const { established } = exchange
  // A session may have ended, or its account been locked, since it was established who sent the head.
  if (isLate && established?.reread) exchange.established = { ...established, reading: await established.reread() }
}

function startTime(exchange: Exchange, { endpoint }: RequestParts): void {
  exchange.deadline = startDeadline(endpoint.requestLimits.executionMs, () => exchange.request.signal)
}

function answerOperations(exchange: Exchange, parts: RequestParts): Promise<Response> {
  const { answerOperation: answerOne } = parts
  const { batchSize: limit, responseBytes } = parts.endpoint.requestLimits
  if (limit === undefined || !Array.isArray(exchange.body)) return answerOne(exchange)
  const count = async (): Promise<void> => countRequest(exchange, parts)
  return answerBatch(exchange, exchange.body, { limit, responseBytes, count, answerOne })
}
