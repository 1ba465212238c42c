import { type IncomingMessage, type Server as NodeServer, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { createOneATurn } from '@latchkey/core/internal'

export interface BrokenRequests {
  /**
   * Registers a response, so that no other answer is written into it. Returns `false` if the request was broken and is
   * answered.
   */
  take(request: IncomingMessage, response: ServerResponse): boolean
}

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Answers malformed, late and oversized requests as Node.js does, but with the headers of every other response. The
 * connection is closed, because the start of the next request is unknown. Each turn of the event loop answers one, so
 * that other requests are not delayed by many closed connections.
 *
 * The server must be created with `requireHostHeader: false`, because Node.js has no event for a request without a
 * host.
 */
export function answerBrokenRequests(
  node: NodeServer,
  headers: () => Readonly<Record<string, string>>,
): BrokenRequests {
  // A connection has several responses if the client pipelines requests.
  // Properties, because entries of a weak map survive the next garbage collections.
  const own = Symbol('responses')
  const awaited = Symbol('awaited')
  type Watched = Duplex & { [own]?: readonly ServerResponse[]; [awaited]?: true }
  const of = (socket: Duplex): Watched => socket
  const place = createOneATurn()
  const answer = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    delete of(socket)[awaited]
    const isBegun = of(socket)[own]?.some((one) => one.headersSent && !one.writableFinished) ?? false
    if (!socket.writable || isBegun) return void socket.destroy(error)
    const status = statuses[error.code ?? ''] ?? 400
    // Destroyed once it is written, because destroying discards pending data.
    socket.end(head(status, headers()), () => socket.destroy(error))
  }
  node.on('clientError', (error, socket) => {
    // What follows on the same connection is as broken.
    if (of(socket)[awaited]) return
    const turn = place()
    if (!turn) return answer(error, socket)
    of(socket)[awaited] = true
    void turn.then(() => answer(error, socket))
  })
  function watch({ socket }: IncomingMessage, response: ServerResponse): void {
    const unfinished = of(socket)[own]?.filter((one) => !one.writableFinished) ?? []
    of(socket)[own] = [...unfinished, response]
  }
  const refuse = (response: ServerResponse, status: number): void =>
    void response.writeHead(status, allHeaders(headers())).end()
  node.on('checkExpectation', (request, response) => {
    watch(request, response)
    refuse(response, 417)
  })
  return {
    take(request, response) {
      watch(request, response)
      // RFC 9112 §3.2: even for routes that accept any host.
      const isBroken = request.httpVersion === '1.1' && request.headers.host === undefined
      if (isBroken) refuse(response, 400)
      return !isBroken
    },
  }
}

function allHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...headers, 'Cache-Control': 'no-store', 'Content-Length': '0', Connection: 'close' }
}

function head(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(allHeaders(headers)).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')
}
