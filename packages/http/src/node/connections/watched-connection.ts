import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readRawHeader } from '../../headers/raw-header.ts'
import { type ConnectionGate, createConnectionGate, isParsed } from './connection-gate.ts'
import type { GuardedAddress } from './guarded-addresses.ts'

/** A connection that Node.js reads directly until its address is suspect. */
export interface WatchedConnection {
  /** Takes each request after its head was parsed. */
  begin(message: IncomingMessage, response: ServerResponse): void
}

type Parse = (bytes: Buffer) => void

/** More than pipelining clients send. Node.js parses all bytes of a read before it can be stopped. */
const unansweredAtMost = 16

/** Returns `null` if the runtime reads its sockets in another way than Node.js. */
export function watchConnection(socket: Socket, findAddress: () => GuardedAddress): WatchedConnection | null {
  const [parse, ...others] = socket.listeners('data') as unknown as readonly Parse[]
  if (!parse || others.length > 0) return null
  const address = findAddress()
  let gate: ConnectionGate | null = null
  let exchange: readonly [message: IncomingMessage, response: ServerResponse] | null = null
  let unanswered = 0
  const guard = (): void => {
    if (!isParsed(socket)) return
    // The gate replaces the listener that passes data to the parser.
    socket.off('data', parse)
    gate = createConnectionGate({ socket, parse, share: address.share, onLeave: remove })
    if (exchange) gate.begin(...exchange)
  }
  const { remove } = address.add(guard)
  socket.once('close', () => {
    gate?.close()
    remove()
  })
  if (address.isSuspect()) guard()
  return {
    begin(message, response) {
      unanswered = exchange && !exchange[1].closed ? unanswered + 1 : 0
      exchange = [message, response]
      gate?.begin(message, response)
      if (unanswered > 0 || readRawHeader(message.rawHeaders, 'transfer-encoding') !== null) address.suspect()
      if (unanswered >= unansweredAtMost) cutOff(socket)
    },
  }
}

const isCutOff: unique symbol = Symbol('isCutOff')

function cutOff(socket: Socket & { [isCutOff]?: true }): void {
  socket[isCutOff] = true
  socket.destroy()
}

/** Whether the connection was closed for too many waiting requests. Further requests of the same read need no response. */
export function wasCutOff(socket: Socket & { [isCutOff]?: true }): boolean {
  return socket[isCutOff] === true
}
