import type { HttpRequest } from '@latchkey/http'
import { CloseCode } from 'graphql-ws'
import type { Connection } from '../connection.ts'
import { endNotices, type StreamEnd } from '../stream-end.ts'
import type { SubscriptionSocket } from './subscription-socket.ts'

/** The client at the other end of one socket. */
export interface SocketClient {
  readonly socket: SubscriptionSocket
  /** The handshake. */
  readonly request: HttpRequest
  /** `null` until `connection_init` was accepted. */
  connection: Connection | null
  /** The socket has closed. */
  isOver: boolean
}

/** How long the last results may be on their way before the socket is closed. */
const lastResultMs = 250

/** Closes the socket for a reason of the service. A last result, which says that it is final, is sent before. */
export function closeForEnd({ socket }: SocketClient, end: StreamEnd): void {
  const { code, socketCode, isFinal } = endNotices[end]
  if (isFinal) setTimeout(() => socket.close(socketCode, code), lastResultMs)
  else socket.close(socketCode, code)
}

/**
 * Returns the socket for the protocol: a message that the protocol has no place for closes it, and no error that a
 * message causes reaches the process.
 */
export function guardSocket(socket: SubscriptionSocket): SubscriptionSocket {
  return {
    protocol: socket.protocol,
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (listener) =>
      socket.onMessage((text) => listener(text).catch(() => socket.close(CloseCode.BadRequest, 'BAD_REQUEST'))),
  }
}
