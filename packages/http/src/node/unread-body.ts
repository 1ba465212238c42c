import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRawHeader } from '../headers/raw-header.ts'

/** The rest of the body would precede the next request on this connection, so the connection is closed. */
export function closeAfterResponse(message: IncomingMessage, response: ServerResponse): void {
  if (message.httpVersionMajor === 1 && !response.headersSent) response.setHeader('connection', 'close')
}

/** A body up to this is read and thrown away, so that its client reads the reply and keeps its connection. */
const readAtMost = 100_000

/**
 * Lets the reply end the connection where more of the body is to come than is thrown away: Node.js would read all of it, and all
 * other clients would wait. A new connection counts for its address, as a body that is read does.
 */
export function closeIfUnread(message: IncomingMessage, response: ServerResponse): void {
  if (message.complete) return
  // RFC 9112 §6.3: without either of these there is no body.
  const isChunked = readRawHeader(message.rawHeaders, 'transfer-encoding') !== null
  const declared = Number(readRawHeader(message.rawHeaders, 'content-length'))
  if (isChunked || declared > readAtMost) closeAfterResponse(message, response)
}
