import { checkOptionNames } from '@latchkey/core/internal'
import { createHttpHandler, type HttpHandler, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { AccessError } from '../../errors.ts'
import { checkContent } from '../../handler/check-request.ts'
import type { RequestIdentity } from '../../handler/request-identity.ts'
import { readBody, readParams } from '../../handler/request-params.ts'
import type { Answer } from '../../responses/answer.ts'
import { acceptsEvents } from '../../responses/negotiate-media-type.ts'
import type { Subscriptions } from '../create-subscriptions.ts'
import { refuseStream } from '../stream-refusal.ts'
import { type SubscriptionTransport, transportOf } from '../subscription-transport.ts'
import { createStreamBody, type StreamBody } from './stream-body.ts'

/** Answers subscriptions with streams of server-sent events. */
export interface StreamHandler extends HttpHandler {
  /** As `handle`, for a server that establishes the identity in stages of its own. */
  answer(
    request: HttpRequest,
    establish: (request: HttpRequest) => Promise<RequestIdentity<Identity>>,
  ): Promise<HttpReply>
}

interface StreamEndpoint {
  readonly transport: SubscriptionTransport
  readonly urlBytes: number
}

/**
 * Creates the handler of subscriptions over server-sent events, in the distinct connections mode of the `graphql-sse`
 * protocol: one request and one stream for each subscription, by GET or by POST of JSON.
 *
 * Before the stream opens it answers like `createGraphqlHandler`, in `application/graphql-response+json`: 401, 403, 400
 * and the rest, with the same codes. Then a `next` event follows for each result, and a `complete` event at the end. A
 * stream that ends without `complete` was broken off: clients of `graphql-sse` reconnect.
 *
 * It answers every path it is mounted at. Browsers allow six connections to a host over HTTP/1.1: use HTTP/2, or
 * WebSockets, for pages with more than a few streams.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import type { Subscriptions } from '@latchkey/graphql'
 * import { createStreamHandler } from '@latchkey/graphql/sse'
 * declare const subscriptions: Subscriptions
 * const handler = createStreamHandler({ subscriptions })
 * await handler.fetch(new Request('https://example.com/graphql/stream?query=subscription{ticks}'))
 */
export function createStreamHandler(options: {
  /** The subscriptions that `createSubscriptions` returned. */
  readonly subscriptions: Subscriptions
  /**
   * The most characters of path and query.
   *
   * @default 8192
   */
  readonly urlBytes?: number
}): StreamHandler {
  const endpoint = readOptions(options)
  const answer: StreamHandler['answer'] = (request, establish) => answerStream(endpoint, request, establish)
  return { ...createHttpHandler((request) => answer(request, endpoint.transport.establish)), answer }
}

/** @throws TypeError naming the option that is not valid. */
function readOptions(options: Parameters<typeof createStreamHandler>[0]): StreamEndpoint {
  checkOptionNames('createStreamHandler', options, { subscriptions: true, urlBytes: true })
  const { subscriptions, urlBytes = 8_192 } = options
  const transport = transportOf(subscriptions)
  if (!Number.isInteger(urlBytes) || urlBytes < 1) {
    throw new TypeError('"urlBytes" must be a whole number from 1')
  }
  return { transport, urlBytes }
}

type Establish = (request: HttpRequest) => Promise<RequestIdentity<Identity>>
type Outcome = { readonly body: StreamBody } | { readonly refused: Answer }

async function answerStream(endpoint: StreamEndpoint, request: HttpRequest, establish: Establish): Promise<HttpReply> {
  const { answerRefusal, headers } = endpoint.transport
  const outcome = await openStream(endpoint, request, establish).catch(
    (error): Outcome => ({ refused: answerRefusal(request, error) }),
  )
  if ('refused' in outcome) return refuseStream(outcome.refused, request, headers)
  return { status: 200, headers: [...streamHeaders, ...headers], body: outcome.body }
}

async function openStream(endpoint: StreamEndpoint, request: HttpRequest, establish: Establish): Promise<Outcome> {
  const { transport, urlBytes } = endpoint
  checkRequest(request, urlBytes)
  const established = await establish(request)
  const { body, isLate } = await readBody(request, transport.limits.messageBytes)
  const { params } = readParams(request, body, transport.trustedDocuments)
  let stream: StreamBody | null = null
  const connection = transport.connect({ request, established, onEnd: () => stream?.hurry() })
  onAbort(request, () => (stream ?? connection).close())
  const opened = await connection.subscribe(params, { reidentify: isLate })
  if (opened.ok) {
    const { eventMs, pingMs } = transport.limits
    stream = createStreamBody(opened.stream, { stallMs: eventMs, pingMs, onOver: () => connection.close() })
    return { body: stream }
  }
  connection.close()
  return { refused: opened.answer }
}

/** @throws AccessError `METHOD_NOT_ALLOWED`, `URI_TOO_LONG`, `NOT_ACCEPTABLE`, `UNSUPPORTED_MEDIA_TYPE` */
function checkRequest(request: HttpRequest, urlBytes: number): void {
  if (request.method !== 'GET' && request.method !== 'POST') throw new AccessError('METHOD_NOT_ALLOWED')
  if (request.target.length > urlBytes) throw new AccessError('URI_TOO_LONG')
  if (!acceptsEvents(request.header('accept'))) {
    throw new AccessError('NOT_ACCEPTABLE', { message: 'The Accept header must allow text/event-stream.' })
  }
  if (request.method === 'POST') checkContent(request)
}

/** A client may leave while its stream is being opened, and before the first frame is written. */
function onAbort({ signal }: HttpRequest, close: () => void): void {
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
}

/** `no-transform`: a proxy that compresses would hold events back. */
const streamHeaders = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-store, no-transform'],
  ['x-accel-buffering', 'no'],
  ['x-content-type-options', 'nosniff'],
] as const
