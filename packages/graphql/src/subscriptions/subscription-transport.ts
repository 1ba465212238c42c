import type { ForgeryCheck, HttpRequest, HttpResponse } from '@latchkey/http'
import type { TrustedDocumentsOptions } from '../documents/choose-document.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import type { Answer } from '../responses/answer.ts'
import type { ConnectInput, Connection } from './connection.ts'
import type { StreamLimits } from './stream-limits.ts'

/** The interface of subscriptions for `createStreamHandler` and `createSocketHandler`. */
export interface SubscriptionTransport {
  readonly limits: StreamLimits
  /** The documents that clients may send by id. */
  readonly trustedDocuments: TrustedDocumentsOptions | undefined
  /** The headers of every response. */
  readonly headers: HttpResponse['headers']
  /** @throws AccessError `SERVICE_UNAVAILABLE` once the streams are closing. */
  checkOpen(): void
  /**
   * Returns whether a request is forged, without reading a store.
   *
   * @throws AccessError `CSRF_REJECTED` for a forged request with a cookie.
   */
  checkOrigin(request: HttpRequest): boolean
  readonly forgery: ForgeryCheck | undefined
  /** Returns the sender of a request after its origin was checked. Errors of the identity reader pass through. */
  identify(request: HttpRequest, forged: boolean): Promise<RequestIdentity>
  connect(input: ConnectInput): Connection
  /** Returns the refusal for a thrown error, and reports it. */
  answerRefusal(request: HttpRequest, error: unknown): Answer
  /** Returns the limit key of an anonymous client, `null` if its address is unknown. */
  addressKey(request: HttpRequest): string | null
}

const transports = new WeakMap<object, SubscriptionTransport>()

/** Stores the transport side of subscriptions, which is not part of their public object. */
export function registerTransport(subscriptions: object, transport: SubscriptionTransport): void {
  transports.set(subscriptions, transport)
}

/** @throws TypeError if the value was not returned by `createSubscriptions`. */
export function transportOf(subscriptions: unknown): SubscriptionTransport {
  const isObject = typeof subscriptions === 'object' && subscriptions !== null
  const transport = isObject ? transports.get(subscriptions) : undefined
  if (!transport) throw new TypeError('"subscriptions" must come from createSubscriptions')
  return transport
}
