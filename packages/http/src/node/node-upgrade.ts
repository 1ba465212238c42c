import type { IncomingMessage } from 'node:http'
import { HttpError } from '../errors.ts'
import { readCookies } from '../headers/cookie-header.ts'
import { readHeaders } from '../headers/http-headers.ts'
import { LateMap } from '../headers/late-map.ts'
import type { HttpRequest } from '../http-request.ts'
import { authorityOf, targetOf } from './node-request.ts'

/**
 * Returns a request to change the protocol, as handlers see it (RFC 9110 §7.8), which has neither a body nor a response:
 * for those who listen to `upgrade`. Its `signal` is aborted when the connection closes.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { fromUpgradeRequest } from '@latchkey/http/node'
 * createServer().on('upgrade', (message, socket) => {
 *   if (fromUpgradeRequest(message).target !== '/socket') socket.destroy()
 * })
 */
export function fromUpgradeRequest(message: IncomingMessage): HttpRequest {
  const closed = new AbortController()
  if (message.socket.destroyed) closed.abort()
  else message.socket.once('close', () => closed.abort())
  const headers = new LateMap(() => readHeaders(message.rawHeaders))
  return {
    method: message.method ?? '',
    target: targetOf(message),
    authority: authorityOf(message),
    headers,
    cookies: new LateMap(() => readCookies(headers.get('cookie'))),
    peerAddress: message.socket.remoteAddress ?? null,
    signal: closed.signal,
    body: () => Promise.reject(new HttpError('HTTP_BODY_ALREADY_READ', 'a request to change the protocol has no body')),
  }
}
