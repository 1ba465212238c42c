import type { ExecutionResult } from 'graphql'
import type { Exchange } from './exchange.ts'

type Header = readonly [name: string, value: string]

/** The same URL answers everybody, each by their credentials. */
const notKept: readonly Header[] = [['cache-control', 'no-store']]

/** Gives the headers that tell caches what they may do with an answer. */
export function cachingHeaders({ publicMaxAgeSeconds }: Pick<Exchange, 'publicMaxAgeSeconds'>): readonly Header[] {
  if (publicMaxAgeSeconds === null) return notKept
  return [
    ['cache-control', `public, max-age=${publicMaxAgeSeconds}`],
    // Whoever shows a credential asks for themselves, and so gets no answer that was kept for everybody.
    ['vary', 'Accept, Authorization, Cookie'],
  ]
}

/**
 * Whether everybody would get this very answer: nobody's credential came, nothing in the operation asks for one,
 * nothing went wrong, and no resolver has anything to say to this client alone.
 */
export function isForEverybody({ request, established, plan, isTrusted }: Exchange, result: ExecutionResult): boolean {
  if (!isTrusted || request.method !== 'GET' || result.errors) return false
  if (plan?.operation !== 'query' || plan.requiresIdentity || plan.credential) return false
  if (request.header('authorization') !== null || request.header('cookie') !== null) return false
  return established?.reading.identity === null && established.reply.headers().length === 0
}
