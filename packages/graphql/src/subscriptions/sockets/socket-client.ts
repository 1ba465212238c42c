import { after } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import { CloseCode } from 'graphql-ws'
import type { Connection } from '../connection.ts'
import { endNotices, type StreamEnd } from '../stream-end.ts'
import type { SubscriptionSocket } from './socket-handler.ts'

/** The client at the other end of one socket. */
export interface SocketClient {
  readonly socket: SubscriptionSocket
  /** The handshake. */
  readonly request: HttpRequest
  /** The result of the origin check. */
  readonly forged: boolean
  /** `null` until `connection_init` was accepted. */
  connection: Connection | null
  /** The socket has closed. */
  isOver: boolean
}

/** The time for the last results before the socket is closed, in milliseconds. */
const lastResultMs = 250

/** Closes the socket for a reason of the service, after a final result if there is one. */
export function closeForEnd({ socket }: SocketClient, end: StreamEnd): void {
  const { code, socketCode, isFinal } = endNotices[end]
  if (isFinal) after(lastResultMs, () => socket.close(socketCode, code))
  else socket.close(socketCode, code)
}

/**
 * Returns the socket for the protocol. It closes if a message violates the protocol. If the client does not read a
 * message within `takeMs`, the connection is closed. No error from a message reaches the process.
 */
export function guardSocket(client: SocketClient, takeMs: number): SubscriptionSocket {
  const { socket } = client
  return {
    protocol: socket.protocol,
    send: (text) => sendInTime(client, text, takeMs),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (listener) =>
      socket.onMessage((text) => listener(text).catch(() => socket.close(CloseCode.BadRequest, 'BAD_REQUEST'))),
  }
}

/** A client may answer pings and read no messages. */
async function sendInTime(client: SocketClient, text: string, takeMs: number): Promise<void> {
  const timer = after(takeMs, () => {
    if (client.connection) client.connection.end('slow')
    else closeForEnd(client, 'slow')
  })
  try {
    await client.socket.send(text)
  } finally {
    timer.stop()
  }
}
