import type { ForgeryCheck, HttpRequest, SessionCookie } from '@latchkey/http'
import { AccessError } from '../errors.ts'

/** Who sent a request, as far as that is known before anything is looked up. */
export interface Sender {
  /** The origin check failed, or there is none: credential fields are refused, and so should be whatever changes something. */
  readonly forged: boolean
}

export interface SenderOptions {
  /** Omitted: every request is `forged`, and none is refused here. */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is refused altogether. Default: any cookie might be one. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/**
 * Judges who sent a request, and refuses a forged one that shows a cookie. Without a cookie a forged request can only
 * harm where a secret is tested or something changes, so that is for the caller to refuse.
 *
 * It asks no store. Call it before the identity is looked up: then a forged request costs no look-up.
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
