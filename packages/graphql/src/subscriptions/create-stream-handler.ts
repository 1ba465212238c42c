import { createHttpHandler, type HttpHandler, type HttpReply, type HttpRequest } from '@latchkey/http'
import { requireOptions } from '@latchkey/options'
import type { Identity } from '@latchkey/rbac'
import { createHandler } from 'graphql-sse'
import { AccessError } from '../errors.ts'
import { checkContent } from '../handler/check-request.ts'
import type { Established } from '../handler/established.ts'
import { readBody, readParams } from '../handler/request-params.ts'
import type { Answer } from '../responses/answer.ts'
import { acceptsEvents } from '../responses/negotiate-media-type.ts'
import type { Subscriptions } from './create-subscriptions.ts'
import type { ResultStream } from './event-stream.ts'
import { createStreamBody, type StreamBody } from './stream-body.ts'
import { refuseStream } from './stream-refusal.ts'

export interface StreamHandlerOptions {
  /** What `createSubscriptions` gave. */
  readonly subscriptions: Subscriptions
  /** The most characters that path and query may have. Default 8192. */
  readonly urlLimitBytes?: number
}

/** Answers subscriptions with streams of server-sent events. */
export interface StreamHandler extends HttpHandler {
  /** As `handle`, for a server that establishes the identity in stages of its own. */
  answer(request: HttpRequest, establish: (request: HttpRequest) => Promise<Established<Identity>>): Promise<HttpReply>
}

/**
 * Gives the handler of subscriptions over server-sent events: the protocol of `graphql-sse` in its mode of distinct
 * connections, one request and one stream for each subscription, by GET or by POST of JSON.
 *
 * Before the stream opens it answers like `createGraphqlHandler`, in `application/graphql-response+json`: 401, 403, 400
 * and the rest, with the same codes. Then events follow: `next` with a result each, and `complete` at the end. A stream
 * without `complete` was broken off: clients of `graphql-sse` come back by themselves.
 *
 * It answers whatever path it is mounted at. Browsers allow six connections to a host over HTTP/1.1: take HTTP/2, or
 * WebSockets, for pages with more than a few streams.
 *
 * @throws TypeError naming the option that cannot be used.
 *
 * @example
 * import type { Subscriptions } from '@latchkey/graphql'
 * import { createStreamHandler } from '@latchkey/graphql/sse'
 * declare const subscriptions: Subscriptions
 * const handler = createStreamHandler({ subscriptions })
 * await handler.fetch(new Request('https://example.com/graphql/stream?query=subscription{ticks}'))
 */
export function createStreamHandler(options: StreamHandlerOptions): StreamHandler {
  const { subscriptions, urlLimitBytes = 8_192 } = requireOptions('createStreamHandler', options, ['subscriptions'])
  if (typeof subscriptions?.connect !== 'function')
    throw new TypeError('"subscriptions" must come from createSubscriptions')
  if (!Number.isInteger(urlLimitBytes) || urlLimitBytes < 1) {
    throw new TypeError('"urlLimitBytes" must be a whole number from 1')
  }
  const { limits, trustedDocuments } = subscriptions

  const open = async (request: HttpRequest, find: Find): Promise<StreamBody | Answer> => {
    checkStreamRequest(request, urlLimitBytes)
    const established = await find(request)
    const body = await readBody(request, limits.messageBytes)
    const { params } = readParams(request, body, trustedDocuments)
    let stream: StreamBody | null = null
    const connection = subscriptions.connect({ request, established, onEnd: () => stream?.hurry() })
    const opened = await connection.subscribe(params)
    if (!opened.ok) {
      connection.close()
      return opened.answer
    }
    const onOver = (): void => connection.close()
    stream = await createStreamBody(opened.stream, { write, stallMs: limits.eventMs, onOver })
    // Who leaves before the first piece is written is told to nobody else.
    request.signal.addEventListener('abort', stream.close, { once: true })
    if (request.signal.aborted) stream.close()
    return stream
  }
  const run = async (request: HttpRequest, find: Find): Promise<HttpReply> => {
    const opened = await open(request, find).catch((error) => subscriptions.refuse(request, error))
    if ('status' in opened) return refuseStream(opened, request)
    return { status: 200, headers: streamHeaders, body: opened }
  }
  return { ...createHttpHandler((request) => run(request, subscriptions.establish)), answer: run }
}

type Find = (request: HttpRequest) => Promise<Established<Identity>>

/** `no-transform`: a proxy that compresses would hold events back. */
const streamHeaders = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-store, no-transform'],
  ['x-accel-buffering', 'no'],
  ['x-content-type-options', 'nosniff'],
] as const

function checkStreamRequest(request: HttpRequest, urlLimitBytes: number): void {
  if (request.method !== 'GET' && request.method !== 'POST') throw new AccessError('METHOD_NOT_ALLOWED')
  if (request.target.length > urlLimitBytes) throw new AccessError('URI_TOO_LONG')
  if (!acceptsEvents(request.header('accept'))) {
    throw new AccessError('NOT_ACCEPTABLE', { message: 'Only text/event-stream can be answered here.' })
  }
  if (request.method === 'POST') checkContent(request)
}

/** The request was judged and its stream is open: what is left to the library is how results are written. */
const frames = createHandler<ResultStream>({ authenticate: () => null, onSubscribe: ({ raw }) => raw })
const accepted = new Map([
  ['accept', 'text/event-stream'],
  ['content-type', 'application/json'],
])

async function write(results: ResultStream): Promise<AsyncGenerator<string, void, undefined>> {
  const headers = { get: (name: string) => accepted.get(name) }
  const [body] = await frames({ method: 'POST', url: '/', headers, body: { query: '' }, raw: results, context: null })
  if (typeof body !== 'object' || body === null) throw new TypeError('graphql-sse gave no stream')
  return body
}
