import { checkOptionNames } from '@latchkey/core/internal'
import { reportFailure, responseToFailure } from '../failure.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpResponse } from '../http-response.ts'
import { readFetchContext } from './fetch-context.ts'
import { fromFetchRequest } from './fetch-request.ts'
import { toFetchResponse } from './fetch-response.ts'

/** A handler that every runtime can call. */
export interface HttpHandler {
  /** Answers one request. Used by `toNodeListener`. */
  handle(request: HttpRequest): Promise<HttpResponse>
  /** Answers a Fetch request: for Hono, Next.js, Bun, Deno and Workers. It never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * As above, with the context of Workers or of Vercel's functions, or your own. Its `peerAddress` takes precedence
   * over the option of that name. Its `waitUntil` receives the response too, so that the platform finishes started work
   * when the client disconnects.
   */
  fetch(request: Request, context: Partial<Pick<HttpRequest, 'peerAddress' | 'waitUntil'>>): Promise<Response>
  /** As above, in the form in which Workers call it. The environment is ignored. */
  fetch(
    request: Request,
    environment: unknown,
    context: Partial<Pick<HttpRequest, 'peerAddress' | 'waitUntil'>>,
  ): Promise<Response>
  /** As the option of that name. */
  readonly batchable?: boolean
}

/**
 * Creates a handler with a `fetch` method. An error of `handle` becomes a response without a body: an `HttpError` has
 * its own status, every other error 500.
 *
 * @throws TypeError naming an unknown option.
 * @example
 * import { createHttpHandler } from '@latchkey/http'
 * const handler = createHttpHandler(async (request) => {
 *   const text = await request.body(1_000)
 *   return { status: 200, headers: [['content-type', 'text/plain; charset=utf-8']], body: text.toUpperCase() }
 * })
 * await handler.fetch(new Request('https://example.com/', { method: 'POST', body: 'hello' }))
 */
export function createHttpHandler(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  options: {
    /**
     * Returns the address at the other end of a Fetch request's connection, which every platform has in a different place.
     * Omitted: `peerAddress` is `null`.
     */
    readonly peerAddress?: (request: Request) => string | null
    /**
     * Called with the error of `handle` while `fetch` responds with a bare 500.
     * @default console.error
     */
    readonly onError?: (error: unknown) => void
    /**
     * Whether `toNodeListener` may handle the requests of one turn of the event loop together, step by step, which takes less
     * processor time. `false` for a handler with a fair queue, which measures each request. @default true
     */
    readonly batchable?: boolean
  } = {},
): HttpHandler {
  const names = { peerAddress: true, onError: true, batchable: true } as const
  const {
    peerAddress: readPeerAddress,
    onError,
    batchable = true,
  } = checkOptionNames('createHttpHandler', options, names)
  if (typeof batchable !== 'boolean') throw new TypeError('"batchable" must be a boolean')
  return {
    handle,
    batchable,
    async fetch(request: Request, ...besides: readonly unknown[]) {
      const replied = Promise.withResolvers<void>()
      try {
        const context = readFetchContext(besides)
        // First of all: a platform that cannot be told is found out before anything has begun.
        context.waitUntil?.(replied.promise)
        const peerAddress = context.peerAddress ?? readPeerAddress?.(request) ?? null
        const response = await handle(fromFetchRequest(request, peerAddress, context))
        return toFetchResponse(response, request.method)
      } catch (error) {
        reportFailure(error, onError)
        return toFetchResponse(responseToFailure(error), request.method)
      } finally {
        replied.resolve()
      }
    },
  }
}
