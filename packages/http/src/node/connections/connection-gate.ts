import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, afterTurn } from '@latchkey/time'
import { readRawHeader } from '../../raw-header.ts'
import type { AddressShare } from './address-share.ts'
import { createHeadEnds, type HeadEnds } from './head-ends.ts'

/** Stands between a socket and its HTTP parser. */
export interface ConnectionGate {
  /** Is told of each request that was parsed, the one under way first. */
  begin(message: IncomingMessage, response: ServerResponse): void
  /** Is told that the socket has closed. */
  close(): void
}

export interface GateParts {
  readonly socket: Socket
  /** The parser of Node.js. */
  readonly parse: (bytes: Buffer) => void
  readonly share: AddressShare
  /** The connection is no longer HTTP. */
  readonly onLeave: () => void
}

interface GateState extends GateParts {
  readonly ends: HeadEnds
  readonly onReadable: () => void
  /** What the address is charged with for the bytes of the socket that wait. */
  chargedBytes: number
  isWaiting: boolean
  isParsing: boolean
  exchange: Exchange | null
}

/** A request and its response. */
interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** What is left of a body of a declared length, 0 for chunks; `null`: not looked up yet. */
  bodyLeft: number | null
  /** What was parsed of the body since the application had read all of it. */
  unreadBytes: number
}

/** So much is looked at to find the end of a head. */
const headBytes = 4_096
/** So much of a body in chunks is parsed at once: each chunk costs, however small it is. */
const chunksBytes = 1_024
/** Node.js keeps each chunk that the application has not read as an object. */
const unreadBytesAtMost = 8_192
/** What a request costs after it was parsed, if it has not waited for the response before it. */
const pipelinedMs = 0.25
/** A socket buffers so much at most: Node.js reads 64 kB at a time, and once more below that. */
const bufferedBytes = 131_072

/**
 * Lets one request of a connection at a time through to the parser (RFC 9112 §9.3.2): the next one waits for the response and
 * for a turn of its address. What waits stays in the buffer of the socket, which Node.js reads on when there is room.
 */
export function createConnectionGate(parts: GateParts): ConnectionGate {
  const { socket } = parts
  const onReadable = (): void => {
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
  return {
    begin(message, response) {
      // How much of the body of a request under way has been parsed is not known.
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
    // It emits the end of the socket after the last of its bytes only.
    socket.read()
  }
}

/** Returns some of what has arrived, which is not copied. */
function take({ socket, exchange }: GateState): Buffer | null {
  const isHead = exchange === null || exchange.message.complete
  if (!isHead) exchange.bodyLeft ??= Number(readRawHeader(exchange.message.rawHeaders, 'content-length') ?? 0)
  const most = isHead ? headBytes : exchange.bodyLeft || chunksBytes
  return socket.read(Math.min(most, socket.readableLength))
}

/** Puts back what stands after the end of a head or of a chunked body. */
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

/** Node.js takes its parser from a socket that has closed or whose protocol has changed, and gives it to another one. */
export function isParsed(socket: Socket & { readonly parser?: unknown }): boolean {
  return socket.parser !== null
}

function leave(state: GateState): void {
  state.socket.off('readable', state.onReadable)
  charge(state, 0)
  state.onLeave()
}

type Await = (work: () => void) => void

/** How often it is looked whether the application or the client has read, of which there is no event. */
const lookMs = 10
const awaitReading: Await = (work) => void after(lookMs, work).unref()

/** Returns what must happen before anything else is parsed. */
function obstacleOf({ socket, exchange }: GateState): Await | null {
  if (isPausedByNode(socket)) return awaitReading
  if (exchange && !exchange.message.complete) return awaitBody(exchange)
  if (exchange && !exchange.response.closed) return (work) => exchange.response.once('close', work)
  if (socket.writableNeedDrain) return (work) => socket.once('drain', work)
  return null
}

/** It does so while responses are not read, and asserts that it is given nothing then. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true
}

/** Most applications read what has arrived in the same turn of the event loop, or in the next one. */
function awaitBody(exchange: Exchange): Await | null {
  const { message } = exchange
  if (message.readableLength === 0) exchange.unreadBytes = 0
  if (exchange.unreadBytes < unreadBytesAtMost) return null
  return (work) => {
    afterTurn(() => {
      if (message.readableLength === 0) work()
      else awaitReading(work)
    })
  }
}

/** Lets the socket wait with what has arrived. */
function wait(state: GateState): void {
  const { socket, share } = state
  if (state.isWaiting || isOver(socket)) return
  const obstacle = obstacleOf(state)
  // What arrives while it waits for others than its address is not heard of.
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

/** Charges the address with what waits. False if it holds too much. */
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

/** A response that is under way leaves no place for another one. */
function reject(state: GateState): void {
  const { socket, exchange } = state
  const isAnswering = exchange !== null && !(exchange.message.complete && exchange.response.closed)
  socket.off('readable', state.onReadable)
  if (isAnswering || !socket.writable) socket.destroy()
  else socket.end(tooManyRequests, () => socket.destroy())
}
