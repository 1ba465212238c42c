import {
  createReply,
  type ForgeryCheck,
  type HttpRequest,
  type IdentityReader,
  type IdentityReading,
  type Reply,
  type SessionCookie,
} from '@latchkey/http'
import { AccessError } from './errors.ts'

/** What is known of a request before anything of GraphQL is looked at. */
export interface Established<I> {
  /** What was shown, and who that is. */
  readonly reading: IdentityReading<I>
  /** The origin check failed, or there is none. Credential fields are refused then. */
  readonly forged: boolean
  /** A cookie came that the origin check guards: a forged request with it is refused altogether. */
  readonly cookieSent: boolean
  /** What resolvers queue, sent with whatever answers the request. */
  readonly reply: Reply
}

export interface EstablisherOptions<I> {
  readonly identify: IdentityReader<I>
  readonly forgery?: ForgeryCheck
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/** Gives what establishes an identity, in the order credential, forgery, identity: a forged request costs no look-up. */
export function createEstablisher<I>(
  options: EstablisherOptions<I>,
): (request: HttpRequest) => Promise<Established<I>> {
  const { identify, forgery, cookies } = options
  return async (request) => {
    const cookieSent = forgery !== undefined && isGuardedCookieSent(request.header('cookie'), cookies)
    const forged = !forgery?.checkOrigin(request).ok
    refuseForged({ cookieSent, forged })
    return { cookieSent, forged, reading: await identify.read(request), reply: createReply() }
  }
}

/** @throws AccessError `CSRF_REJECTED` */
export function refuseForged({ cookieSent, forged }: Pick<Established<unknown>, 'cookieSent' | 'forged'>): void {
  if (cookieSent && forged) throw new AccessError('CSRF_REJECTED')
}

/** Without a list any cookie might be the one. */
function isGuardedCookieSent(
  header: string | null,
  cookies: EstablisherOptions<unknown>['cookies'] | undefined,
): boolean {
  return header !== null && (cookies?.some((cookie) => cookie.isSent(header)) ?? true)
}
