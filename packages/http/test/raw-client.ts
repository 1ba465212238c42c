import { once } from 'node:events'
import { createServer, type Server, type ServerOptions } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createHttpHandler, type HttpRequest, type HttpResponse } from '@latchkey/http'
import { type NodeListenerOptions, toNodeListener } from '@latchkey/http/node'
import { onTestFinished } from 'vitest'

export type Handle = (request: HttpRequest) => Promise<HttpResponse>
type Listener = ReturnType<typeof toNodeListener>

export const ok = (body: string | Uint8Array | null = null): HttpResponse => ({ status: 200, headers: [], body })

/** A server on a free port of the loopback interface that ends with the test. */
export async function serve(listener: Listener, options: ServerOptions = {}): Promise<number> {
  const server: Server = createServer(options, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export function serveHandler(handle: Handle, options?: NodeListenerOptions): Promise<number> {
  return serve(toNodeListener(createHttpHandler(handle), options))
}

/** A connection that sends exactly what it gets, and keeps what it receives. */
export async function open(
  port: number,
  localAddress = '127.0.0.1',
): Promise<{ socket: Socket; heard: () => string; ended: Promise<void> }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  onTestFinished(() => {
    socket.destroy()
  })
  return { socket, heard: () => text, ended }
}

/** Sends the text as it is and returns all that comes back until the server closes the connection. */
export async function exchange(port: number, text: string | Uint8Array): Promise<string> {
  const { socket, heard, ended } = await open(port)
  socket.write(text)
  await ended
  return heard()
}

/** A whole request of HTTP/1.1 after which the server closes the connection. */
export function write(head: readonly string[], body = ''): string {
  return [...head, 'Host: example.com', 'Connection: close', '', body].join('\r\n')
}
