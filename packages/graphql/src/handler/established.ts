import {
  createReply,
  type ForgeryCheck,
  type HttpRequest,
  type IdentityReader,
  type IdentityReading,
  type Reply,
  type SessionCookie,
} from '@latchkey/http'
import { AccessError } from '../errors.ts'

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

/** Establishes who sent a request; what it throws is answered like what a resolver throws. */
export type Establish<I> = (request: HttpRequest) => Promise<Established<I>>

export interface EstablisherOptions<I> {
  readonly identify: IdentityReader<I>
  readonly forgery?: ForgeryCheck
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/** Who sent a request, before anybody asks who it is. */
export type Sender = Pick<Established<unknown>, 'cookieSent' | 'forged'>

export function judgeSender<I>(request: HttpRequest, { forgery, cookies }: EstablisherOptions<I>): Sender {
  const cookieSent = forgery !== undefined && isGuardedCookieSent(request.header('cookie'), cookies)
  return { cookieSent, forged: !forgery?.checkOrigin(request).ok }
}

/** Gives what establishes an identity, in the order credential, forgery, identity: a forged request costs no look-up. */
export function createEstablisher<I>(options: EstablisherOptions<I>): Establish<I> {
  return async (request) => {
    const sender = judgeSender(request, options)
    refuseForged(sender)
    return { ...sender, reading: await options.identify.read(request), reply: createReply() }
  }
}

/** @throws AccessError `CSRF_REJECTED` */
export function refuseForged({ cookieSent, forged }: Sender): void {
  if (cookieSent && forged) throw new AccessError('CSRF_REJECTED')
}

/** Without a list any cookie might be the one. */
function isGuardedCookieSent(
  header: string | null,
  cookies: EstablisherOptions<unknown>['cookies'] | undefined,
): boolean {
  return header !== null && (cookies?.some((cookie) => cookie.isSent(header)) ?? true)
}
