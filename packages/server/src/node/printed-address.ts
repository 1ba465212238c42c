import { loopbackPlace, type Place } from '../options/base-url.ts'

export interface PrintedService {
  readonly baseUrl: string
  readonly path: string
  /** Whether there is a page at `/`. */
  readonly hasStartPage: boolean
}

/**
 * Returns the lines with the listening address and the public address. They ask to open `baseUrl` only if this service listens there.
 */
export function describeAddress({ baseUrl, path, hasStartPage }: PrintedService, bound: Place): readonly string[] {
  const { hostname, port } = bound
  const address = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  const listening = `Latchkey is listening on ${address}${path}`
  const place = loopbackPlace(baseUrl)
  if (place && !isReached(place, bound)) {
    return [
      listening,
      `Its baseUrl, ${baseUrl}, is another address: start the server there that forwards requests to this one, such as Vite or a proxy, and open ${baseUrl}/. Without such a server, change baseUrl or the port.`,
    ]
  }
  const known = address === baseUrl ? '' : `, known as ${baseUrl}${path}`
  return [`${listening}${known}`, ...(hasStartPage ? [`Open ${baseUrl}/ in a browser.`] : [])]
}

function isReached(place: Place, { hostname, port }: Place): boolean {
  if (place.port !== port) return false
  if (place.hostname === 'localhost') return /^(?:127\.0\.0\.1|0\.0\.0\.0|::1?)$/.test(hostname)
  // Of a dual stack `::` is both.
  return place.hostname === hostname || hostname === '::' || (hostname === '0.0.0.0' && place.hostname !== '::1')
}
