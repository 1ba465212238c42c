import { checkOptionNames } from '@latchkey/core/internal'
import { type allowPlainHttpOnLoopback, createSessionCookie, type SessionCookie } from '@latchkey/http'
import type { Lifetimes } from './lifetimes.ts'

/** How the cookies of a service are written. */
export interface CookieOptions {
  /**
   * The beginning of their names. With `__Host-Http-`, newer browsers also refuse a cookie of the name that a script sets
   * (RFC 6265bis §4.1.3).
   * @default '__Host-'
   */
  readonly prefix?: '__Host-' | '__Host-Http-'
  /**
   * A part of all cookie names, for example `__Host-notes-session`. With it, several services on one host do not
   * replace each other's cookies: browsers separate cookies by host, but not by port. Lower-case letters, digits and
   * `-`, at most 32, starting with a letter. Omitted: `__Host-session`.
   */
  readonly name?: string
  /**
   * `SameSite` of the session cookie. With `Strict`, a user who follows a link from another site arrives signed out, until
   * the next request within the service. The other cookies are not changed by it.
   * @default 'Lax'
   */
  readonly sameSite?: 'Lax' | 'Strict'
}

/** The cookies of a service. */
export interface ServiceCookies {
  readonly session: SessionCookie
  readonly refresh: SessionCookie
  /** Recognizes a device that has signed in before. It grants no access. */
  readonly device: SessionCookie
  /** Recognizes the browser that signed up when it confirms the address. It grants no access. */
  readonly signUp: SessionCookie
  /** Shows that the device was to be remembered after a second factor. Without the password it grants no access. */
  readonly remembered: SessionCookie
  /** Recognizes the browser that requested a mailed code. Without the code it grants no access. */
  readonly signInCode: SessionCookie
  /** Recognizes the browser that requested any passkey. Without the passkey it grants no access. */
  readonly passkey: SessionCookie
  /** The path to return to after a mail's link is opened. It grants no access. */
  readonly returnTo: SessionCookie
  /** The challenge between two pages of a sign-in or a step-up. It grants no access. */
  readonly challenge: SessionCookie
}

export interface ServiceCookiesOptions {
  readonly lifetimes: Lifetimes
  /** For how long devices are remembered. */
  readonly rememberDays?: number
  /** For how long a code of a mail works. */
  readonly codeSeconds?: number
  readonly cookies?: CookieOptions | undefined
  readonly transport?: typeof allowPlainHttpOnLoopback | undefined
}

const daySeconds = 86_400

/** As long as a request of a client waits, by default. */
const returnToSeconds = 1800

/** As long as a challenge can be answered. */
const challengeSeconds = 300

/**
 * Creates `__Host-session`, `__Host-refresh`, `__Host-device`, `__Host-remembered`, `__Host-sign-up`, `__Host-way`,
 * `__Host-sign-in-code`, `__Host-passkey` and `__Host-challenge`, or their weaker counterparts for plain http on loopback.
 * Browsers keep them as long as the service accepts what is in them.
 *
 * @throws TypeError that names the option that cannot be used.
 */
export function createServiceCookies({
  lifetimes,
  rememberDays = 1,
  codeSeconds = 600,
  cookies = {},
  transport,
}: ServiceCookiesOptions): ServiceCookies {
  checkOptionNames('createServer', cookies, { prefix: true, name: true, sameSite: true }, 'sessions.cookie')
  const { sameSite = 'Lax' } = cookies
  if (sameSite !== 'Lax' && sameSite !== 'Strict') {
    throw new TypeError('"sessions.cookie.sameSite" must be "Lax" or "Strict"')
  }
  const start = readPrefix(cookies.prefix, transport) + readName(cookies.name)
  const plain: { readonly transport?: typeof allowPlainHttpOnLoopback } = transport === undefined ? {} : { transport }
  return {
    session: createSessionCookie({
      name: `${start}session`,
      maxAgeSeconds: lifetimes.sessionSeconds,
      sameSite,
      ...plain,
    }),
    // Only the service's own pages refresh, so the stricter value has no cost.
    refresh: createSessionCookie({
      name: `${start}refresh`,
      maxAgeSeconds: lifetimes.refreshTokenSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
    device: createSessionCookie({
      name: `${start}device`,
      maxAgeSeconds: lifetimes.deviceSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
    remembered: createSessionCookie({
      name: `${start}remembered`,
      maxAgeSeconds: rememberDays * daySeconds,
      sameSite: 'Strict',
      ...plain,
    }),
    // Lax: the page of the link is opened from a page of the mail service.
    signUp: createSessionCookie({
      name: `${start}sign-up`,
      maxAgeSeconds: lifetimes.verificationLinkSeconds,
      sameSite: 'Lax',
      ...plain,
    }),
    signInCode: createSessionCookie({
      name: `${start}sign-in-code`,
      maxAgeSeconds: codeSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
    passkey: createSessionCookie({
      name: `${start}passkey`,
      maxAgeSeconds: challengeSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
    // Lax: as above.
    returnTo: createSessionCookie({
      name: `${start}way`,
      maxAgeSeconds: returnToSeconds,
      sameSite: 'Lax',
      ...plain,
    }),
    challenge: createSessionCookie({
      name: `${start}challenge`,
      maxAgeSeconds: challengeSeconds,
      sameSite: 'Strict',
      ...plain,
    }),
  }
}

function readPrefix(prefix: CookieOptions['prefix'], transport: ServiceCookiesOptions['transport']): string {
  if (prefix === undefined) return transport === undefined ? '__Host-' : 'latchkey-'
  if (prefix !== '__Host-' && prefix !== '__Host-Http-') {
    throw new TypeError('"sessions.cookie.prefix" must be "__Host-" or "__Host-Http-"')
  }
  if (transport === undefined) return prefix
  throw new TypeError('"sessions.cookie.prefix" must be left out beside "http.transport": such names demand https')
}

/** Without upper case, which a cookie is not told apart by, and without the rest of the longer prefix. */
function readName(name: CookieOptions['name']): string {
  if (name === undefined) return ''
  if (typeof name === 'string' && /^(?!http(?:-|$))[a-z][a-z\d-]{0,31}$/.test(name)) return `${name}-`
  throw new TypeError(
    '"sessions.cookie.name" must be at most 32 of a-z 0-9 -, begin with a letter, and not with "http"',
  )
}
