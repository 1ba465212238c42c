import type { HttpReply } from '@latchkey/http'
import type { Response } from '../responses/response.ts'
import type { Exchange } from './exchange.ts'
import { cachingHeaders } from './public-caching.ts'

const notGuessed = [['x-content-type-options', 'nosniff']] as const

/**
 * Adds what resolvers queued, and the headers of every reply that they did not replace; what the table decided stays as it
 * is.
 *
 * @param fixed what `readFixedHeaders` returned.
 */
export function toReply(
  [body, { status, headers = {} }]: Response,
  exchange: Exchange,
  fixed: HttpReply['headers'],
): HttpReply {
  const own = [...Object.entries(headers), ...cachingHeaders(exchange), ...notGuessed]
  const queued = without(own, exchange.established?.reply.headers() ?? [])
  return { status, headers: [...own, ...queued, ...without(queued, fixed)], body }
}

function without(taken: HttpReply['headers'], headers: HttpReply['headers']): HttpReply['headers'] {
  if (taken.length === 0 || headers.length === 0) return headers
  const names = new Set(taken.map(([name]) => name.toLowerCase()))
  return headers.filter(([name]) => !names.has(name.toLowerCase()))
}
