import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpReply } from '@latchkey/http'
import { fromUpgradeRequest } from '@latchkey/http/node'
import { handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Handshake, SocketHandler } from './create-socket-handler.ts'
import { createSocketHeartbeat } from './socket-heartbeat.ts'
import { toSubscriptionSocket } from './to-subscription-socket.ts'

export interface UpgradeListenerOptions {
  /** Where sockets are opened; every other path is answered 404. */
  readonly path: string
}

/** For the `upgrade` event of a server of `node:http`. It answers every handshake, and never throws. */
export type UpgradeListener = (message: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * Gives a listener that opens WebSockets by `ws` for a socket handler.
 *
 * Messages are not compressed: what a small frame unpacks to has no bound before it is unpacked. A message over the
 * limit closes the socket with 1009; one that neither reads nor answers a ping is cut off.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { toUpgradeListener } from '@latchkey/graphql/node'
 * import type { SocketHandler } from '@latchkey/graphql/ws'
 * declare const sockets: SocketHandler
 * createServer().on('upgrade', toUpgradeListener(sockets, { path: '/graphql' }))
 */
export function toUpgradeListener(handler: SocketHandler, { path }: UpgradeListenerOptions): UpgradeListener {
  if (typeof handler?.accept !== 'function') throw new TypeError('"handler" must come from createSocketHandler')
  if (!path?.startsWith('/')) throw new TypeError('"path" must begin with /')
  const { messageBytes, unreadBytes, pingMs } = handler.limits
  const heartbeat = createSocketHeartbeat(pingMs)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    ...bounds,
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  })
  const adopt = (socket: WebSocket, handshake: Extract<Handshake, { readonly ok: true }>): void => {
    const closed = handshake.open(toSubscriptionSocket(socket, unreadBytes))
    // A client that breaks the rules of the protocol: `ws` closes the socket with the code for it.
    socket.on('error', () => undefined)
    socket.once('close', (code, reason) => closed(code, reason.toString()))
    heartbeat.add(socket)
  }
  return (message, socket, head) => {
    const destroy = (): void => void socket.destroy()
    socket.on('error', destroy)
    const request = fromUpgradeRequest(message)
    if (request.target.split('?', 1)[0] !== path) return refuse(socket, notFound)
    const handshake = handler.accept(request)
    if (!handshake.ok) return refuse(socket, handshake.reply)
    // `ws` answers a handshake that is none by itself, and then there is no socket.
    socket.once('close', handshake.abandon)
    socket.off('error', destroy)
    server.handleUpgrade(message, socket, head, (opened) => {
      socket.off('close', handshake.abandon)
      adopt(opened, handshake)
    })
  }
}

/** One message in a thousand pieces is nothing that a client of GraphQL sends. */
const bounds = { maxFragments: 64 }

const notFound: HttpReply = {
  status: 404,
  headers: [['content-type', 'text/plain; charset=utf-8']],
  body: 'There is nothing here.',
}

function refuse(socket: Duplex, { status, headers, body }: HttpReply): void {
  const text = typeof body === 'string' ? body : ''
  const fixed = [
    ['content-length', String(Buffer.byteLength(text))],
    ['connection', 'close'],
  ] as const
  const lines = [...headers, ...fixed].map(([name, value]) => `${name}: ${value}`)
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
}
