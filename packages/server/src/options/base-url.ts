import { allowPlainHttpOnLoopback, createHostCheck } from '@latchkey/http'
import { isProduction } from '@latchkey/http/internal'

export interface BaseUrlOptions {
  readonly baseUrl: string
  readonly allowedOrigins?: readonly string[]
  readonly allowedHosts?: readonly string[]
  readonly transport?: typeof allowPlainHttpOnLoopback
  readonly environment?: 'development' | 'production'
}

/** The origin of the service, with the settings that are derived from it. */
export interface BaseUrl {
  readonly origin: string
  /** The origins of the service's own pages. */
  readonly origins: readonly [string, ...string[]]
  /** The hosts that are served, and the origins whose hosts are. */
  readonly hosts: readonly [string, ...string[]]
  readonly https: boolean
  readonly environment: 'development' | 'production'
}

/**
 * Reads the address of a service.
 *
 * @throws TypeError when `baseUrl` is not an origin, is `http:` beyond loopback or in production, when one of
 * `allowedOrigins` or `allowedHosts` is not one or an origin is `http:` in production, when the weaker cookies are requested
 * beyond loopback or in production, and for an unknown `environment`.
 */
export function readBaseUrl(options: BaseUrlOptions): BaseUrl {
  const { baseUrl, allowedOrigins = [], allowedHosts = [] } = options
  const url = readOrigin(baseUrl)
  if (!url) throw new TypeError('"baseUrl" must be an origin like https://example.com, without a path')
  checkFurther({ allowedOrigins, allowedHosts })
  const https = url.protocol === 'https:'
  if (!https && !isLoopback(url.hostname)) throw new TypeError('"baseUrl" may be http: only on loopback')
  const environment = readEnvironment(options, https)
  const origins = [url.origin, ...allowedOrigins] as const
  if (environment === 'production') checkHttps(origins)
  checkTransport(options, environment, [...origins.map(hostOf), ...allowedHosts])
  const hosts = [...origins, ...allowedHosts, ...(environment === 'development' ? namesOfLoopback(url) : [])] as const
  return { origin: url.origin, origins, hosts, https, environment }
}

function readEnvironment({ environment }: BaseUrlOptions, https: boolean): BaseUrl['environment'] {
  if (environment === undefined) return https || isProduction() ? 'production' : 'development'
  // A misspelt name must not open the schema.
  if (environment === 'production' || environment === 'development') return environment
  throw new TypeError('"environment" must be "development" or "production"')
}

function checkFurther({
  allowedOrigins,
  allowedHosts,
}: Required<Pick<BaseUrlOptions, 'allowedOrigins' | 'allowedHosts'>>) {
  if (!Array.isArray(allowedOrigins) || !allowedOrigins.every((origin) => readOrigin(origin)?.origin === origin)) {
    throw new TypeError('"http.allowedOrigins": each is an origin as browsers write it, like https://example.com')
  }
  if (!Array.isArray(allowedHosts) || !allowedHosts.every(isHost)) {
    throw new TypeError('"http.allowedHosts": each is a host, with its port where it has one, like 10.0.0.5:4000')
  }
}

function checkHttps([baseUrl, ...others]: BaseUrl['origins']): void {
  if (!baseUrl.startsWith('https:')) throw new TypeError('"baseUrl" must be https: in production')
  if (others.every((origin) => origin.startsWith('https:'))) return
  throw new TypeError('"http.allowedOrigins": each must be https: in production')
}

/** A cookie without `Secure` goes over plain http to every host that is served. */
function checkTransport({ transport }: BaseUrlOptions, environment: string, hosts: readonly string[]): void {
  if (transport === undefined) return
  if (environment === 'production') {
    throw new TypeError('"http.transport": allowPlainHttpOnLoopback is refused in production')
  }
  if (transport !== allowPlainHttpOnLoopback) {
    throw new TypeError('"http.transport" must be allowPlainHttpOnLoopback or omitted')
  }
  if (hosts.every((host) => isLoopback(new URL(`http://${host}`).hostname))) return
  throw new TypeError(
    '"http.transport": allowPlainHttpOnLoopback needs a "baseUrl", "http.allowedOrigins" and "http.allowedHosts" on loopback',
  )
}

/** Returns the further hosts at which browsers open a page in development. An attacker controls none of these names. */
function namesOfLoopback({ hostname, port }: URL): readonly string[] {
  const suffix = port === '' ? '' : `:${port}`
  return isLoopback(hostname) ? [`localhost${suffix}`, `127.0.0.1${suffix}`] : []
}

/** Where something listens. */
export interface Place {
  readonly hostname: string
  readonly port: number
}

/**
 * Returns the host name and port of a `baseUrl` with plain http on loopback; `null` for any other, which a proxy
 * serves.
 */
export function loopbackPlace(baseUrl: string): Place | null {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol !== 'http:' || !isLoopback(hostname)) return null
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}

/** Parses an http or https URL without path, query and user. A trailing slash is accepted. */
function readOrigin(text: unknown): URL | null {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url && /^https?:$/.test(url.protocol) && `${text}`.replace(/\/$/, '') === url.origin ? url : null
}

function hostOf(origin: string): string {
  return new URL(origin).host
}

function isHost(text: unknown): boolean {
  if (typeof text !== 'string' || text.includes('/')) return false
  try {
    createHostCheck({ hosts: [text] })
    return true
  } catch {
    return false
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
