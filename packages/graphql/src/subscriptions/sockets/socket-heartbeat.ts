import type { WebSocket } from 'ws'

/** Finds sockets whose other end is gone, or does not read. */
export interface SocketHeartbeat {
  add(socket: WebSocket): void
}

/** Pings all sockets with one timer, and cuts off those that have not answered the ping before. */
export function createSocketHeartbeat(pingMs: number): SocketHeartbeat {
  const waiting = new Map<WebSocket, boolean>()
  let timer: NodeJS.Timeout | null = null
  const beat = (): void => {
    for (const [socket, hasAnswered] of waiting) {
      if (!hasAnswered) socket.terminate()
      else if (socket.readyState === socket.OPEN) {
        waiting.set(socket, false)
        socket.ping()
      }
    }
  }
  return {
    add(socket) {
      waiting.set(socket, true)
      timer ??= setInterval(beat, pingMs).unref()
      socket.on('pong', () => {
        if (waiting.has(socket)) waiting.set(socket, true)
      })
      socket.once('close', () => {
        waiting.delete(socket)
        if (waiting.size > 0 || timer === null) return
        clearInterval(timer)
        timer = null
      })
    },
  }
}
