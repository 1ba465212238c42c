import type { HttpRequest } from '../http-request.ts'

type FetchContext = Partial<Pick<HttpRequest, 'peerAddress' | 'waitUntil'>>

/** Reads what came after the request: a context, or as on Workers the environment and then the context. */
export function readFetchContext(besides: readonly unknown[]): FetchContext {
  const [first] = besides
  const waiting = besides.slice(0, 2).find(canWait)
  const address = isObject(first) && 'peerAddress' in first ? first.peerAddress : null
  return {
    peerAddress: typeof address === 'string' ? address : null,
    ...(waiting && { waitUntil: (work) => waiting.waitUntil(work) }),
  }
}

function canWait(value: unknown): value is Required<Pick<FetchContext, 'waitUntil'>> {
  return isObject(value) && 'waitUntil' in value && typeof value.waitUntil === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
