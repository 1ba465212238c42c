import { after } from '@latchkey/core/internal'
import type { PgClient } from './postgres-pool.ts'

/** How long the server may take to acknowledge a cancel request: with TLS that is four round trips, and two handshakes to compute. */
const acknowledgedMs = 1000

interface Socket {
  write(data: Uint8Array): void
  on(event: 'error' | 'close' | 'secureConnect', listener: () => void): void
  once(event: 'data', listener: () => void): void
  destroy(): void
}
interface Net {
  connect(place: { readonly host: string; readonly port: number } | { readonly path: string }): Socket
  isIP(host: string): number
}
interface Tls {
  connect(options: object): Socket
}

declare const process:
  | { getBuiltinModule?<Id extends string>(id: Id): (Id extends 'node:tls' ? Tls : Net) | undefined }
  | undefined

/**
 * Asks the server to cancel the statement of a connection, which may wait for a lock: a time limit of the connection would
 * apply to other clients of a pooler. The request uses TLS if the connection does. Resolves when the server or the pooler has
 * acknowledged the request, or soon without an acknowledgement. The connection stays open until then: a pooler forgets the key
 * of a closed connection.
 *
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export async function cancelStatement(client: PgClient): Promise<void> {
  const net = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:net')
  const place = placeOf(client)
  const request = writeRequest(client)
  if (!net || !place || !request) return
  const socket = net.connect(place)
  const patience = after(acknowledgedMs, () => socket.destroy())
  socket.on('error', () => {})
  if (client.connection?.stream?.encrypted) writeOverTls(client, { socket, net, request })
  else socket.write(request)
  await new Promise<void>((resolve) => socket.on('close', resolve))
  patience.stop()
}

/** The other end of its socket: the name of the host may lead elsewhere by now. */
function placeOf({ host, port, connection }: PgClient): Parameters<Net['connect']>[0] | null {
  if (host?.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` }
  const { remoteAddress, remotePort } = connection?.stream ?? {}
  return remoteAddress && remotePort ? { host: remoteAddress, port: remotePort } : null
}

interface Request {
  readonly socket: Socket
  readonly net: Net
  readonly request: Uint8Array
}

const sslRequest = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47])

/** With the options of the connection, as `pg` uses them. */
function writeOverTls({ host = '', connection }: PgClient, { socket, net, request }: Request): void {
  const { ssl, sslNegotiation } = connection ?? {}
  const isDirect = sslNegotiation === 'direct'
  const secure = (): void => {
    const tls = process?.getBuiltinModule?.('node:tls')
    const options = {
      ...{ socket, host },
      ...(typeof ssl === 'object' && ssl),
      ...(isDirect && { ALPNProtocols: ['postgresql'] }),
      ...(net.isIP(host) === 0 && { servername: host }),
    }
    const encrypted = tls?.connect(options)
    encrypted?.on('error', () => socket.destroy())
    encrypted?.on('secureConnect', () => encrypted.write(request))
  }
  if (isDirect) secure()
  else {
    socket.write(sslRequest)
    // To a server that refuses, the handshake fails.
    socket.once('data', secure)
  }
}

function writeRequest({ processID, secretKey }: PgClient): Uint8Array | null {
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return null
  const request = new DataView(new ArrayBuffer(16))
  for (const [place, number] of [16, 80_877_102, processID, secretKey].entries()) request.setInt32(place * 4, number)
  return new Uint8Array(request.buffer)
}
