import { checkOptionNames } from '@latchkey/core/internal'
import { createHttpHandler, type HttpHandler, type HttpRequest } from '@latchkey/http'
import { runSteps } from '../../handler/request-steps.ts'
import type { Subscriptions } from '../create-subscriptions.ts'
import { transportOf } from '../subscription-transport.ts'
import { createStreamSteps } from './stream-steps.ts'

/** Answers subscriptions with streams of server-sent events. */
export type StreamHandler = HttpHandler

/**
 * Creates the handler of subscriptions over server-sent events, in the distinct connections mode of the `graphql-sse`
 * protocol: a request and a stream for each subscription, by GET or by POST of JSON.
 *
 * Before the stream opens it answers like `createGraphqlHandler`, in `application/graphql-response+json`, with the same
 * statuses and codes. Then it sends a `next` event for each result, and finally a `complete` event. If a stream closes
 * without `complete`, clients of `graphql-sse` reconnect.
 *
 * It answers on every path at which it is mounted. Browsers allow six connections to a host over HTTP/1.1: use HTTP/2,
 * or WebSockets, for pages with more than a few streams.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import type { Subscriptions } from '@latchkey/graphql'
 * import { createStreamHandler } from '@latchkey/graphql/sse'
 * declare const subscriptions: Subscriptions
 * const handler = createStreamHandler({ subscriptions })
 * await handler.fetch(new Request('https://example.com/graphql/stream?query=subscription{ticks}'))
 */
export function createStreamHandler(options: {
  /** The subscriptions that `createSubscriptions` returned. */
  readonly subscriptions: Subscriptions
  /**
   * The most characters of path and query.
   *
   * @default 8192
   */
  readonly urlBytes?: number
}): StreamHandler {
  checkOptionNames('createStreamHandler', options, { subscriptions: true, urlBytes: true })
  const steps = createStreamSteps(options)
  const transport = transportOf(options.subscriptions)
  const identify = (request: HttpRequest) => transport.identify(request, transport.checkOrigin(request))
  return createHttpHandler((request) => runSteps(request, steps, identify))
}
