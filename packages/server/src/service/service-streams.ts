import { createSubscriptions, type SubscriptionsOptions } from '@latchkey/graphql'
import { createStreamHandler, type StreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler, type SocketHandler } from '@latchkey/graphql/ws'
import type { AnyPolicy } from '@latchkey/rbac'

/** The subscriptions of a service over both transports, which share their limits and their end. */
export interface ServiceStreams {
  readonly events: StreamHandler
  readonly sockets: SocketHandler
  /** Ends all of it, so that clients come back elsewhere. */
  close(): void
}

export function createServiceStreams(options: SubscriptionsOptions<AnyPolicy>): ServiceStreams {
  const subscriptions = createSubscriptions(options)
  const sockets = createSocketHandler({ subscriptions })
  return {
    events: createStreamHandler({ subscriptions }),
    sockets,
    close() {
      subscriptions.close()
      sockets.close()
    },
  }
}
