import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError, isHttpError } from '../errors.ts'
import { readCookies } from '../headers/cookie-header.ts'
import { readHeaders } from '../headers/http-headers.ts'
import { LateMap } from '../headers/late-map.ts'
import { readRawHeader } from '../headers/raw-header.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HeldBytes } from './held-bytes.ts'
import { readNodeBody } from './node-body.ts'
import { closeAfterResponse } from './unread-body.ts'

/**
 * Converts a request to the form of the handlers and readers of this package, for a route of your own in Express, Koa,
 * Fastify or `node:http`. Headers and body are read on first use; `body` needs a body that no parser has read before.
 *
 * @param message the request, in Koa and Fastify `context.req` and `request.raw`.
 * @param response its response: when it is cut off, `signal` is aborted. `null` for a request of the event `upgrade`,
 * which has neither a response nor a body: `signal` is aborted when the connection closes.
 * @example
 * import { createServer } from 'node:http'
 * import { createAddressReader } from '@latchkey/http'
 * import { fromNodeRequest } from '@latchkey/http/node'
 * const addresses = createAddressReader({ trustedProxies: ['10.0.0.0/8'] })
 * createServer((request, response) => {
 *   response.end(addresses.read(fromNodeRequest(request, response)))
 * })
 */
export function fromNodeRequest(message: IncomingMessage, response: ServerResponse | null): HttpRequest {
  return response
    ? toHttpRequest(message, response)
    : { ...headOf(message), signal: signalOfSocket(message), body: readNone }
}

/** @param held counts the bytes of a body that has not arrived as a whole. */
export function toHttpRequest(message: IncomingMessage, response: ServerResponse, held?: HeldBytes): HttpRequest {
  return {
    ...headOf(message),
    signal: signalOf(response),
    async body(limitBytes) {
      try {
        return await readNodeBody(message, limitBytes, held)
      } catch (error) {
        if (isHttpError(error) && error.code === 'HTTP_BODY_TOO_LARGE') closeAfterResponse(message, response)
        throw error
      }
    },
  }
}

function headOf(message: IncomingMessage): Omit<HttpRequest, 'signal' | 'body'> {
  const headers = new LateMap(() => readHeaders(message.rawHeaders))
  return {
    method: message.method ?? '',
    target: targetOf(message),
    authority: authorityOf(message),
    headers,
    cookies: new LateMap(() => readCookies(headers.get('cookie'))),
    peerAddress: message.socket.remoteAddress ?? null,
  }
}

const readNone = (): Promise<never> =>
  Promise.reject(new HttpError('HTTP_BODY_ALREADY_READ', 'a request to change the protocol has no body'))

/** The target as it was sent: routers cut their mount point off `url` and keep the whole in `originalUrl`. */
function wholeTargetOf(message: IncomingMessage & { readonly originalUrl?: unknown }): string {
  return typeof message.originalUrl === 'string' ? message.originalUrl : (message.url ?? '')
}

/** A server accepts the absolute form too (RFC 9112 §3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]*)/i

/** Returns path and query of the target. */
function targetOf(message: IncomingMessage): string {
  const target = wholeTargetOf(message)
  const [origin] = absoluteForm.exec(target) ?? []
  if (origin === undefined) return target
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Returns the authority of the target. Over HTTP/2 a different `Host` makes it malformed (RFC 9113 §8.3.1). */
function authorityOf(message: IncomingMessage): string | null {
  const [, absolute] = absoluteForm.exec(wholeTargetOf(message)) ?? []
  // HTTP/1.1 has no such header.
  const pseudo = message.httpVersionMajor < 2 ? null : readRawHeader(message.rawHeaders, ':authority')
  if (absolute !== undefined || pseudo === null) return absolute ?? null
  const host = readRawHeader(message.rawHeaders, 'host')
  return host === null || host.toLowerCase() === pseudo.toLowerCase() ? pseudo : `${pseudo}, ${host}`
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abortUnlessSent = (): void => {
    if (!response.writableFinished) controller.abort()
  }
  if (response.closed) abortUnlessSent()
  else response.on('close', abortUnlessSent)
  return controller.signal
}

function signalOfSocket({ socket }: IncomingMessage): AbortSignal {
  const closed = new AbortController()
  if (socket.destroyed) closed.abort()
  else socket.once('close', () => closed.abort())
  return closed.signal
}
