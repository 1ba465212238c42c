import type { Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import type { FairTurns } from '@latchkey/http'

type ConnectionTurns = Pick<FairTurns, 'enterConnection'>

/**
 * Lets new connections of an address that takes too much wait before anything of them is read, so that what costs before there
 * is a request, such as headers that are too long, takes turns, too. One that has waited too long is cut off.
 */
export function giveConnectionsTurns(node: NodeServer, turnsNow: () => ConnectionTurns | null): void {
  node.on('connection', (socket: Socket) => {
    const turns = turnsNow()
    if (!turns) return
    const entered = turns.enterConnection({
      peerAddress: socket.remoteAddress ?? null,
      get signal() {
        return signalOf(socket)
      },
    })
    if (entered === true) return
    if (entered === false) return void socket.destroy()
    let isOver = false
    // Node.js begins to read in the next tick, whether or not the socket was paused before.
    process.nextTick(() => {
      if (!isOver) socket.pause()
    })
    void entered.then((hasTurn) => {
      isOver = true
      if (hasTurn) socket.resume()
      else socket.destroy()
    })
  })
}

/** Is aborted when the connection is closed. */
function signalOf(socket: Socket): AbortSignal {
  const closed = new AbortController()
  if (socket.destroyed) closed.abort()
  else socket.once('close', () => closed.abort())
  return closed.signal
}
