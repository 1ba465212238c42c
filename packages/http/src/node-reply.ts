import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import { type HttpReply, isBodiless } from './http-reply.ts'

/** Sent beside what the application has queued on the response before, not in its place. */
const added: ReadonlySet<string> = new Set(['set-cookie', 'vary'])

/**
 * Writes a reply, unless the client has gone or has its answer.
 *
 * @throws when the reply cannot be sent; then nothing of it is queued, and what the application queued before still is.
 */
export function sendReply(message: IncomingMessage, response: ServerResponse, reply: HttpReply): void {
  if (response.destroyed || response.writableEnded) return
  checkReply(reply)
  queueHeaders(response, reply.headers)
  const body = isBodiless(reply.status) ? null : (reply.body ?? '')
  if (body !== null) response.setHeader('content-length', Buffer.byteLength(body))
  response.writeHead(reply.status)
  if (body === null || message.method === 'HEAD') response.end()
  else response.end(body)
}

function checkReply({ status, headers }: HttpReply): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError('"status" must be from 200 to 599')
  for (const [name, value] of headers) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
}

function queueHeaders(response: ServerResponse, headers: HttpReply['headers']): void {
  const seen = new Set(added)
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (key === 'content-length') continue
    if (seen.has(key)) response.appendHeader(name, value)
    else response.setHeader(name, value)
    seen.add(key)
  }
}
