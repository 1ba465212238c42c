import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { AccessError } from '../../errors.ts'
import { checkContent } from '../../handler/check-request.ts'
import type { Exchange } from '../../handler/exchange.ts'
import { credentialHeaders, refuseOtherSession } from '../../handler/request-identity.ts'
import { readBody, readParams } from '../../handler/request-params.ts'
import type { RequestSteps } from '../../handler/request-steps.ts'
import { acceptsEvents } from '../../responses/negotiate-media-type.ts'
import type { Subscriptions } from '../create-subscriptions.ts'
import { createStreamExchange, refuseStream } from '../stream-refusal.ts'
import { type SubscriptionTransport, transportOf } from '../subscription-transport.ts'
import { createStreamBody, type StreamBody } from './stream-body.ts'

export interface StreamStepsOptions {
  readonly subscriptions: Subscriptions
  readonly urlBytes?: number
}

/**
 * Creates the steps of an endpoint of streams. When a stream is
 * opened, the rate is limited and the identity is read again.
 *
 * @throws TypeError naming the option that is not valid.
 */
export function createStreamSteps({ subscriptions, urlBytes = 8_192 }: StreamStepsOptions): RequestSteps {
  const transport = transportOf(subscriptions)
  if (!Number.isInteger(urlBytes) || urlBytes < 1) throw new TypeError('"urlBytes" must be a whole number from 1')
  return {
    start: (request) => createStreamExchange(request, null),
    checkHead({ request }) {
      checkRequest(request, urlBytes)
      transport.checkOpen()
    },
    limitRate: () => undefined,
    async readBody(exchange) {
      const { body, isLate } = await readBody(exchange.request, transport.limits.messageBytes)
      exchange.body = body
      exchange.isBodyLate = isLate
    },
    respond: (exchange) => openStream(exchange, transport),
    reject: (exchange, error) =>
      refuseStream(transport.answerRefusal(exchange.request, error), exchange, transport.headers),
  }
}

async function openStream(exchange: Exchange, transport: SubscriptionTransport): Promise<HttpResponse> {
  const { request, requestIdentity, isBodyLate } = exchange
  if (!requestIdentity) throw new TypeError('a stream needs the identity of its request')
  refuseOtherSession(exchange, transport.forgery)
  const { params } = readParams(request, exchange.body, transport.trustedDocuments)
  let stream: StreamBody | null = null
  const connection = transport.connect({ request, requestIdentity, onEnd: () => stream?.hurry() })
  onAbort(request, () => (stream ?? connection).close())
  const opened = await connection.subscribe(params, { reidentify: isBodyLate })
  if (opened.ok) {
    const { eventMs, pingMs } = transport.limits
    stream = createStreamBody(opened.stream, { stallMs: eventMs, pingMs, onOver: () => connection.close() })
    const headers = [...streamHeaders, ...credentialHeaders(requestIdentity), ...transport.headers]
    return { status: 200, headers, body: stream }
  }
  connection.close()
  return refuseStream(opened.answer, exchange, transport.headers)
}

/** @throws AccessError `METHOD_NOT_ALLOWED`, `URI_TOO_LONG`, `NOT_ACCEPTABLE`, `UNSUPPORTED_MEDIA_TYPE` */
function checkRequest(request: HttpRequest, urlBytes: number): void {
  if (request.method !== 'GET' && request.method !== 'POST') throw new AccessError('METHOD_NOT_ALLOWED')
  if (request.target.length > urlBytes) throw new AccessError('URI_TOO_LONG')
  if (!acceptsEvents(request.headers.get('accept') ?? null)) {
    throw new AccessError('NOT_ACCEPTABLE', { message: 'The Accept header must allow text/event-stream.' })
  }
  if (request.method === 'POST') checkContent(request)
}

/** A client may disconnect while its stream is being opened, and before the first frame is written. */
function onAbort({ signal }: HttpRequest, close: () => void): void {
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
}

/** `no-transform`: a compressing proxy would delay events. */
const streamHeaders = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-store, no-transform'],
  ['x-accel-buffering', 'no'],
  ['x-content-type-options', 'nosniff'],
] as const
