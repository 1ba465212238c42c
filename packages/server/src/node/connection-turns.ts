import type { Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { after } from '@latchkey/core/internal'
import type { FairQueue } from '@latchkey/http/fair-queue'

/**
 * Delays new connections of an address that exceeds its share before any byte of them is read. This covers costs before
 * a request exists, for example of oversized headers. If too many connections wait, it is closed.
 */
export function giveConnectionsTurns(
  node: NodeServer,
  queueNow: () => Pick<FairQueue, 'enterConnection'> | null,
): void {
  node.on('connection', (socket: Socket) => {
    const queue = queueNow()
    const waitMs = queue ? queue.enterConnection({ peerAddress: socket.remoteAddress ?? null }) : 0
    if (waitMs === null) socket.destroy()
    else if (waitMs > 0) pauseFor(socket, waitMs)
  })
}

function pauseFor(socket: Socket, waitMs: number): void {
  // Node.js starts to read in the next tick, even if the socket was paused before.
  process.nextTick(() => socket.pause())
  const timer = after(waitMs, () => socket.resume())
  socket.once('close', timer.stop)
}
