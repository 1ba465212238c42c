import { type allowPlainHttpOnLoopback, isProduction } from '@latchkey/http'

export interface BaseUrlOptions {
  readonly baseUrl: string
  readonly allowedOrigins?: readonly string[]
  readonly transport?: typeof allowPlainHttpOnLoopback
  readonly environment?: 'development' | 'production'
}

/** The address of the service, and what follows from it. */
export interface BaseUrl {
  readonly origin: string
  /** The origins of the service's own pages. */
  readonly origins: readonly [string, ...string[]]
  readonly https: boolean
  readonly environment: 'development' | 'production'
}

/**
 * Reads the address of a service.
 *
 * @throws TypeError when `baseUrl` is not an origin, is `http:` beyond loopback or in production, when the weaker cookies
 * are requested in production, and for an unknown `environment`.
 */
export function readBaseUrl({ baseUrl, allowedOrigins = [], transport, ...options }: BaseUrlOptions): BaseUrl {
  const url = readOrigin(baseUrl)
  if (!url) throw new TypeError('"baseUrl" must be an origin like https://example.com, without a path')
  for (const origin of allowedOrigins) {
    if (readOrigin(origin)?.origin !== origin) {
      throw new TypeError('"allowedOrigins": each is an origin as browsers write it, like https://example.com')
    }
  }
  const https = url.protocol === 'https:'
  if (!https && !isLoopback(url.hostname)) throw new TypeError('"baseUrl" may be http: only on loopback')
  const { environment = https || isProduction() ? 'production' : 'development' } = options
  if (environment === 'production') checkTransport(https, transport)
  // A misspelt name must not open the schema.
  else if (environment !== 'development') throw new TypeError('"environment" must be "development" or "production"')
  return { origin: url.origin, origins: [url.origin, ...allowedOrigins], https, environment }
}

function checkTransport(https: boolean, transport: BaseUrlOptions['transport']): void {
  if (!https) throw new TypeError('"baseUrl" must be https: in production')
  if (transport !== undefined) throw new TypeError('"transport": allowPlainHttpOnLoopback is refused in production')
}

/** Returns an http or https URL that is nothing but an origin; a slash at its end is accepted. */
function readOrigin(text: unknown): URL | null {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url && /^https?:$/.test(url.protocol) && `${text}`.replace(/\/$/, '') === url.origin ? url : null
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
