import type { Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { after, every, within } from '@latchkey/core/internal'
import type { Server } from '../create-server.ts'

/** The connections of a Node.js server, including upgraded connections, which Node.js does not close. */
export interface OpenSockets {
  /** Closes idle connections at once, and others after their requests or after `drainMs`. */
  close(drainMs: number): Promise<void>
}

/** Follows the connections of a server from its first one on. */
export function followSockets(node: NodeServer): OpenSockets {
  const sockets = new Set<Socket>()
  node.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    close: (drainMs) =>
      new Promise((resolve) => {
        const deadline = after(drainMs, () => {
          for (const socket of sockets) socket.destroy()
        })
        // A connection that was busy at first is idle once it has its response.
        const idle = every(50, () => node.closeIdleConnections())
        node.close(() => {
          deadline.stop()
          idle.stop()
          resolve()
        })
      }),
  }
}

/** How long the steps of closing may take, in milliseconds. */
export interface ClosingLimits {
  readonly drainMs: number
  readonly closeMs: number
}

/** Closes the subscriptions, lets pending requests finish, and closes the stores, each within its time limit. */
export async function closeInOrder(
  server: Server,
  sockets: OpenSockets,
  { drainMs, closeMs }: ClosingLimits,
): Promise<void> {
  // What does not end here is cut off with the connections.
  await closeWithin(closeMs, server.endStreams()).catch(() => null)
  await sockets.close(drainMs)
  await closeWithin(closeMs, server.close())
}

/** Closes what a failed start has opened, as far as it can be closed: the reason of the failure matters more. */
export async function closeAfterFailure(server: Server | null, sockets: OpenSockets, closeMs: number): Promise<void> {
  await sockets.close(0)
  if (server) await closeWithin(closeMs, server.close()).catch(() => null)
}

function closeWithin(closeMs: number, closing: Promise<void>): Promise<void> {
  return within(closeMs, closing, () => new Error(`the service was not closed within ${closeMs} ms ("closeMs")`))
}
