import { every, type Timer } from '@latchkey/core/internal'
import type { WebSocket } from 'ws'

/** Finds sockets whose client is gone. */
export interface SocketHeartbeat {
  add(socket: WebSocket): void
}

interface HeartbeatState {
  readonly pingMs: number
  /** Whether each socket has answered the last ping. */
  readonly sockets: Map<WebSocket, boolean>
  timer: Timer | null
}

/** Pings all sockets with one timer, and terminates sockets that did not answer the previous ping. */
export function createSocketHeartbeat(pingMs: number): SocketHeartbeat {
  const state: HeartbeatState = { pingMs, sockets: new Map(), timer: null }
  return { add: (socket) => add(state, socket) }
}

function add(state: HeartbeatState, socket: WebSocket): void {
  const { sockets, pingMs } = state
  sockets.set(socket, true)
  state.timer ??= every(pingMs, () => beat(state))
  socket.on('pong', () => {
    if (sockets.has(socket)) sockets.set(socket, true)
  })
  socket.once('close', () => remove(state, socket))
}

function beat({ sockets }: HeartbeatState): void {
  for (const [socket, hasAnswered] of sockets) {
    if (!hasAnswered) socket.terminate()
    else if (socket.readyState === socket.OPEN) {
      sockets.set(socket, false)
      socket.ping()
    }
  }
}

function remove(state: HeartbeatState, socket: WebSocket): void {
  state.sockets.delete(socket)
  if (state.sockets.size > 0 || state.timer === null) return
  state.timer.stop()
  state.timer = null
}
