import { checkOptionNames } from '@latchkey/core/internal'
import { stringifySetCookie } from 'cookie'
import { isCookieValue, readCookies, type SentCookies } from '../headers/cookie-header.ts'
import type { HttpRequest } from '../http-request.ts'
import { isProduction } from '../is-production.ts'

/** The value of `transport` for cookies without `Secure`, for clients that keep none over `http://127.0.0.1`. */
export const allowPlainHttpOnLoopback: unique symbol = Symbol('allowPlainHttpOnLoopback')

/** Writes and reads one credential in one cookie. */
export interface SessionCookie {
  readonly name: string
  /** Whether a request, or its `Cookie` header, has the cookie in any spelling, also in one that `read` rejects. */
  isSent(from: Pick<HttpRequest, 'cookies'> | string | null | undefined): boolean
  /** Returns the credential, or `null`: two such cookies, odd case, quoted or padded ones count as none. */
  read(from: Pick<HttpRequest, 'cookies'> | string | null | undefined): string | null
  /**
   * Returns a `Set-Cookie` line.
   * @param options.persistent `false` leaves `Max-Age` out: the browser forgets it when it closes. Default `true`.
   * @throws TypeError when the credential has characters that a cookie cannot hold, or is too long.
   */
  write(credential: string, options?: { readonly persistent?: boolean }): string
  /** Returns the `Set-Cookie` line that makes a browser drop the cookie. */
  clear(): string
}

/** Browsers keep 400 days at most, and name and value of 4096 bytes together (RFC 6265bis §5.5, §5.6). */
const maxAgeLimit = 34_560_000
const pairLimit = 4096

/**
 * Creates the cookie that carries a session: `HttpOnly`, `Secure`, `SameSite=Lax`, `Path=/`, no `Domain`, and a `__Host-`
 * name, which keeps other hosts of the same site from planting one (RFC 6265bis §4.1.3.2).
 *
 * @throws TypeError naming the option that cannot be used.
 *
 * @example
 * import { createSessionCookie } from '@latchkey/http'
 * const cookie = createSessionCookie()
 * cookie.write('se_abc.def') // '__Host-session=se_abc.def; Max-Age=28800; Path=/; HttpOnly; Secure; SameSite=Lax'
 * cookie.read('theme=dark; __Host-session=se_abc.def') // 'se_abc.def'
 */
export function createSessionCookie(
  options: {
    /** Begins with `__Host-` or `__Host-Http-`. Default `__Host-session`; over plain http `latchkey-session`. */
    readonly name?: string
    /** How long a browser keeps it. Default 28800 (8 hours). The server enforces its own limits. */
    readonly maxAgeSeconds?: number
    /** `Strict` also keeps it from the first request after following a link from another site. @default 'Lax' */
    readonly sameSite?: 'Lax' | 'Strict'
    /** `allowPlainHttpOnLoopback` makes a cookie without prefix and `Secure`. Refused in production. */
    readonly transport?: typeof allowPlainHttpOnLoopback
  } = {},
): SessionCookie {
  checkOptionNames('createSessionCookie', options, { name: true, maxAgeSeconds: true, sameSite: true, transport: true })
  const { maxAgeSeconds = 28_800, sameSite = 'Lax', transport } = options
  const secure = transport === undefined
  const { name = secure ? '__Host-session' : 'latchkey-session' } = options
  checkTransport(transport)
  checkName(name, secure)
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 1 || maxAgeSeconds > maxAgeLimit) {
    throw new TypeError(`"maxAgeSeconds" must be a whole number from 1 to ${maxAgeLimit}`)
  }
  if (sameSite !== 'Lax' && sameSite !== 'Strict') throw new TypeError('"sameSite" must be "Lax" or "Strict"')
  const attributes = {
    name,
    path: '/',
    httpOnly: true,
    secure,
    sameSite: sameSite === 'Lax' ? 'lax' : 'strict',
  } as const
  const key = name.toLowerCase()
  return {
    name,
    isSent: (from) => cookiesOf(from).has(key),
    read(from) {
      const sent = cookiesOf(from).get(key)
      return sent?.name === name ? sent.value : null
    },
    write(credential, { persistent = true } = {}) {
      if (!isCookieValue(credential) || name.length + credential.length > pairLimit) {
        throw new TypeError('"credential" must be a text that a cookie can hold')
      }
      const line = { ...attributes, value: credential, ...(persistent && { maxAge: maxAgeSeconds }) }
      return stringifySetCookie(line, { encode: (value) => value })
    },
    clear: () => stringifySetCookie({ ...attributes, value: '', maxAge: 0 }),
  }
}

function cookiesOf(from: Pick<HttpRequest, 'cookies'> | string | null | undefined): SentCookies {
  return typeof from === 'object' && from !== null ? from.cookies : readCookies(from)
}

function checkTransport(transport: unknown): void {
  if (transport === undefined) return
  if (transport !== allowPlainHttpOnLoopback) {
    throw new TypeError('"transport" must be allowPlainHttpOnLoopback or omitted')
  }
  if (isProduction()) {
    throw new TypeError(
      '"transport" must be omitted in production: a cookie without Secure is sent in plain text. ' +
        'Everything but NODE_ENV=development, NODE_ENV=test and none counts as production',
    )
  }
}

function checkName(name: string, secure: boolean): void {
  if (secure && !/^__Host-(?:Http-)?[\w.-]+$/.test(name)) {
    throw new TypeError('"name" must begin with __Host- and go on with characters of A-Z a-z 0-9 _ . -')
  }
  if (!secure && (!/^[\w.-]+$/.test(name) || /^__(?:host|secure|http)-/i.test(name))) {
    throw new TypeError('"name" must have characters of A-Z a-z 0-9 _ . - and no prefix that demands https')
  }
}
