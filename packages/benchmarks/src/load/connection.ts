import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Reply, readReply, readStatus } from './reply.ts'

/** One connection to a server under load: one request at a time, and as little work for each as can be. */
export interface Connection {
  /** Sends a request; `done` is called with the status once all of the reply has come. */
  send(request: Buffer, done: (status: number) => void): void
  /** The same, with the body. */
  ask(request: Buffer): Promise<Reply>
  close(): void
}

/** A request under way. */
interface Exchange {
  readonly request: Buffer
  readonly done: (status: number, bytes: Buffer) => void
  received: Buffer | null
}

/**
 * Opens a connection. A connection that the server has closed since the last reply, as servers do after some seconds,
 * is opened again; a connection closed within a reply exits the process, because the measurement is void.
 *
 * @param client the number of the client. On Linux each client has its own address, because all of 127.0.0.0/8 is local
 */
export async function openConnection(port: number, client = 0): Promise<Connection> {
  const from = process.platform === 'linux' ? { localAddress: `127.0.0.${1 + client}` } : {}
  let exchange: Exchange | null = null
  const open = (): Socket => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true, ...from })
    opened.on('data', (chunk: Buffer) => {
      if (!exchange) return
      const received = exchange.received ? Buffer.concat([exchange.received, chunk]) : chunk
      const status = readStatus(received)
      if (status === null) {
        exchange.received = received
        return
      }
      const { done } = exchange
      exchange = null
      done(status, received)
    })
    opened.on('error', () => {})
    opened.on('close', () => {
      if (!exchange || opened !== socket) return
      if (exchange.received || opened.connecting) throw new Error(`the server at ${port} has closed a connection`)
      socket = open()
      socket.write(exchange.request)
    })
    return opened
  }
  let socket = open()
  await once(socket, 'connect')
  const send = (request: Buffer, done: Exchange['done']): void => {
    exchange = { request, done, received: null }
    if (socket.destroyed) socket = open()
    socket.write(request)
  }
  return {
    send,
    ask: (request) => new Promise((resolve) => send(request, (_status, bytes) => resolve(readReply(bytes)))),
    close: () => socket.destroy(),
  }
}

export interface RequestParts {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns the bytes of a request for the socket. */
export function writeRequest({ method, path, host, headers, body }: RequestParts): Buffer {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}
