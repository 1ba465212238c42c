import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, afterTurn } from '@latchkey/core/internal'
import { readRawHeader } from '../../headers/raw-header.ts'
import type { AddressShare } from './address-share.ts'
import { createHeadEnds, type HeadEnds } from './head-ends.ts'

/** Stands between a socket and its HTTP parser. */
export interface ConnectionGate {
  /** Takes each request after its head was parsed, beginning with the current request. */
  begin(message: IncomingMessage, response: ServerResponse): void
  /** Releases the bytes of a closed socket. */
  close(): void
}

export interface GateParts {
  readonly socket: Socket
  /** The parser of Node.js. */
  readonly parse: (bytes: Buffer) => void
  readonly share: AddressShare
  /** Called when the connection has left HTTP. */
  readonly onLeave: () => void
}

interface GateState extends GateParts {
  readonly ends: HeadEnds
  readonly onReadable: () => void
  /** The waiting bytes of the socket that count for its address. */
  chargedBytes: number
  isWaiting: boolean
  isParsing: boolean
  exchange: Exchange | null
}

/** A request and its response. */
interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The bytes left of a body with a `Content-Length`, 0 for chunks, `null` before the header was read. */
  bodyLeft: number | null
  /** The bytes parsed since the application last had read the whole body so far. */
  unreadBytes: number
}

/** The most bytes that are searched at once for the end of a head. */
const headBytes = 4_096
/** The most bytes of a chunked body that are parsed at once: tiny chunks cost much. */
const chunksBytes = 1_024
/** Node.js keeps each chunk that the application has not read as an object. */
const unreadBytesAtMost = 8_192
/** The time that a waiting request counts for besides its parsing. */
const pipelinedMs = 0.25
/** The largest buffer of a socket: Node.js reads 64 kB at a time, while the buffer has less. */
const bufferedBytes = 131_072

/**
 * Passes one request of a connection at a time to the parser (RFC 9112 §9.3.2): the next request waits for the response and
 * for a turn of its address. Waiting bytes stay in the buffer of the socket, and Node.js stops reading when the buffer is full.
 */
export function createConnectionGate(parts: GateParts): ConnectionGate {
  const { socket } = parts
  const onReadable = (): void => {
    if (state.isWaiting && isAbandoned(state)) socket.destroy()
    if (state.isWaiting || state.isParsing) return
    if (state.share.hasTime()) proceed(state)
    else wait(state)
  }
  const state: GateState = {
    ...parts,
    ends: createHeadEnds(),
    onReadable,
    chargedBytes: 0,
    isWaiting: false,
    isParsing: false,
    exchange: null,
  }
  socket.on('readable', onReadable)
  // A socket that Node.js has paused is not read on by a listener.
  socket._read(0)
  return {
    begin(message, response) {
      // The parsed length of a current body is unknown.
      state.exchange = { message, response, bodyLeft: state.isParsing ? null : 0, unreadBytes: 0 }
    },
    close() {
      charge(state, 0)
    },
  }
}

/** Parses a piece, and the body that follows a head as long as there is time. */
function proceed(state: GateState): void {
  const { socket, share } = state
  while (isParsed(socket) && !obstacleOf(state)) {
    const bytes = take(state)
    if (bytes === null) break
    parsePiece(state, bytes)
    if (!hasUnfinishedBody(state) || !share.hasTime()) break
  }
  if (!isParsed(socket)) leave(state)
  else if (socket.readableLength > 0) wait(state)
  else {
    charge(state, 0)
    // Only a read of the empty buffer emits `end`.
    socket.read()
  }
}

/** Returns the next bytes of the socket, usually without a copy. */
function take({ socket, exchange }: GateState): Buffer | null {
  const isHead = exchange === null || exchange.message.complete
  if (!isHead) exchange.bodyLeft ??= Number(readRawHeader(exchange.message.rawHeaders, 'content-length') ?? 0)
  const most = isHead ? headBytes : exchange.bodyLeft || chunksBytes
  return socket.read(Math.min(most, socket.readableLength))
}

/** Puts the bytes after a head or a chunked body back into the buffer. */
function parsePiece(state: GateState, bytes: Buffer): void {
  const { socket, share, parse } = state
  const length = pieceLength(state, bytes)
  const from = performance.now()
  state.isParsing = true
  try {
    parse(bytes.subarray(0, length))
  } finally {
    state.isParsing = false
    share.spend(performance.now() - from)
  }
  if (length < bytes.length && !isOver(socket)) socket.unshift(bytes.subarray(length))
}

