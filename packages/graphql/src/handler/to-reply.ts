import type { HttpReply } from '@latchkey/http'
import type { Response } from 'graphql-http'
import type { Exchange } from './exchange.ts'
import { cachingHeaders } from './public-caching.ts'

const fixedHeaders = [['x-content-type-options', 'nosniff']] as const

/** Adds what resolvers queued; what the table decided stays as it is. */
export function toReply([body, { status, headers = {} }]: Response, exchange: Exchange): HttpReply {
  const { established } = exchange
  const own = [...Object.entries(headers), ...cachingHeaders(exchange), ...fixedHeaders]
  const queued = established?.reply.headers() ?? []
  if (queued.length === 0) return { status, headers: own, body }
  const taken = new Set(own.map(([name]) => name))
  return { status, headers: [...own, ...queued.filter(([name]) => !taken.has(name.toLowerCase()))], body }
}
