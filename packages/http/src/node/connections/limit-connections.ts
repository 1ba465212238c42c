import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { checkOptionNames } from '@latchkey/core/internal'
import { createAddressReader } from '../../addresses/address-reader.ts'
import { connectionKey } from '../../addresses/connection-key.ts'
import { createGuardedAddresses } from './guarded-addresses.ts'
import { type WatchedConnection, watchConnection } from './watched-connection.ts'

/**
 * Limits the parsing for each address, so that a flood of cheap requests does not delay other clients. Call it once, before the
 * server has connections.
 *
 * Node.js parses a connection as always until its address pipelines requests or sends a body in chunks. Then, for ten minutes and
 * as long as it has connections, they are guarded:
 *
 * - A connection has one request at a time (RFC 9112 §9.3.2). A pipelined request waits until the response before it was sent, and
 *   the socket is not read meanwhile.
 * - In each turn of the event loop an address has half a millisecond for parsing. The rest waits for the next turn.
 * - An address has at most 8 MB that wait. A connection that would add more is closed, with 429 if no response is under way.
 *
 * In the first burst of an address a connection is closed if more than 16 of its requests wait for their response.
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
export function limitConnections(
  server: Server,
  options: {
    /**
     * Addresses or ranges of the proxies in front of this server. Many clients share their connections, so each connection is
     * limited separately. @default []
     */
    readonly trustedProxies?: readonly string[]
  } = {},
): void {
  const { trustedProxies = [] } = checkOptionNames('limitConnections', options, { trustedProxies: true })
  const reader = createAddressReader({ trustedProxies })
  const addresses = createGuardedAddresses()
  subscribeOnce()
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: WatchedSocket) => {
    const findAddress = () => addresses.find(connectionKey(reader, socket.remoteAddress ?? null))
    const connection = watchConnection(socket, findAddress)
    if (connection) socket[watched] = connection
  })
}

const watched = Symbol('watched')

interface WatchedSocket extends Socket {
  [watched]?: WatchedConnection
}

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: WatchedSocket
}

const begin = (started: unknown): void => {
  const { request, response, socket } = started as Started
  socket[watched]?.begin(request, response)
}

/** The event `request` misses requests to which Node.js responds alone, for example with an unknown `Expect`. */
function subscribeOnce(): void {
  unsubscribe('http.server.request.start', begin)
  subscribe('http.server.request.start', begin)
}
