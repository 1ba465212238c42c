import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { checkOptionNames } from '@latchkey/options'
import { createAddressReader } from '../../addresses/address-reader.ts'
import { connectionKey } from '../../addresses/connection-key.ts'
import { type AddressShare, createAddressShare } from './address-share.ts'
import { type ConnectionGate, createConnectionGate } from './connection-gate.ts'

export interface ConnectionLimitsOptions {
  /**
   * Addresses or ranges of the proxies in front of this server: their connections are of many clients, so each is limited by
   * itself. @default []
   */
  readonly trustedProxies?: readonly string[]
}

/**
 * Limits what the connections of one address make a server parse, so that requests which are cheap to send do not delay those of
 * others. Call it once, before the server has connections.
 *
 * - A connection has one request at a time (RFC 9112 §9.3.2). A pipelined request waits until the response before it was sent, and
 *   the socket is not read meanwhile.
 * - In each turn of the event loop an address has half a millisecond for parsing. What is left waits for the next turn.
 * - Of what waits, an address holds 4 MB. A connection that sends more is answered 429 and closed.
 *
 * @param server a server of `node:http` or `node:https`: `express` and `@hono/node-server` return it when they listen, Fastify
 * has it as `server`.
 * @throws TypeError when a proxy is neither an address nor a range, and for an unknown option.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { limitConnections } from '@latchkey/http/node'
 * const server = createServer((request, response) => response.end('hello'))
 * limitConnections(server, { trustedProxies: ['10.0.0.0/8'] })
 */
export function limitConnections(server: Server, options: ConnectionLimitsOptions = {}): void {
  const { trustedProxies = [] } = checkOptionNames('limitConnections', options, { trustedProxies: true })
  const addresses = createAddressReader({ trustedProxies })
  const shares = createShares((peerAddress) => connectionKey(addresses, peerAddress))
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => guard(socket, shares))
  server.on('request', begin)
}

const ownGate = Symbol('gate')

interface GuardedSocket extends Socket {
  [ownGate]?: ConnectionGate
}

/** Takes the place of the listener by which Node.js gives its parser what has arrived. */
function guard(socket: GuardedSocket, shares: Shares): void {
  const [parse, ...others] = socket.listeners('data')
  // Other runtimes read their sockets in a way of their own.
  if (!parse || others.length > 0) return
  const { share, release } = shares.take(socket.remoteAddress ?? null)
  const leave = (): void => {
    socket.off('data', gate.receive).off('close', close)
    Reflect.deleteProperty(socket, 'resume')
    release()
  }
  const close = (): void => {
    gate.close()
    release()
  }
  const gate = createConnectionGate({ socket, parse: (bytes) => void parse(bytes), share, leave })
  // Node.js resumes a socket whenever a message is complete or read.
  const resume = (): Socket => (gate.holds() ? socket : Socket.prototype.resume.call(socket))
  socket.resume = resume as Socket['resume']
  socket[ownGate] = gate
  socket.off('data', parse as (bytes: Buffer) => void)
  socket.on('data', gate.receive).once('close', close)
}

function begin(message: IncomingMessage, response: ServerResponse): void {
  const { socket }: { readonly socket: GuardedSocket } = message
  socket[ownGate]?.begin(message, response)
}

interface Shares {
  take(peerAddress: string | null): TakenShare
}

interface TakenShare {
  readonly share: AddressShare
  readonly release: () => void
}

/** Keeps the share of an address as long as it has a connection. */
function createShares(keyOf: (peerAddress: string | null) => string | null): Shares {
  const shares = new Map<string, { readonly share: AddressShare; connections: number }>()
  return {
    take(peerAddress) {
      const key = keyOf(peerAddress)
      if (key === null) return { share: createAddressShare(), release: () => undefined }
      const own = shares.get(key) ?? { share: createAddressShare(), connections: 0 }
      shares.set(key, own)
      own.connections++
      return {
        share: own.share,
        release() {
          own.connections--
          if (own.connections === 0) shares.delete(key)
        },
      }
    },
  }
}
