import type { allowPlainHttpOnLoopback } from '@latchkey/http'
import type { FairQueue, FairQueueOptions } from '@latchkey/http/fair-queue'

/** The origins, hosts and proxies of accepted requests. */
export interface HttpOptions {
  /**
   * Further origins of this service, as browsers write them. Their pages may send requests with cookies and read the
   * responses of the endpoint (CORS with credentials), and their hosts are served. They must belong to the site of
   * `baseUrl`, for example `https://app.example.com` for `https://api.example.com`. A script in these pages can do
   * everything that the user can: list your own origins only, and other services in `corsOrigins`. `http:` is refused
   * in production.
   * @default []
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Further hosts to serve, for example `10.0.0.5:4000` or a name within a cluster. The hosts of `baseUrl` and
   * `allowedOrigins` are served too, and in development on loopback `localhost` and `127.0.0.1` at the port of
   * `baseUrl`. Requests for other hosts get 421, except `/healthz` and `/readyz`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Origins of other services whose pages may read responses of the endpoint, as browsers write them (CORS): with a
   * bearer token, never with cookies. Application shells are named by their scheme, for example
   * `capacitor://localhost`. The check against forged requests does not accept these pages. `http:` is refused in
   * production.
   * @default []
   */
  readonly corsOrigins?: readonly string[]
  /**
   * Further request headers that pages of both lists may send, for example `x-datadog-trace-id`. Headers of GraphQL
   * clients, W3C Trace Context and Sentry are always allowed. Refused: `*`, `Cookie`, `Set-Cookie`, `Host`,
   * `Forwarded`, `X-Forwarded-…`.
   */
  readonly corsAllowedHeaders?: readonly string[]
  /** Further response headers that pages of both lists may read; the same names are refused. */
  readonly corsExposedHeaders?: readonly string[]
  /**
   * For how long browsers remember the response to a preflight, in seconds, at most 86 400.
   * @default 7200
   */
  readonly corsMaxAgeSeconds?: number
  /**
   * Proxies whose `X-Forwarded-For` and `X-Forwarded-Host` count: addresses or CIDR ranges. They must write both themselves,
   * or remove what clients send. Omitted: none.
   */
  readonly trustedProxies?: readonly string[]
  /**
   * `allowPlainHttpOnLoopback` names the cookies `latchkey-…` without `Secure`, for clients that refuse the others. Only
   * if `baseUrl` and every further origin and host are on loopback.
   */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /**
   * Delays the requests of an address that takes more than its share of the event loop: `createFairQueue` of
   * `@latchkey/http/fair-queue`, or a function that calls it with limits.
   * @default none
   */
  readonly fairQueue?: (parts: Required<Pick<FairQueueOptions, 'addresses' | 'onThrottled'>>) => FairQueue
  /**
   * The delay of the event loop, in milliseconds, beyond which requests are rejected with 503 and `Retry-After`. `/healthz` and
   * `/readyz` are exempt. `Infinity` turns this off.
   * @default 2000
   */
  readonly maxLoopDelayMs?: number
}
