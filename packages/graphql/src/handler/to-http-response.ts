import type { HttpResponse } from '@latchkey/http'
import { createResponseHeaders } from '@latchkey/http/internal'
import type { Response } from '../responses/response.ts'
import type { Exchange } from './exchange.ts'
import { cachingHeaders } from './public-caching.ts'
import { credentialHeaders } from './request-identity.ts'

const notGuessed = ['x-content-type-options', 'nosniff'] as const

/**
 * Adds the headers that resolvers queued, and the fixed headers that they did not replace. Headers of the table are not
 * changed.
 *
 * @param fixed the result of `readFixedHeaders`.
 */
export function toHttpResponse(
  [body, { status, headers = {} }]: Response,
  exchange: Exchange,
  fixed: HttpResponse['headers'],
): HttpResponse {
  const own = ownHeaders(headers, exchange)
  const queued = queuedHeaders(exchange)
  // Most responses have only these headers.
  if (queued.length === 0 && fixed.length === 0) return { status, headers: own, body }
  const added = without(own, queued)
  return { status, headers: [...own, ...added, ...without(added, fixed)], body }
}

/** The headers of the identity come first, so that headers of resolvers replace them. */
function queuedHeaders({ requestIdentity, queued }: Exchange): HttpResponse['headers'] {
  const headers = queued.headers()
  const given = requestIdentity?.headers ?? []
  if (given.length === 0) return headers
  const all = createResponseHeaders()
  for (const [name, value] of [...given, ...headers]) {
    if (name.toLowerCase() === 'set-cookie') all.setCookie(value)
    else all.setHeader(name, value)
  }
  return all.headers()
}

function ownHeaders(headers: Readonly<Record<string, string>>, exchange: Exchange): HttpResponse['headers'] {
  const own: (readonly [string, string])[] = []
  for (const name of Object.keys(headers)) own.push([name, headers[name] ?? ''])
  for (const header of cachingHeaders(exchange)) own.push(header)
  own.push(notGuessed)
  // A sign-in delivers another credential.
  if (!exchange.context?.identity) own.push(...credentialHeaders(exchange.requestIdentity))
  return own
}

function without(taken: HttpResponse['headers'], headers: HttpResponse['headers']): HttpResponse['headers'] {
  if (taken.length === 0 || headers.length === 0) return headers
  const names = new Set(taken.map(([name]) => name.toLowerCase()))
  return headers.filter(([name]) => !names.has(name.toLowerCase()))
}
