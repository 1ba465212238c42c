import { type Cors, createCors } from './cors.ts'
import type { HttpRequest } from './http-request.ts'

/**
 * Creates `createCors` for a list that changes while the service runs, for example the pages of registered clients.
 * Only requests with an origin call `listOrigins`. The same array is parsed once: keep it for a while. Errors of
 * `listOrigins` pass through.
 *
 * @throws TypeError naming the option of headers that cannot be used; the returned function throws it if an origin of
 * the list is not serialised (RFC 6454 §6.2).
 */
export function createCorsFinder(
  headers: Omit<Parameters<typeof createCors>[0], 'origins' | 'credentials'> = {},
): (request: Pick<HttpRequest, 'headers'>, listOrigins: () => Promise<readonly string[]>) => Cors | Promise<Cors> {
  /** For requests that name no origin: whichever are listed, the response is the same, and varies. */
  const noPage = createCors({ ...headers, origins: ['https://origin.invalid'] })
  const corsByOrigins = new WeakMap<readonly string[], Cors>()
  const corsFor = (origins: readonly string[]): Cors => {
    const known = corsByOrigins.get(origins)
    if (known) return known
    const cors = createCors({ ...headers, origins })
    corsByOrigins.set(origins, cors)
    return cors
  }
  return (request, listOrigins) => (request.headers.has('origin') ? listOrigins().then(corsFor) : noPage)
}
