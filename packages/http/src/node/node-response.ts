import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import { after } from '@latchkey/core/internal'
import { type HttpResponse, type HttpStream, isBodiless, isStream } from '../http-response.ts'
import type { HeldBytes } from './held-bytes.ts'
import { writeStream } from './node-stream.ts'
import { closeIfUnread } from './unread-body.ts'

/** Headers that are added to the application's queued headers instead of replacing them. */
const added: ReadonlySet<string> = new Set(['set-cookie', 'vary'])

export interface SendOptions {
  /** Is given what a stream throws once its reply is under way. */
  readonly onLost: (error: unknown) => void
  /**
   * A client that takes no byte of a whole response for this time is disconnected, and so is a client that takes it too
   * slowly.
   */
  readonly stallMs: number
  /** Counts what the client has not read. */
  readonly held: HeldBytes
}

/**
 * Writes a response, unless the client has gone or was answered.
 *
 * @throws if the response cannot be sent; its headers are then not queued, and earlier headers of the application still
 * are.
 */
export function sendResponse(
  message: IncomingMessage,
  response: ServerResponse,
  reply: HttpResponse,
  { onLost, stallMs, held }: SendOptions,
): void {
  // Node.js 22 does not destroy replies behind another one when their connection ends, and nothing is heard of them later.
  if (response.destroyed || response.writableEnded || message.socket.destroyed) return
  checkStatus(reply)
  closeIfUnread(message, response)
  const body = isBodiless(reply.status) ? null : (reply.body ?? '')
  const bytes = lengthOf(body)
  writeHeaders(response, reply, bytes)
  if (isStream(body)) return void sendStream(message, response, body).catch(onLost)
  const sent = message.method === 'HEAD' ? null : body
  if (sent === null) response.end()
  else response.end(sent, encodingOf(sent, bytes))
  // The system has all of it.
  if (response.socket?.writableLength === 0) return
  const unsent = sent === null ? 0 : (bytes ?? 0)
  cutOffWhenStalled(response, stallMs, unsent)
  if (unsent > 0) holdUnread(message, response, { bytes: unsent, held })
}

function writeHeaders(response: ServerResponse, { status, headers }: HttpResponse, bytes: number | null): void {
  if (isUntouched(response)) return void response.writeHead(status, rawHeaders(headers, bytes))
  checkHeaders(headers)
  queueHeaders(response, headers)
  if (bytes !== null) response.setHeader('content-length', bytes)
  response.writeHead(status)
}

/** The slowest that a client may read the whole of a reply: 16 kB a second. */
const bytesPerMs = 16

/** Disconnects a client that does not read its response, which would stay in memory at no cost to the client. */
function cutOffWhenStalled(response: ServerResponse, stallMs: number, bytes: number): void {
  const cutOff = (): void => void response.destroy()
  whenQuiet(response, stallMs, cutOff)
  // A client that reads a byte now and then never stalls.
  const longestMs = Math.min(longestTimerMs, stallMs + bytes / bytesPerMs)
  const deadline = after(longestMs, cutOff).unref()
  response.once('close', deadline.stop)
}

/**
 * Calls the work if no byte of a response has left for this time. The timer runs often, because Node.js reports a pause
 * only at the second run.
 */
function whenQuiet(response: ServerResponse, quietMs: number, work: () => void): void {
  const stepMs = Math.min(quietMs, Math.max(shortestStepMs, Math.ceil(quietMs / 20)))
  let quietFrom = 0
  let lastAt = Number.NEGATIVE_INFINITY
  const step = (): void => {
    const at = performance.now()
    // Something has left in between, for Node.js has let one of its steps pass.
    if (at - lastAt >= 2 * stepMs) quietFrom = at - stepMs
    lastAt = at
    if (at - quietFrom >= quietMs) work()
    else response.setTimeout(stepMs)
  }
  response.setTimeout(stepMs, step)
}

const shortestStepMs = 100

const longestTimerMs = 2_147_483_647

interface UnreadBytes {
  readonly bytes: number
  readonly held: HeldBytes
}

function holdUnread(message: IncomingMessage, response: ServerResponse, { bytes, held }: UnreadBytes): void {
  const { socket } = message
  // A reply behind another one of its connection has no socket yet.
  const cutOff = (): void => void (response.socket ? response.destroy() : socket.destroy())
  const { release } = held.hold({ bytes, peerAddress: socket.remoteAddress ?? null, cutOff })
  const ofSocket = releasesOf(socket)
  const end = (): void => {
    release()
    ofSocket.delete(end)
  }
  ofSocket.add(end)
  response.once('close', end)
}

const releases = Symbol('releases')

/**
 * Node.js 20 does not report the loss of queued responses, so the loss of their socket is observed once for all of
 * them.
 */
function releasesOf(given: Socket): Set<() => void> {
  const socket: Socket & { [releases]?: Set<() => void> } = given
  const known = socket[releases]
  if (known) return known
  const own = new Set<() => void>()
  socket[releases] = own
  socket.once('close', () => {
    for (const release of own) release()
  })
  return own
}

function lengthOf(body: HttpResponse['body']): number | null {
  return body === null || isStream(body) ? null : Buffer.byteLength(body)
}

/** A text with as many bytes as characters is ASCII, and needs no encoding. */
function encodingOf({ length }: string | Uint8Array, bytes: number | null): BufferEncoding {
  return length === bytes ? 'latin1' : 'utf8'
}

/** Middleware that replaces `writeHead`, as `on-headers` 1.0 does for sessions and logs, takes no list of raw headers. */
function isUntouched(response: ServerResponse): boolean {
  return response.getHeaderNames().length === 0 && !Object.hasOwn(response, 'writeHead')
}

async function sendStream(message: IncomingMessage, response: ServerResponse, stream: HttpStream): Promise<void> {
  if (message.method !== 'HEAD') return writeStream(response, stream)
  response.end()
  await stream[Symbol.asyncIterator]().return?.()
}

function checkStatus({ status }: HttpResponse): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError('"status" must be from 200 to 599')
}

/** All of them before the first is queued. */
function checkHeaders(headers: HttpResponse['headers']): void {
  for (const [name, value] of headers) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
}

/** Returns the headers for one call of `writeHead`, which checks them at half the cost. It would replace earlier headers. */
function rawHeaders(headers: HttpResponse['headers'], bytes: number | null): string[] {
  const raw: string[] = []
  for (const [name, value] of headers) if (!isContentLength(name)) raw.push(name, value)
  if (bytes !== null) raw.push('content-length', String(bytes))
  return raw
}

function isContentLength(name: string): boolean {
  return name.length === 14 && name.toLowerCase() === 'content-length'
}

function queueHeaders(response: ServerResponse, headers: HttpResponse['headers']): void {
  const seen = new Set(added)
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (key === 'content-length') continue
    if (seen.has(key)) response.appendHeader(name, value)
    else response.setHeader(name, value)
    seen.add(key)
  }
}