function pieceLength({ exchange, ends }: GateState, bytes: Buffer): number {
  if (exchange === null || exchange.message.complete) return ends.next(bytes)
  const length = exchange.bodyLeft ? bytes.length : ends.next(bytes)
  exchange.bodyLeft = Math.max(0, (exchange.bodyLeft ?? 0) - length)
  exchange.unreadBytes += length
  return length
}

function hasUnfinishedBody({ exchange }: GateState): boolean {
  return exchange !== null && !exchange.message.complete
}

function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded
}

/** Node.js takes the parser from a closed or upgraded socket, and may give it to another connection. */
export function isParsed(socket: Socket & { readonly parser?: unknown }): boolean {
  return socket.parser !== null
}

function leave(state: GateState): void {
  state.socket.off('readable', state.onReadable)
  charge(state, 0)
  state.onLeave()
}

/** Returns whether the client has closed its side before the response: Node.js then closes the connection too. */
function isAbandoned({ socket, exchange }: GateState): boolean {
  const { _readableState: reading } = socket as Socket & { readonly _readableState?: { readonly ended: boolean } }
  const isAwaited = exchange?.message.complete === true && !exchange.response.writableEnded
  return isAwaited && reading?.ended === true && !allowsHalfOpen(exchange.message.socket)
}

function allowsHalfOpen(socket: Socket & { readonly server?: { readonly httpAllowHalfOpen?: boolean } }): boolean {
  return socket.server?.httpAllowHalfOpen === true
}

type Await = (work: () => void) => void

/** The interval of checks for a read: there is no event for it. */
const lookMs = 10
const awaitReading: Await = (work) => void after(lookMs, work).unref()

/** Returns a function that waits for the next parsing to be allowed, or `null` if it is. */
function obstacleOf({ socket, exchange }: GateState): Await | null {
  if (isPausedByNode(socket)) return awaitReading
  if (exchange && !exchange.message.complete) return awaitBody(exchange)
  if (exchange && !exchange.response.closed) return (work) => exchange.response.once('close', work)
  if (socket.writableNeedDrain) return (work) => socket.once('drain', work)
  return null
}

/** Node.js pauses a socket with unread responses, and its parser then throws on input. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true
}

/** Most applications read a chunk in the same turn of the event loop or in the next turn. */
function awaitBody(exchange: Exchange): Await | null {
  const { message } = exchange
  if (message.readableLength === 0) exchange.unreadBytes = 0
  if (exchange.unreadBytes < unreadBytesAtMost || waitsForMore(message)) return null
  return (work) => {
    afterTurn(() => {
      if (message.readableLength === 0) work()
      else awaitReading(work)
    })
  }
}

/** Whether the application may leave bytes in the buffer until there are enough for its next read. */
function waitsForMore(message: IncomingMessage): boolean {
  return message.listenerCount('readable') > 0 && message.readableLength < message.readableHighWaterMark
}

/** Keeps the bytes of the socket for a later turn. */
function wait(state: GateState): void {
  const { socket, share } = state
  if (state.isWaiting || isOver(socket)) return
  const obstacle = obstacleOf(state)
  if (obstacle && isAbandoned(state)) {
    socket.destroy()
    return
  }
  // Bytes that arrive while it waits cause no event.
  if (!charge(state, obstacle ? bufferedBytes : socket.readableLength)) {
    reject(state)
    return
  }
  state.isWaiting = true
  const proceedInTurn = (): void => {
    state.isWaiting = false
    if (isOver(socket)) return
    if (!hasUnfinishedBody(state)) share.spend(pipelinedMs)
    proceed(state)
  }
  if (obstacle) obstacle(() => share.wait(proceedInTurn))
  else share.wait(proceedInTurn)
}

/** Sets the waiting bytes of the connection. False if the address holds too many. */
function charge(state: GateState, bytes: number): boolean {
  const isWithin = state.share.hold(bytes - state.chargedBytes)
  state.chargedBytes = bytes
  return isWithin
}

const tooManyRequests = [
  'HTTP/1.1 429 Too Many Requests',
  'Retry-After: 1',
  'Cache-Control: no-store',
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n')

/** A current response leaves no place for a 429. */
function reject(state: GateState): void {
  const { socket, exchange } = state
  const isAnswering = exchange !== null && !(exchange.message.complete && exchange.response.closed)
  socket.off('readable', state.onReadable)
  if (isAnswering || !socket.writable) socket.destroy()
  else socket.end(tooManyRequests, () => socket.destroy())
}
