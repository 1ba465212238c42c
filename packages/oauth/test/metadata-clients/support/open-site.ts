import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface Site {
  readonly port: number
  /** The id of the document at this site, by the exception for development. */
  readonly id: string
  /** The requests that arrived, as texts. */
  readonly requests: readonly string[]
  /** How many connections were opened, and how many of them are open. */
  readonly connections: { opened: number; open: number }
  /** Answers requests from now on. */
  answer(answer: Answer): void
  close(): Promise<void>
}

/** Bytes to send before the connection is closed, or what writes them. */
export type Answer = string | Uint8Array | ((socket: Socket) => void)

/** Opens a site on 127.0.0.1 that sends any bytes. `tls`: over TLS. `refusesTls`: it answers a handshake in plain text. */
export async function openSite(options: { readonly tls?: TlsOptions; readonly refusesTls?: true } = {}): Promise<Site> {
  const requests: string[] = []
  const connections = { opened: 0, open: 0 }
  const sockets = new Set<Socket>()
  let current: Answer = ''
  const serve = (socket: Socket): void => {
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (options.refusesTls && !text.startsWith('GET ')) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      if (!text.endsWith('\r\n\r\n')) return
      requests.push(text)
      text = ''
      if (typeof current === 'function') current(socket)
      else socket.end(current)
    })
  }
  const server: Server = options.tls ? createTlsServer(options.tls, serve) : createServer(serve)
  server.on('connection', (socket: Socket) => {
    connections.opened++
    connections.open++
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      connections.open--
      sockets.delete(socket)
    })
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    id: `http://127.0.0.1:${port}/client.json`,
    requests,
    connections,
    answer(answer) {
      current = answer
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An answer of HTTP/1.1: `headers` replaces those of a good one, `null` leaves one out. */
export function http(
  body: string | Uint8Array,
  {
    status = '200 OK',
    headers = {},
  }: { readonly status?: string; readonly headers?: Readonly<Record<string, string | null>> } = {},
): Uint8Array {
  const bytes = Buffer.from(body)
  const all = { 'Content-Type': 'application/json', 'Content-Length': `${bytes.length}`, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]))
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}

/** A document of the least that a client must say, and what is given. */
export function documentOf(id: string, members: Readonly<Record<string, unknown>> = {}): string {
  const document = {
    client_id: id,
    client_name: 'Notes',
    redirect_uris: ['https://notes.example/callback'],
    ...members,
  }
  return JSON.stringify(document)
}
