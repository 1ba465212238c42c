import {
  type allowPlainHttpOnLoopback,
  createSessionCookie,
  type SessionCookie,
  type SessionCookieOptions,
} from '@latchkey/http'
import { checkOptionNames } from '@latchkey/options'
import type { Lifetimes } from './lifetimes.ts'

/** How the two cookies of a service are written. */
export interface CookieOptions {
  /**
   * What their names begin with: `__Host-` unless told. With `__Host-Http-`, newer browsers also refuse what a script
   * tries to set under the name (RFC 6265bis §4.1.3).
   */
  readonly prefix?: '__Host-' | '__Host-Http-'
  /**
   * Of the session cookie: `Lax` unless told. With `Strict`, whoever follows a link from elsewhere arrives signed out,
   * until the next step within the service. The refresh cookie is always `Strict`.
   */
  readonly sessionSameSite?: 'Lax' | 'Strict'
}

/** The two cookies of a service. */
export interface ServiceCookies {
  readonly session: SessionCookie
  readonly refresh: SessionCookie
}

export interface ServiceCookiesOptions {
  readonly lifetimes: Lifetimes
  readonly cookies?: CookieOptions | undefined
  readonly transport?: typeof allowPlainHttpOnLoopback | undefined
}

/**
 * Gives `__Host-session` and `__Host-refresh`, or their weaker namesakes for plain http on loopback. Browsers keep them
 * as long as the service keeps what they stand for.
 *
 * @throws TypeError naming the option that cannot be used.
 */
export function createServiceCookies({ lifetimes, cookies = {}, transport }: ServiceCookiesOptions): ServiceCookies {
  checkOptionNames('"cookies"', cookies, { prefix: true, sessionSameSite: true })
  const { sessionSameSite = 'Lax' } = cookies
  if (sessionSameSite !== 'Lax' && sessionSameSite !== 'Strict') {
    throw new TypeError('"cookies.sessionSameSite" must be "Lax" or "Strict"')
  }
  const prefix = readPrefix(cookies.prefix, transport)
  const plain: Pick<SessionCookieOptions, 'transport'> = transport === undefined ? {} : { transport }
  return {
    session: createSessionCookie({
      name: `${prefix}session`,
      maxAgeSeconds: lifetimes.sessionSeconds,
      sameSite: sessionSameSite,
      ...plain,
    }),
    // Only requests of the service's own pages renew, so the stricter one costs nothing.
    refresh: createSessionCookie({
      name: `${prefix}refresh`,
      maxAgeSeconds: lifetimes.refreshTokenSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
  }
}

function readPrefix(prefix: CookieOptions['prefix'], transport: ServiceCookiesOptions['transport']): string {
  if (prefix === undefined) return transport === undefined ? '__Host-' : 'latchkey-'
  if (prefix !== '__Host-' && prefix !== '__Host-Http-') {
    throw new TypeError('"cookies.prefix" must be "__Host-" or "__Host-Http-"')
  }
  if (transport === undefined) return prefix
  throw new TypeError('"cookies.prefix" must be left out beside "transport": such names demand https')
}
