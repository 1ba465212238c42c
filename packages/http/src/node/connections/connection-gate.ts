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

/** A body in chunks is parsed in pieces of so many bytes: each chunk costs, however small it is. */
const pieceBytes = 1_024
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
    close: () => void charge(state, 0),
  }
}

/** Parses a piece, and the body that follows a head as long as there is time. */
function proceed(state: GateState): void {
  const { socket, share } = state
  if (obstacleOf(state)) return wait(state)
  let bytes: Buffer | null = socket.read()
  if (bytes === null) return void charge(state, 0)
  do bytes = parsePiece(state, bytes)
  while (bytes !== null && hasUnfinishedBody(state) && !obstacleOf(state) && share.hasTime())
  if (bytes !== null && !isOver(socket)) socket.unshift(bytes)
  if (!isParsed(socket)) leave(state)
  else if (bytes === null) charge(state, 0)
  else wait(state)
}

/** Returns what is left. */
function parsePiece(state: GateState, bytes: Buffer): Buffer | null {
  const { share, parse } = state
  const length = pieceLength(state, bytes)
  const from = performance.now()
  state.isParsing = true
  try {
    parse(length < bytes.length ? bytes.subarray(0, length) : bytes)
  } finally {
    state.isParsing = false
    share.spend(performance.now() - from)
  }
  return length < bytes.length ? bytes.subarray(length) : null
}

function pieceLength({ exchange, ends }: GateState, bytes: Buffer): number {
  if (exchange === null || exchange.message.complete) return ends.next(bytes, bytes.length)
  exchange.bodyLeft ??= Number(readRawHeader(exchange.message.rawHeaders, 'content-length') ?? 0)
  const length = exchange.bodyLeft > 0 ? Math.min(exchange.bodyLeft, bytes.length) : ends.next(bytes, pieceBytes)
  exchange.bodyLeft = Math.max(0, exchange.bodyLeft - length)
  exchange.unreadBytes += length
  return length
}

function hasUnfinishedBody({ exchange }: GateState): boolean {
  return exchange !== null && !exchange.message.complete
}

function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded
}

/** Node.js takes its parser from a socket whose protocol has changed. */
function isParsed(socket: Socket & { readonly parser?: unknown }): boolean {
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
  return (work) => afterTurn(() => (message.readableLength === 0 ? work() : awaitReading(work)))
}

/** Lets the socket wait with what has arrived. */
function wait(state: GateState): void {
  const { socket, share } = state
  if (state.isWaiting || isOver(socket)) return
  const obstacle = obstacleOf(state)
  // What arrives while it waits for others than its address is not heard of.
  if (!charge(state, obstacle ? bufferedBytes : socket.readableLength)) return reject(state)
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
