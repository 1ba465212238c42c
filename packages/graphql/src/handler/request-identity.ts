import {
  createReplyHeaders,
  type HttpRequest,
  type IdentityReader,
  type IdentityReading,
  type ReplyHeaders,
} from '@latchkey/http'
import { judgeSender, type Sender, type SenderOptions } from './sender.ts'

/** What is known of a request before anything of GraphQL is looked at. */
export interface RequestIdentity<I> extends Sender {
  /** What was shown, and who that is. */
  readonly reading: IdentityReading<I>
  /** What resolvers queue, sent with whatever answers the request. */
  readonly reply: ReplyHeaders
  /**
   * Reads again who that is, once the body of the request was long in coming: a session may have ended since. Omitted: it is
   * not asked again.
   */
  reread?(): Promise<IdentityReading<I>>
}

/** Establishes who sent a request; what it throws is answered like what a resolver throws. */
export type Establish<I> = (request: HttpRequest) => Promise<RequestIdentity<I>>

export interface EstablisherOptions<I> extends SenderOptions {
  readonly identify: IdentityReader<I>
  readonly reidentify?: IdentityReader<I>
}

/** Returns what establishes an identity, in the order credential, forgery, identity: a forged request costs no look-up. */
export function createEstablisher<I>(options: EstablisherOptions<I>): Establish<I> {
  const { identify, reidentify = identify } = options
  return async (request) => {
    const sender = judgeSender(request, options)
    const reading = await identify.read(request)
    return { ...sender, reading, reply: createReplyHeaders(), reread: () => reidentify.read(request) }
  }
}
