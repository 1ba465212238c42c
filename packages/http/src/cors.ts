import { checkOptionNames } from '@latchkey/core/internal'
import { exposedOf, preflightHeadersOf } from './cors-headers.ts'
import type { HttpRequest } from './http-request.ts'
import type { HttpResponse } from './http-response.ts'
import { isApplicationOrigin, isSerialisedOrigin } from './serialised-origin.ts'

/** Passed as `origins`: the pages of every origin may read the responses. For public data, for example a key set. */
export const allowAnyOrigin: unique symbol = Symbol('allowAnyOrigin')

/** Lets pages of other origins read responses. */
export interface Cors {
  /**
   * Returns the response to a preflight: 204 for a listed origin, otherwise 403; `null` for other requests. It reads
   * headers only, so call it before any identity is looked up.
   */
  preflight(request: Pick<HttpRequest, 'method' | 'headers'>): HttpResponse | null
  /** Returns whether the request is of a page that may read the response. */
  allows(request: Pick<HttpRequest, 'headers'>): boolean
  /**
   * Returns the response with the headers that let a listed origin read it, of refusals too. Headers of the same purpose that
   * stood in it are left out.
   */
  share(request: Pick<HttpRequest, 'headers'>, response: HttpResponse): HttpResponse
}

const notListed: HttpResponse = { status: 403, headers: [], body: null }

const varied = ['Vary', 'Origin'] as const

const optionNames = {
  origins: true,
  credentials: true,
  allowedHeaders: true,
  exposedHeaders: true,
  maxAgeSeconds: true,
} as const

/**
 * Creates the CORS headers with which pages of other origins may read responses (Fetch, "CORS protocol"). Pages of
 * other services use bearer tokens: without `credentials` a browser gives a page no response to a request with cookies.
 * CORS decides which pages may read; `createForgeryCheck` decides which requests with a cookie are forged. List only
 * your own pages there and with `credentials`. Pages may send the request headers of GraphQL clients and of tracing
 * (W3C Trace Context, Baggage, Sentry), and read the response headers by which a client handles a refusal.
 *
 * @throws TypeError naming the option that cannot be used, for example an origin that is not serialised (RFC 6454
 * §6.2).
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
   * The origins whose pages may read responses, as browsers write them: `https://example.com`, no path, no slash.
   * Without `credentials` also the origins of application shells, for example `capacitor://localhost`. An empty list
   * allows no page.
   */
  readonly origins: readonly string[] | typeof allowAnyOrigin
  /**
   * Whether pages may send cookies and read the response. A script in these pages has all powers of the user: list only
   * pages of the service itself.
   * @default false
   */
  readonly credentials?: boolean
  /**
   * Further request headers that pages may send, for example `x-datadog-trace-id`. Not `*`, `Cookie`, `Set-Cookie`,
   * `Host`, `Forwarded`, `X-Forwarded-…`.
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
  const { origins, credentials = false, ...headers } = checkOptionNames('createCors', options, optionNames)
  const { allowedHeaders, exposedHeaders, maxAgeSeconds } = headers
  if (typeof credentials !== 'boolean' || (credentials && origins === allowAnyOrigin)) {
    throw new TypeError('"credentials" must be true or false, and false with allowAnyOrigin')
  }
  const allowed = preflightHeadersOf(allowedHeaders, maxAgeSeconds)
  const exposed = exposedOf(exposedHeaders)
  const readOrigin = origins === allowAnyOrigin ? anyOrigin : listedOrigin(origins, credentials)
  const isClosed = origins !== allowAnyOrigin && origins.length === 0
  const vary = origins === allowAnyOrigin || isClosed ? [] : [varied]
  return {
    preflight(request) {
      if (!isPreflight(request)) return null
      const origin = readOrigin(request)
      if (origin === null) return { ...notListed, headers: vary }
      return { status: 204, headers: [...allowing(origin, credentials), ...allowed, ...vary], body: null }
    },
    allows: (request) => readOrigin(request) !== null,
    share(request, response) {
      if (isClosed) return response
      const origin = readOrigin(request)
      const own = origin === null ? [] : [...allowing(origin, credentials), exposed]
      return { ...response, headers: [...response.headers.filter(isOther), ...own, ...vary] }
    },
  }
}

function allowing(origin: string, credentials: boolean): HttpResponse['headers'] {
  const named = ['Access-Control-Allow-Origin', origin] as const
  return credentials ? [named, ['Access-Control-Allow-Credentials', 'true']] : [named]
}

type OriginReader = (request: Pick<HttpRequest, 'headers'>) => string | null

const anyOrigin: OriginReader = () => '*'

/** Every application that uses a shell has the same origin, so it is never one of the service itself. */
function listedOrigin(given: readonly string[], credentials: boolean): OriginReader {
  const isOrigin = (text: unknown): boolean => isSerialisedOrigin(text) || (!credentials && isApplicationOrigin(text))
  if (!Array.isArray(given) || !given.every(isOrigin)) {
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
