import { createSubscriptions } from '@latchkey/graphql'
import { createStreamSteps, type RequestSteps } from '@latchkey/graphql/internal'
import { createSocketHandler, type SocketHandler } from '@latchkey/graphql/ws'
import type { AnyPolicy } from '@latchkey/rbac'
import type { FlatOptions } from '../options/server/flat-options.ts'

/** The subscriptions of a service over both transports, which share their limits and are closed together. */
export interface ServiceStreams {
  readonly events: RequestSteps
  readonly sockets: SocketHandler
  /** Closes all streams, so that clients reconnect elsewhere. */
  close(): void
}

type SubscriptionsOptions = Parameters<typeof createSubscriptions<AnyPolicy>>[0]

export function createServiceStreams(options: SubscriptionsOptions): ServiceStreams {
  const subscriptions = createSubscriptions(options)
  const sockets = createSocketHandler({ subscriptions })
  return {
    events: createStreamSteps({ subscriptions }),
    sockets,
    close() {
      subscriptions.close()
      sockets.close()
    },
  }
}

type Options = Pick<FlatOptions, 'rateLimit' | 'trustedDocuments' | 'streamLimits'>

/** Returns the options that streams take unchanged. */
export function streamOptionsOf({
  rateLimit,
  trustedDocuments,
  streamLimits,
}: Options): Pick<SubscriptionsOptions, 'rateLimit' | 'trustedDocuments' | 'limits'> {
  return {
    ...(rateLimit && { rateLimit }),
    ...(trustedDocuments && { trustedDocuments }),
    ...(streamLimits && { limits: streamLimits }),
  }
}
