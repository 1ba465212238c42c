import { checkOptionNames } from '@latchkey/core/internal'
import { exposedOf, preflightHeadersOf } from './cors-headers.ts'
import type { HttpRequest } from './http-request.ts'
import type { HttpResponse } from './http-response.ts'
import { isSerialisedOrigin } from './serialised-origin.ts'

/** Passed as `origins`: the pages of every origin may read the responses. For what is public, such as a key set. */
export const allowAnyOrigin: unique symbol = Symbol('allowAnyOrigin')

/** Lets pages of other origins read responses, without cookies. */
export interface Cors {
  /**
   * Returns the response to a preflight: 204 for a listed origin, otherwise 403. `null`: the request is no preflight. It
   * reads nothing but headers, so answer it before any identity is looked up.
   */
  preflight(request: Pick<HttpRequest, 'method' | 'headers'>): HttpResponse | null
  /**
   * Returns the response with the headers that let a listed origin read it, of refusals too. Headers of the same purpose that
   * stood in it are left out.
   */
  share(request: Pick<HttpRequest, 'headers'>, response: HttpResponse): HttpResponse
}

const notListed: HttpResponse = { status: 403, headers: [], body: null }

const varied = ['Vary', 'Origin'] as const

/**
 * Creates what lets pages of other origins read responses (Fetch, "CORS protocol"), for bearer tokens only:
 * `Access-Control-Allow-Credentials` is never sent, so a browser hands such a page no response to a request with cookies.
 *
 * It decides who may read and never who may act: which requests with a cookie are forged is for `createForgeryCheck`, whose
 * `origins` are pages of the service itself. These here are pages of others: list none of them there.
 *
 * Pages may send the request headers of GraphQL clients and of tracing (W3C Trace Context, Baggage, Sentry), and read those
 * response headers by which a client acts on a refusal.
 *
 * @throws TypeError when an origin is not a serialised one (RFC 6454 §6.2), or naming the option of headers that cannot be used.
 *
 * @example
 * import { createCors, createHttpHandler } from '@latchkey/http'
 * const cors = createCors({ origins: ['https://app.example.org'] })
 * export const handler = createHttpHandler(async (request) => {
 *   const preflight = cors.preflight(request)
 *   return preflight ?? cors.share(request, { status: 200, headers: [], body: 'for every listed page' })
 * })
 */
export function createCors(options: {
  /**
   * The origins whose pages may read responses, as browsers write them: `https://example.com`, no path, no slash. An empty
   * list: none.
   */
  readonly origins: readonly string[] | typeof allowAnyOrigin
  /**
   * Further request headers that pages may send, such as `x-datadog-trace-id`. Not `*`, `Cookie`, `Set-Cookie`, `Host`,
   * `Forwarded`, `X-Forwarded-…`.
   * @default []
   */
  readonly allowedHeaders?: readonly string[]
  /**
   * Further response headers that pages may read. The same names are refused.
   * @default []
   */
  readonly exposedHeaders?: readonly string[]
  /**
   * For how long a browser remembers the response to a preflight, in seconds, at most 86 400.
   * @default 7200
   */
  readonly maxAgeSeconds?: number
}): Cors {
  const names = { origins: true, allowedHeaders: true, exposedHeaders: true, maxAgeSeconds: true } as const
  const { origins, allowedHeaders, exposedHeaders, maxAgeSeconds } = checkOptionNames('createCors', options, names)
  const allowed = preflightHeadersOf(allowedHeaders, maxAgeSeconds)
  const exposed = exposedOf(exposedHeaders)
  const readOrigin = origins === allowAnyOrigin ? anyOrigin : listedOrigin(origins)
  const isClosed = origins !== allowAnyOrigin && origins.length === 0
  const vary = origins === allowAnyOrigin || isClosed ? [] : [varied]
  return {
    preflight(request) {
      if (!isPreflight(request)) return null
      const origin = readOrigin(request)
      if (origin === null) return { ...notListed, headers: vary }
      return { status: 204, headers: [['Access-Control-Allow-Origin', origin], ...allowed, ...vary], body: null }
    },
    share(request, response) {
      if (isClosed) return response
      const origin = readOrigin(request)
      const own = origin === null ? [] : ([['Access-Control-Allow-Origin', origin], exposed] as const)
      return { ...response, headers: [...response.headers.filter(isOther), ...own, ...vary] }
    },
  }
}

type OriginReader = (request: Pick<HttpRequest, 'headers'>) => string | null

const anyOrigin: OriginReader = () => '*'

function listedOrigin(given: readonly string[]): OriginReader {
  if (!Array.isArray(given) || !given.every(isSerialisedOrigin)) {
    throw new TypeError('"origins": each is a scheme, host and port as browsers send them, like https://example.com')
  }
  const origins = new Set(given)
  return (request) => {
    const origin = request.headers.get('origin') ?? null
    return origin !== null && origins.has(origin) ? origin : null
  }
}

/** `OPTIONS` without these headers is a question of another kind (RFC 9110 §9.3.7). */
function isPreflight(request: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  if (request.method !== 'OPTIONS') return false
  return request.headers.has('origin') && request.headers.has('access-control-request-method')
}

function isOther([name, value]: readonly [name: string, value: string]): boolean {
  return !/^access-control-/i.test(name) && !(/^vary$/i.test(name) && /^origin$/i.test(value))
}
