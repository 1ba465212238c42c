import type { HttpReply, HttpRequest } from '@latchkey/http'
import { requireOptions } from '@latchkey/options'
import { type ExecutionArgs, type GraphQLError, parse } from 'graphql'
import { CloseCode, type Context, makeServer } from 'graphql-ws'
import { AccessError, type AccessErrorCode } from '../errors.ts'
import { checkParams } from '../handler/request-params.ts'
import { refusal } from '../refusal.ts'
import type { Answer } from '../responses/answer.ts'
import { codeOf } from '../responses/error-table.ts'
import type { Connection, Subscriptions } from './create-subscriptions.ts'
import type { ResultStream } from './event-stream.ts'
import { endNotices, type StreamEnd } from './stream-end.ts'
import type { StreamLimits } from './stream-limits.ts'
import { createPlaces } from './stream-places.ts'
import { refuseStream } from './stream-refusal.ts'
import { withConnectionParams } from './with-connection-params.ts'

/** What sockets need. */
export interface SocketHandlerOptions {
  /** What `createSubscriptions` gave. */
  readonly subscriptions: Subscriptions
}

/** An open WebSocket, whatever library opened it. */
export interface SubscriptionSocket {
  /** The subprotocol that was agreed on; empty: none. */
  readonly protocol: string
  /** Resolves once there is room for more, and at once when the socket has closed. */
  send(text: string): Promise<void>
  close(code: number, reason: string): void
  onMessage(listener: (text: string) => Promise<void>): void
}

/** A handshake that was judged. One that was accepted is opened or abandoned. */
export type Handshake =
  | { readonly ok: false; readonly reply: HttpReply }
  | {
      readonly ok: true
      /** Takes the socket, and gives what to call when it has closed. */
      open(socket: SubscriptionSocket): (code: number, reason: string) => void
      abandon(): void
    }

/** Answers subscriptions over WebSockets. */
export interface SocketHandler {
  readonly limits: StreamLimits
  /** Judges a handshake: its origin, and how many sockets are open. */
  accept(request: HttpRequest): Handshake
  /** Closes all sockets with 1001 and accepts no more. */
  close(): void
}

interface Client {
  readonly socket: SubscriptionSocket
  readonly request: HttpRequest
  connection: Connection | null
  isOver: boolean
}

/** The last results are on their way when the end is told. */
const farewellMs = 250

/**
 * Gives the handler of subscriptions over WebSockets: the protocol `graphql-transport-ws`, as `graphql-ws` speaks it.
 * `toUpgradeListener` of `@latchkey/graphql/node` connects it to a server of `node:http`.
 *
 * A handshake with a cookie is refused with 403 unless the forgery check accepts its origin, and a cookie counts for
 * nothing where there is no such check: no CORS keeps pages of others from opening sockets. A bearer token is shown in
 * the `Authorization` header or as `authorization` in `connectionParams`. What a query would be refused for is the
 * `error` of its subscription, with the same codes; a socket whose identity ends is closed with 4401 or 4403.
 *
 * @throws TypeError naming the option that cannot be used.
 *
 * @example
 * import { createServer } from 'node:http'
 * import type { Subscriptions } from '@latchkey/graphql'
 * import { toUpgradeListener } from '@latchkey/graphql/node'
 * import { createSocketHandler } from '@latchkey/graphql/ws'
 * declare const subscriptions: Subscriptions
 * createServer().on('upgrade', toUpgradeListener(createSocketHandler({ subscriptions }), { path: '/graphql' }))
 */
