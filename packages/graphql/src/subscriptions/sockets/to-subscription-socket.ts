import { after } from '@latchkey/core/internal'
import type { RawData, WebSocket } from 'ws'
import type { SubscriptionSocket } from './socket-handler.ts'

/**
 * Returns a socket of `ws` for socket handlers. Once more than `unreadBytes` wait for the client, the next message, or
 * the next answer to a ping, terminates the socket.
 */
export function toSubscriptionSocket(socket: WebSocket, unreadBytes: number): SubscriptionSocket {
  socket.on('ping', (data) => {
    if (hasRoom(socket, unreadBytes)) socket.pong(data)
  })
  return {
    protocol: socket.protocol,
    send: (text) => send(socket, text, unreadBytes),
    close: (code, reason) => close(socket, code, reason),
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        if (socket.readyState === socket.OPEN) receive(socket, listener, data, isBinary)
      })
    },
    pause: () => socket.pause(),
    // A closing socket is not read.
    resume() {
      if (socket.readyState === socket.OPEN) socket.resume()
    },
  }
}

/** Terminates a socket without room. */
function hasRoom(socket: WebSocket, unreadBytes: number): boolean {
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount <= unreadBytes) return true
  socket.terminate()
  return false
}

function send(socket: WebSocket, text: string, unreadBytes: number): Promise<void> {
  return new Promise((resolve) => {
    if (hasRoom(socket, unreadBytes)) socket.send(text, () => resolve())
    else resolve()
  })
}

/** The time for a client to confirm a close, in milliseconds. */
const closeMs = 2_000

function close(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason)
  after(closeMs, () => socket.terminate()).unref()
}

type Listener = Parameters<SubscriptionSocket['onMessage']>[0]

/** The protocol is JSON in text messages. */
function receive(socket: WebSocket, listener: Listener, data: RawData, isBinary: boolean): void {
  if (isBinary) close(socket, 4400, 'BAD_REQUEST')
  else void listener(data.toString())
}
