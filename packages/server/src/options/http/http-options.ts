import type { allowPlainHttpOnLoopback } from '@latchkey/http'
import type { FairQueue, FairQueueOptions } from '@latchkey/http/fair-queue'

/** The origins, hosts and proxies of accepted requests. */
export interface HttpOptions {
  /**
   * Further origins of this service, as browsers write them: its pages may send requests from them with cookies and read the
   * responses of the endpoint (CORS with credentials), and their hosts are served. They must be of the site of `baseUrl`, such as
   * `https://app.example.com` beside `https://api.example.com`. A script in these pages can do what the user can: list only your
   * own, and pages of other services in `corsOrigins`. Refused in production: `http:`. Omitted: none.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Further hosts to serve, such as `10.0.0.5:4000` or a name within a cluster. The hosts of `baseUrl` and `allowedOrigins` are
   * served too, and in development on loopback `localhost` and `127.0.0.1` at the port of `baseUrl`. Requests for other hosts get
   * 421, except `/healthz` and `/readyz`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Origins of other services whose pages may read responses of the endpoint, as browsers write them (CORS): with a bearer
   * token, never with cookies. Application shells are named by their scheme, such as `capacitor://localhost`. The check against
   * forged requests does not accept these pages. Refused in production: `http:`. Omitted: none.
   */
  readonly corsOrigins?: readonly string[]
  /**
   * Further request headers that pages of both lists may send, such as `x-datadog-trace-id`. Those of GraphQL clients, of W3C Trace
   * Context and of Sentry may be sent anyway. Refused: `*`, `Cookie`, `Set-Cookie`, `Host`, `Forwarded`, `X-Forwarded-…`.
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