export function createSocketHandler(options: SocketHandlerOptions): SocketHandler {
  const { subscriptions } = requireOptions('createSocketHandler', options, ['subscriptions'])
  if (typeof subscriptions?.connect !== 'function') {
    throw new TypeError('"subscriptions" must come from createSubscriptions')
  }
  const { limits, trustedDocuments } = subscriptions
  const places = createPlaces({ atMost: limits.streams, perClientAtMost: limits.socketsPerAddress })
  const clients = new Set<Client>()
  const streams = new WeakMap<object, ResultStream>()
  let isClosing = false

  const server = makeServer<Record<string, unknown>, Client>({
    connectionInitWaitTimeout: limits.initMs,
    async onConnect({ extra: client, connectionParams }) {
      try {
        client.connection = await connect(client, connectionParams)
        return true
      } catch (error) {
        close(client, codeOfAnswer(subscriptions.refuse(client.request, error)))
        return false
      }
    },
    async onSubscribe({ extra: { connection, request } }, _id, payload) {
      try {
        if (!connection) throw new AccessError('SERVICE_UNAVAILABLE')
        // The library wants a text; who asks for a document by its id has none.
        const { params } = checkParams({ ...payload, query: payload.query || undefined }, trustedDocuments)
        const opened = await connection.subscribe(params, { recheck: true })
        if (!opened.ok) return [...(opened.answer.body.errors ?? [])]
        const carrier = { document: anySubscription } as ExecutionArgs
        streams.set(carrier, opened.stream)
        return carrier
      } catch (error) {
        return [...(subscriptions.refuse(request, error).body.errors ?? [])]
      }
    },
    subscribe: (carrier) => streams.get(carrier) ?? { errors: [refusal('INTERNAL_SERVER_ERROR')] },
    onError: (_context, _id, _payload, errors) => errors.map((error) => toShown(error).toJSON()),
  })

  async function connect(client: Client, params: Context['connectionParams']): Promise<Connection> {
    const request = withConnectionParams(client.request, params)
    const established = await subscriptions.establish(request)
    if (established.reading.credential === 'cookie' && established.forged) throw new AccessError('CSRF_REJECTED')
    if (client.isOver) throw new AccessError('SERVICE_UNAVAILABLE')
    const onEnd = (end: StreamEnd): void => sayGoodbye(client, end)
    return subscriptions.connect({ request, established, streams: limits.streamsPerSocket, onEnd })
  }

  function open(socket: SubscriptionSocket, request: HttpRequest, leave: () => void) {
    const client: Client = { socket, request, connection: null, isOver: false }
    clients.add(client)
    const closed = server.opened(guarded(client), client)
    return (code: number, reason: string): void => {
      client.isOver = true
      clients.delete(client)
      leave()
      client.connection?.close()
      void Promise.resolve(closed(code, reason)).catch(() => undefined)
    }
  }

  return {
    limits,
    accept(request) {
      try {
        if (isClosing) throw new AccessError('SERVICE_UNAVAILABLE')
        subscriptions.judge(request)
        const leave = places.take(subscriptions.address(request))
        return { ok: true, open: (socket) => open(socket, request, leave), abandon: leave }
      } catch (error) {
        return { ok: false, reply: refuseStream(subscriptions.refuse(request, error), request) }
      }
    },
    close() {
      isClosing = true
      for (const client of clients) sayGoodbye(client, 'closing')
    },
  }
}

/** What an operation is called whose stream is open already: the library looks only at its kind. */
const anySubscription = parse('subscription { s }')

/** A message that the protocol has no place for closes the socket, and nothing a client sends reaches the process. */
function guarded({ socket }: Client): SubscriptionSocket {
  return {
    protocol: socket.protocol,
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (listener) =>
      socket.onMessage((text) => listener(text).catch(() => socket.close(CloseCode.BadRequest, 'BAD_REQUEST'))),
  }
}

function sayGoodbye({ socket }: Client, end: StreamEnd): void {
  const { code, socketCode, isFinal } = endNotices[end]
  if (isFinal) setTimeout(() => socket.close(socketCode, code), farewellMs)
  else socket.close(socketCode, code)
}

const closeCodes: Readonly<Partial<Record<AccessErrorCode, number>>> = {
  BAD_REQUEST: CloseCode.BadRequest,
  CSRF_REJECTED: CloseCode.Forbidden,
  SERVICE_UNAVAILABLE: endNotices.unavailable.socketCode,
}

function close({ socket }: Client, code: AccessErrorCode): void {
  socket.close(closeCodes[code] ?? CloseCode.InternalServerError, code)
}

function codeOfAnswer({ body }: Answer): AccessErrorCode {
  const [error] = body.errors ?? []
  return error ? codeOf(error) : 'INTERNAL_SERVER_ERROR'
}

/** What has no code of ours was never meant for a client. */
function toShown(error: GraphQLError): GraphQLError {
  return typeof error.extensions.code === 'string' ? error : refusal('INTERNAL_SERVER_ERROR')
}
