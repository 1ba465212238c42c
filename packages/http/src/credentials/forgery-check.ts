import type { SecretKeys } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '../http-request.ts'
import { isSerialisedOrigin } from '../serialised-origin.ts'
import { createCsrfTokens } from './csrf-token.ts'

/** Recognises requests that a page of another site sent with the cookies of this one. */
export interface ForgeryCheck {
  /**
   * Checks Fetch Metadata, and `Origin` for a request of the same site or without Fetch Metadata. Current browsers send
   * no request without both.
   */
  checkOrigin(
    request: Pick<HttpRequest, 'headers'>,
  ): { readonly ok: true } | { readonly ok: false; readonly reason: 'cross-site' | 'same-site' | 'origin' }
  /** Creates a token for pages of this session, a different text each time. */
  createToken(sessionKey: string): string
  /** Whether a token was created for this session. */
  verifyToken(token: string | null | undefined, sessionKey: string): boolean
}

const accepted: ReturnType<ForgeryCheck['checkOrigin']> = { ok: true }

/**
 * Creates the check against cross-site request forgery, for requests that carry a cookie and for requests that would
 * set a cookie. It has two parts, because neither Fetch Metadata nor a token reaches every client.
 *
 * @throws TypeError if an origin is not serialised (RFC 6454 §6.2), or a secret cannot be used.
 * @example
 * import { createForgeryCheck, type HttpRequest } from '@latchkey/http'
 * const secrets = [{ id: '2026-01', bytes: crypto.getRandomValues(new Uint8Array(32)) }] as const
 * const forgery = createForgeryCheck({ origins: ['https://example.com'], secrets })
 * const isOurs = (request: HttpRequest, sessionKey: string) =>
 *   forgery.checkOrigin(request).ok && forgery.verifyToken(request.headers.get('x-csrf-token'), sessionKey)
 */
export function createForgeryCheck(options: {
  /** The origins whose pages may send requests, as browsers write them: `https://example.com`, no path, no slash. */
  readonly origins: readonly [string, ...string[]]
  /** The first makes tokens, every one checks them. */
  readonly secrets: SecretKeys
}): ForgeryCheck {
  checkOptionNames('createForgeryCheck', options, { origins: true, secrets: true })
  const origins = checkOrigins(options.origins)
  const tokens = createCsrfTokens(options.secrets)
  const isListed = (origin: string | undefined): boolean => origin !== undefined && origins.has(origin)
  return {
    checkOrigin({ headers }) {
      const origin = headers.get('origin')
      const site = headers.get('sec-fetch-site')
      if (site === undefined)
        return origin === undefined || isListed(origin) ? accepted : { ok: false, reason: 'origin' }
      if (site === 'same-origin' || site === 'none') return accepted
      if (site !== 'same-site') return { ok: false, reason: 'cross-site' }
      return isListed(origin) ? accepted : { ok: false, reason: 'same-site' }
    },
    createToken: tokens.create,
    verifyToken: tokens.verify,
  }
}

function checkOrigins(origins: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(origins) || origins.length === 0) throw new TypeError('"origins" must hold at least one origin')
  for (const origin of origins) {
    if (!isSerialisedOrigin(origin)) {
      throw new TypeError('"origins": each is a scheme, host and port as browsers send them, like https://example.com')
    }
  }
  return new Set(origins)
}
