import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../../errors.ts'
import { type ClientSlots, createClientSlots } from '../client-slots.ts'
import type { Subscriptions } from '../create-subscriptions.ts'
import { createStreamExchange, refuseStream } from '../stream-refusal.ts'
import { type SubscriptionTransport, transportOf } from '../subscription-transport.ts'
import { closeForEnd, guardSocket, type SocketClient } from './socket-client.ts'
import type { Handshake, SocketHandler } from './socket-handler.ts'
import { createSocketProtocol, type SocketProtocol } from './socket-protocol.ts'

interface SocketHandlerState {
  readonly transport: SubscriptionTransport
  readonly protocol: SocketProtocol
  readonly slots: ClientSlots
  readonly clients: Set<SocketClient>
  isClosing: boolean
}

/**
 * Creates the handler of subscriptions over WebSockets, in the protocol `graphql-transport-ws` of `graphql-ws`.
 * `toUpgradeListener` of `@latchkey/graphql/node` connects it to a server of `node:http`.
 *
 * CORS does not stop pages of other sites from opening sockets. So a handshake with a cookie is refused with 403 unless
 * the forgery check accepts its origin, and without a forgery check no cookie counts. A bearer token is sent in the
 * `Authorization` header or as `authorization` in `connectionParams`. A refused subscription gets an `error` message
 * with the codes of a query. When the identity expires or is revoked, the socket is closed with 4401 or 4403.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import { createServer } from 'node:http'
 * import type { Subscriptions } from '@latchkey/graphql'
 * import { toUpgradeListener } from '@latchkey/graphql/node'
 * import { createSocketHandler } from '@latchkey/graphql/ws'
 * declare const subscriptions: Subscriptions
 * createServer().on('upgrade', toUpgradeListener(createSocketHandler({ subscriptions }), { path: '/graphql' }))
 */
export function createSocketHandler(options: {
  /** The subscriptions that `createSubscriptions` returned. */
  readonly subscriptions: Subscriptions
}): SocketHandler {
  const { subscriptions } = checkOptionNames('createSocketHandler', options, { subscriptions: true })
  const state = createState(transportOf(subscriptions))
  return {
    limits: state.transport.limits,
    accept: async (request) => accept(state, request),
    close() {
      state.isClosing = true
      for (const client of state.clients) closeForEnd(client, 'closing')
    },
  }
}

function createState(transport: SubscriptionTransport): SocketHandlerState {
  const { streams, socketsPerAddress } = transport.limits
  return {
    transport,
    protocol: createSocketProtocol(transport),
    slots: createClientSlots({ total: streams, perClient: socketsPerAddress }),
    clients: new Set(),
    isClosing: false,
  }
}

function accept(state: SocketHandlerState, request: HttpRequest): Handshake {
  const { transport, slots } = state
  try {
    if (state.isClosing) throw new AccessError('SERVICE_UNAVAILABLE')
    const forged = transport.checkOrigin(request)
    const release = slots.take(transport.addressKey(request))
    return { ok: true, open: (socket) => open(state, { socket, request, forged, release }), abandon: release }
  } catch (error) {
    const exchange = createStreamExchange(request, null)
    return { ok: false, response: refuseStream(transport.answerRefusal(request, error), exchange, transport.headers) }
  }
}

interface AcceptedSocket extends Pick<SocketClient, 'socket' | 'request' | 'forged'> {
  readonly release: () => void
}

function open(state: SocketHandlerState, { socket, request, forged, release }: AcceptedSocket) {
  const { clients, protocol, transport } = state
  const client: SocketClient = { socket, request, forged, connection: null, isOver: false }
  clients.add(client)
  const closed = protocol.opened(guardSocket(client, transport.limits.eventMs), client)
  return (code: number, reason: string): void => {
    client.isOver = true
    clients.delete(client)
    release()
    client.connection?.close()
    void Promise.resolve(closed(code, reason)).catch(() => undefined)
  }
}
