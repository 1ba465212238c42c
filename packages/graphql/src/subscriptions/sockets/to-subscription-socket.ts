import type { WebSocket } from 'ws'
import type { SubscriptionSocket } from './subscription-socket.ts'

/**
 * Gives a socket of `ws` to a socket handler. What its reader leaves unread is bounded: one more message, or an answer
 * to one more ping, and the socket is cut off.
 */
export function toSubscriptionSocket(socket: WebSocket, unreadBytes: number): SubscriptionSocket {
  const hasRoom = (): boolean => {
    if (socket.readyState !== socket.OPEN) return false
    if (socket.bufferedAmount <= unreadBytes) return true
    socket.terminate()
    return false
  }
  /** A socket that does not answer that it closes is cut off. */
  const close = (code: number, reason: string): void => {
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), closeMs).unref()
  }
  socket.on('ping', (data) => {
    if (hasRoom()) socket.pong(data)
  })
  return {
    protocol: socket.protocol,
    send: (text) =>
      new Promise((resolve) => {
        if (hasRoom()) socket.send(text, () => resolve())
        else resolve()
      }),
    close,
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        // The protocol is JSON: of bytes nobody said how they would be text.
        if (isBinary) close(4400, 'BAD_REQUEST')
        else void listener(data.toString())
      })
    },
  }
}

const closeMs = 2_000
