import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { checkOptionNames } from '@latchkey/core/internal'
import { createSecurityHeaders, type HttpResponse } from '@latchkey/http'
import { fromNodeRequest } from '@latchkey/http/node'
import { handleProtocols } from 'graphql-ws'
import type { WebSocket, WebSocketServer } from 'ws'
import type { StreamLimits } from '../stream-limits.ts'
import { limitFrames } from './limit-frames.ts'
import type { Handshake, SocketHandler } from './socket-handler.ts'
import { createSocketHeartbeat, type SocketHeartbeat } from './socket-heartbeat.ts'
import { toSubscriptionSocket } from './to-subscription-socket.ts'

interface ListenerState {
  readonly handler: SocketHandler
  readonly server: WebSocketServer
  readonly heartbeat: SocketHeartbeat
}

type AcceptedHandshake = Extract<Handshake, { readonly ok: true }>

/**
 * Returns a listener for the event `upgrade` of a server of `node:http`, which opens WebSockets with `ws` for a socket
 * handler. It responds to every handshake and never throws.
 *
 * Messages are not compressed, because an unpacked message has no size limit. A message over the limit closes the
 * socket with 1009. A socket that neither reads nor answers a ping is terminated. In a second, a client may send 1000
 * frames including pings and pongs, or five for each allowed stream of its socket if this is more, and the bytes of ten
 * messages of maximum size. More closes the socket with 1008.
 *
 * `ws` is loaded at run time and not imported: it is CommonJS, which bundlers cannot put into an ES module. A bundle
 * needs it in `node_modules`.
 *
 * @throws TypeError naming the option that is not valid. An `Error` if `ws` is not installed.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { toUpgradeListener } from '@latchkey/graphql/node'
 * import type { SocketHandler } from '@latchkey/graphql/ws'
 * declare const sockets: SocketHandler
 * createServer().on('upgrade', toUpgradeListener(sockets, { path: '/graphql' }))
 */
export function toUpgradeListener(
  handler: SocketHandler,
  options: {
    /** The path for sockets; other paths are answered with 404. */
    readonly path: string
  },
): (message: IncomingMessage, socket: Duplex, head: Buffer) => void {
  if (typeof handler?.accept !== 'function') throw new TypeError('"handler" must come from createSocketHandler')
  const { path } = checkOptionNames('toUpgradeListener', options, { path: true })
  if (typeof path !== 'string' || !path.startsWith('/')) throw new TypeError('"path" must begin with /')
  const { limits } = handler
  const state: ListenerState = {
    handler,
    server: createSocketServer(limits),
    heartbeat: createSocketHeartbeat(limits.pingMs),
  }
  return (message, socket, head) => {
    const destroy = (): void => void socket.destroy()
    socket.on('error', destroy)
    const request = fromNodeRequest(message, null)
    if (request.target.split('?', 1)[0] !== path) return refuseUpgrade(socket, notFound)
    const proceed = (handshake: Handshake): void => {
      if (!handshake.ok) refuseUpgrade(socket, handshake.response)
      else if (socket.destroyed) handshake.abandon()
      else {
        socket.off('error', destroy)
        upgrade(state, handshake, [message, socket, head])
      }
    }
    handler.accept(request).then(proceed, destroy)
  }
}

function createSocketServer({ messageBytes }: StreamLimits): WebSocketServer {
  const { WebSocketServer: SocketServer } = loadWs()
  return new SocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    ...bounds,
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  })
}

function loadWs(): { readonly WebSocketServer: typeof WebSocketServer } {
  try {
    return createRequire(import.meta.url)('ws')
  } catch (cause) {
    throw new Error('WebSockets need the package ws: install it, beside a bundle too', { cause })
  }
}

/** GraphQL clients do not send a message in a thousand fragments. */
const bounds = { maxFragments: 64 }

function upgrade(
  state: ListenerState,
  handshake: AcceptedHandshake,
  upgrading: Parameters<ReturnType<typeof toUpgradeListener>>,
): void {
  const [, socket] = upgrading
  // `ws` answers an invalid handshake itself, without opening a socket.
  socket.once('close', handshake.abandon)
  state.server.handleUpgrade(...upgrading, (opened) => {
    socket.off('close', handshake.abandon)
    adopt(state, handshake, socket, opened)
  })
}

function adopt(
  { handler, heartbeat }: ListenerState,
  handshake: AcceptedHandshake,
  connection: Duplex,
  socket: WebSocket,
): void {
  const subscriptionSocket = toSubscriptionSocket(socket, handler.limits.unreadBytes)
  limitFrames(connection, handler.limits, subscriptionSocket.close)
  const closed = handshake.open(subscriptionSocket)
  // When a client breaks the WebSocket protocol, `ws` closes the socket with the code for it.
  socket.on('error', () => undefined)
  socket.once('close', (code, reason) => closed(code, reason.toString()))
  heartbeat.add(socket)
}

const notFound: HttpResponse = {
  status: 404,
  headers: [['content-type', 'text/plain; charset=utf-8'], ...createSecurityHeaders({ https: false }).api],
  body: 'Not found.',
}

function refuseUpgrade(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const text = typeof body === 'string' ? body : ''
  const fixed = [
    ['content-length', String(Buffer.byteLength(text))],
    ['connection', 'close'],
  ] as const
  const lines = [...headers, ...fixed].map(([name, value]) => `${name}: ${value}`)
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
}
