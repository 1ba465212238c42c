import { type IncomingMessage, type Server as NodeServer, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

export interface BrokenRequests {
  /** Remembers the response, so that nothing is written into it. */
  watch(request: IncomingMessage, response: ServerResponse): void
}

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Answers what is no request, or one that does not arrive in time or in bounds, as Node.js does, and with the headers of
 * every other reply. The connection ends: where the next request begins is not known.
 */
export function answerBrokenRequests(
  node: NodeServer,
  headers: () => Readonly<Record<string, string>>,
): BrokenRequests {
  // Several of a connection where the client sends requests without waiting for answers.
  const responses = new WeakMap<Duplex, ServerResponse[]>()
  node.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isBegun = responses.get(socket)?.some((one) => one.headersSent && !one.writableFinished) ?? false
    if (!socket.writable || isBegun) return void socket.destroy(error)
    const status = statuses[error.code ?? ''] ?? 400
    // Not before it is written: what is destroyed with it is not sent.
    socket.end(head(status, headers()), () => socket.destroy(error))
  })
  return {
    watch({ socket }, response) {
      const unfinished = responses.get(socket)?.filter((one) => !one.writableFinished) ?? []
      responses.set(socket, [...unfinished, response])
    },
  }
}

function head(status: number, headers: Readonly<Record<string, string>>): string {
  const all = { ...headers, 'Cache-Control': 'no-store', 'Content-Length': '0', Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')
}
