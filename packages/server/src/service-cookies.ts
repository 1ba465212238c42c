import {
  type allowPlainHttpOnLoopback,
  createSessionCookie,
  type SessionCookie,
  type SessionCookieOptions,
} from '@latchkey/http'

/** The two cookies of a service. */
export interface ServiceCookies {
  readonly session: SessionCookie
  readonly refresh: SessionCookie
}

/** How long browsers keep the cookies, and the service what they stand for. */
export const sessionSeconds: number = 8 * 60 * 60
export const refreshSeconds: number = 30 * 24 * 60 * 60

/** Gives `__Host-session` and `__Host-refresh`, or their weaker namesakes for plain http on loopback. */
export function createServiceCookies(transport?: typeof allowPlainHttpOnLoopback): ServiceCookies {
  const prefix = transport === undefined ? '__Host-' : 'latchkey-'
  const plain: Pick<SessionCookieOptions, 'transport'> = transport === undefined ? {} : { transport }
  return {
    session: createSessionCookie({ name: `${prefix}session`, maxAgeSeconds: sessionSeconds, ...plain }),
    // Only requests of the service's own pages renew, so the stricter one costs nothing.
    refresh: createSessionCookie({
      name: `${prefix}refresh`,
      maxAgeSeconds: refreshSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
  }
}
