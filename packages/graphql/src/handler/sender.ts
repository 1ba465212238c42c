import type { ForgeryCheck, HttpRequest, SessionCookie } from '@latchkey/http'
import { AccessError } from '../errors.ts'

/** What is known of the sender of a request before anything is looked up. */
export interface Sender {
  /** The origin check failed, or there is none. Credential fields are refused then. */
  readonly forged: boolean
}

export interface SenderOptions {
  /** Omitted: every request is `forged`, and none is refused here. */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always refused. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/**
 * Judges the sender of a request by its origin, and refuses a forged request with a cookie. Without a cookie a forged
 * request can only do harm where a secret is tested: that is for the caller to refuse.
 *
 * It reads no store. Call it before the identity is looked up, so that a forged request costs no look-up.
 *
 * @throws AccessError `CSRF_REJECTED`
 *
 * @example
 * import { judgeSender } from '@latchkey/graphql'
 * import { createForgeryCheck, createSessionCookie, type HttpRequest } from '@latchkey/http'
 * declare const request: HttpRequest
 * const forgery = createForgeryCheck({ origins: ['https://example.com'], secrets: [{ id: '1', bytes: new Uint8Array(32) }] })
 * const { forged } = judgeSender(request, { forgery, cookies: [createSessionCookie()] })
 */
export function judgeSender(request: HttpRequest, { forgery, cookies }: SenderOptions): Sender {
  if (!forgery) return { forged: true }
  const forged = !forgery.checkOrigin(request).ok
  if (forged && isGuardedCookieSent(request.header('cookie'), cookies)) throw new AccessError('CSRF_REJECTED')
  return { forged }
}

function isGuardedCookieSent(header: string | null, cookies: SenderOptions['cookies'] | undefined): boolean {
  return header !== null && (cookies?.some((cookie) => cookie.isSent(header)) ?? true)
}
