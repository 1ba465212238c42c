import type { ExecutionResult } from 'graphql'
import { isRead } from './check-request.ts'
import type { Exchange } from './exchange.ts'

type Header = readonly [name: string, value: string]

/** A URL has a different answer for each credential. */
const notKept: readonly Header[] = [['cache-control', 'no-store']]

/** Returns the headers for caches. */
export function cachingHeaders({ publicMaxAgeSeconds }: Pick<Exchange, 'publicMaxAgeSeconds'>): readonly Header[] {
  if (publicMaxAgeSeconds === null) return notKept
  return [
    ['cache-control', `public, max-age=${publicMaxAgeSeconds}`],
    // A request with a credential must not get an answer that was cached for all.
    ['vary', 'Accept, Authorization, Cookie'],
  ]
}

/**
 * Whether every client would get the same answer: the request has no credential, the operation needs no identity and
 * has no errors, and no resolver has queued a header for this client.
 */
export function isSameForAll(exchange: Exchange, result: ExecutionResult): boolean {
  const { request, requestIdentity, queued, plan, isTrusted } = exchange
  if (!isTrusted || !isRead(request) || result.errors) return false
  if (plan?.operation !== 'query' || plan.requiresIdentity || plan.credential) return false
  if (request.headers.has('authorization') || request.headers.has('cookie')) return false
  if (requestIdentity?.identity !== null || requestIdentity.headers.length > 0) return false
  return queued.headers().length === 0
}
