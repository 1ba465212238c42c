import type { ForgeryCheck, HttpRequest, SessionCookie } from '@latchkey/http'
import { AccessError } from '../errors.ts'

export interface OriginOptions {
  /** Omitted: every request is forged, and none is rejected here. */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always rejected. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/**
 * Returns whether a request is forged. Without a cookie a forged request can only do harm where a secret is tested: the plan
 * of the operation rejects those.
 *
 * @throws AccessError `CSRF_REJECTED` for a forged request with a cookie.
 */
export function checkOrigin(request: HttpRequest, options: OriginOptions): boolean {
  const forged = !options.forgery?.checkOrigin(request).ok
  rejectForged(request, forged, options)
  return forged
}

/** @throws AccessError `CSRF_REJECTED` for a forged request with a cookie. */
export function rejectForged(request: HttpRequest, forged: boolean, { forgery, cookies }: OriginOptions): void {
  if (!forged || !forgery) return
  const isCookieSent = cookies?.some((cookie) => cookie.isSent(request)) ?? request.headers.has('cookie')
  if (isCookieSent) {
    throw new AccessError('CSRF_REJECTED')
  }
}
