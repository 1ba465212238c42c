import type { AddressReader, HttpRequest, IdentityReading } from '@latchkey/http'
import type { Device } from '@latchkey/sessions'
import type { ServiceCookies } from '../settings/service-cookies.ts'

/** What a request carried beside the credential of its identity. */
export interface ShownCredentials {
  /** The session cookie's credential; `null` where it is missing or malformed. */
  readonly sessionCredential: string | null
  /** A bearer token alone counts: the session cookie beside it was not looked at. */
  readonly isBearerSent: boolean
  readonly isRefreshCookieSent: boolean
  /** The refresh cookie's token; `null` where it is missing or malformed. */
  readonly refreshToken: string | null
  /** A script of a page may have sent it. */
  readonly fromBrowser: boolean
  readonly device: Device
}

export interface ReadShownOptions {
  readonly cookies: ServiceCookies
  readonly addresses: AddressReader
  /** What the identity was looked for by. */
  readonly reading: IdentityReading<unknown>
}

/**
 * Browsers say so on every request: by `Origin` on all but plain GETs, by Fetch Metadata on all of them. No script can
 * leave them out: they are forbidden request-headers (Fetch §2.2.2).
 */
const browserHeaders = [
  'origin',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'sec-fetch-user',
  'sec-fetch-storage-access',
] as const

export function readShownCredentials(request: HttpRequest, options: ReadShownOptions): ShownCredentials {
  const { cookies, addresses, reading } = options
  const cookieHeader = request.header('cookie')
  return {
    sessionCredential: cookies.session.read(cookieHeader),
    isBearerSent: reading.credential === 'bearer',
    isRefreshCookieSent: cookies.refresh.isSent(cookieHeader),
    refreshToken: cookies.refresh.read(cookieHeader),
    fromBrowser: browserHeaders.some((name) => request.header(name) !== null),
    device: { userAgent: request.header('user-agent'), address: addresses.read(request) },
  }
}
