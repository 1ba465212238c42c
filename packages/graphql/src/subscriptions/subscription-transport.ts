import type { ForgeryCheck, HttpRequest, HttpResponse } from '@latchkey/http'
import type { TrustedDocumentsOptions } from '../documents/choose-document.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import type { Answer } from '../responses/answer.ts'
import type { ConnectInput, Connection } from './connection.ts'
import type { StreamLimits } from './stream-limits.ts'

/** What `createStreamHandler` and `createSocketHandler` use of subscriptions, and applications do not. */
export interface SubscriptionTransport {
  readonly limits: StreamLimits
  /** The documents that clients may send by id. */
  readonly trustedDocuments: TrustedDocumentsOptions | undefined
  /** Those of every response. */
  readonly headers: HttpResponse['headers']
  /** @throws AccessError `SERVICE_UNAVAILABLE` once the streams are being closed. */
  checkOpen(): void
  /**
   * Returns whether a request is forged. It reads no store.
   *
   * @throws AccessError `CSRF_REJECTED` for a forged request with a cookie.
   */
  checkOrigin(request: HttpRequest): boolean
  readonly forgery: ForgeryCheck | undefined
  /** Returns who sent a request whose origin is judged. What the identity reader throws passes through. */
  identify(request: HttpRequest, forged: boolean): Promise<RequestIdentity>
  connect(input: ConnectInput): Connection
  /** Returns the refusal for an error that was thrown, and reports it. */
  answerRefusal(request: HttpRequest, error: unknown): Answer
  /** Returns what anonymous clients are counted by, `null` where the address is not known. */
  addressKey(request: HttpRequest): string | null
}

const transports = new WeakMap<object, SubscriptionTransport>()

/** Keeps the transport side of subscriptions beside their public object. */
export function registerTransport(subscriptions: object, transport: SubscriptionTransport): void {
  transports.set(subscriptions, transport)
}

/** @throws TypeError when the value was not returned by `createSubscriptions`. */
export function transportOf(subscriptions: unknown): SubscriptionTransport {
  const isObject = typeof subscriptions === 'object' && subscriptions !== null
  const transport = isObject ? transports.get(subscriptions) : undefined
  if (!transport) throw new TypeError('"subscriptions" must come from createSubscriptions')
  return transport
}
