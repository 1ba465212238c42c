import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after } from '@latchkey/time'
import { readRawHeader } from '../../raw-header.ts'
import type { AddressShare } from './address-share.ts'
import { createHeadEnds, type HeadEnds } from './head-ends.ts'

/** Stands between a socket and its HTTP parser. */
export interface ConnectionGate {
  /** Takes what has arrived. */
  receive(bytes: Buffer): void
  /** Whether something has arrived that was not parsed: the socket must not be read. */
  holds(): boolean
  /** Is told of each request that was parsed, the one under way first. */
  begin(message: IncomingMessage, response: ServerResponse): void
  /** Forgets what waits. */
  close(): void
}

export interface GateParts {
  readonly socket: Socket
  /** The parser of Node.js. */
  readonly parse: (bytes: Buffer) => void
  readonly share: AddressShare
  /** The connection is no longer HTTP, or cannot go on. */
  readonly leave: () => void
}

interface GateState extends GateParts {
  readonly ends: HeadEnds
  /** What has arrived and was not parsed. */
  held: Buffer | null
  /** What of it the address is charged with. */
  chargedBytes: number
  isWaiting: boolean
  isParsing: boolean
  isRejected: boolean
  exchange: Exchange | null
}

/** A request and its response. */
interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** What is left of a body of a declared length, 0 for chunks; `null`: not looked up yet. */
  bodyLeft: number | null
}

/** A body in chunks is parsed in pieces of so many bytes: each chunk costs, however small it is. */
const pieceBytes = 1_024
/** What a request costs after it was parsed, if it has not waited for the response before it. */
const pipelinedMs = 0.25

/**
 * Lets one request of a connection at a time through to the parser (RFC 9112 §9.3.2): the next one waits for the response and
 * for a turn of its address, and meanwhile the socket is not read.
 */
export function createConnectionGate(parts: GateParts): ConnectionGate {
  const state: GateState = {
    ...parts,
    ends: createHeadEnds(),
    held: null,
    chargedBytes: 0,
    isWaiting: false,
    isParsing: false,
    isRejected: false,
    exchange: null,
  }
  return {
    receive: (bytes) => receive(state, bytes),
    holds: () => state.held !== null,
    begin(message, response) {
      // How much of the body of a request under way has been parsed is not known.
      state.exchange = { message, response, bodyLeft: state.isParsing ? null : 0 }
    },
    close() {
      state.held = null
      charge(state)
    },
  }
}

function receive(state: GateState, bytes: Buffer): void {
  if (state.isRejected) return
  if (state.held === null && state.share.hasTime()) {
    state.held = bytes
    proceed(state)
    return
  }
  state.held = state.held === null ? bytes : Buffer.concat([state.held, bytes])
  wait(state)
}

/** Parses a piece, and the body that follows a head as long as there is time. */
function proceed(state: GateState): void {
  do {
    if (obstacleOf(state)) break
    parsePiece(state)
  } while (state.held !== null && hasUnfinishedBody(state) && state.share.hasTime())
  if (state.held !== null) wait(state)
  else if (state.chargedBytes > 0) {
    charge(state)
    state.socket.resume()
  }
}

/** How often a body that the application does not read is looked at. */
const unreadBodyMs = 10

/** Returns what must happen before anything else is parsed. */
function obstacleOf(state: GateState): ((work: () => void) => void) | null {
  const { socket, exchange } = state
  if (hasUnfinishedBody(state))
    return hasUnreadChunks(exchange) ? (work) => void after(unreadBodyMs, work).unref() : null
  if (exchange && !exchange.response.closed) return (work) => exchange.response.once('close', work)
  // Node.js asserts that it has not paused the socket, which it does when a request comes and responses are not read.
  if (socket.writableNeedDrain) return (work) => socket.once('drain', work)
  return null
}

function hasUnfinishedBody({ exchange }: GateState): boolean {
  return exchange !== null && !exchange.message.complete
}

/** Node.js keeps each chunk as an object, and counts its bytes only. */
function hasUnreadChunks(exchange: Exchange | null): boolean {
  return exchange !== null && exchange.bodyLeft === 0 && exchange.message.readableLength > 0
}

function parsePiece(state: GateState): void {
  const { held, socket, share, parse } = state
  if (held === null) return
  const length = pieceLength(state, held)
  state.held = length < held.length ? held.subarray(length) : null
  const from = performance.now()
  state.isParsing = true
  parse(length < held.length ? held.subarray(0, length) : held)
  state.isParsing = false
  share.spend(performance.now() - from)
  if (socket.destroyed || socket.writableEnded) state.held = null
  else if (!isParsed(socket)) handOver(state)
}

/** Node.js takes its parser from a socket whose protocol has changed. */
function isParsed(socket: Socket & { readonly parser?: unknown }): boolean {
  return socket.parser !== null
}

function handOver(state: GateState): void {
  const { socket, held, leave } = state
  state.held = null
  charge(state)
  leave()
  if (held !== null) socket.unshift(held)
  // Its new owner has asked for data, and has not paused it.
  if (socket.readableFlowing === null && socket.listenerCount('data') > 0) socket.resume()
}

function pieceLength({ exchange, ends }: GateState, held: Buffer): number {
  if (exchange === null || exchange.message.complete) return ends.next(held, held.length)
  exchange.bodyLeft ??= Number(readRawHeader(exchange.message.rawHeaders, 'content-length') ?? 0)
  if (!(exchange.bodyLeft > 0)) return ends.next(held, pieceBytes)
  const length = Math.min(exchange.bodyLeft, held.length)
  exchange.bodyLeft -= length
  return length
}

/** Reads nothing more of the socket until what has arrived was parsed. */
function wait(state: GateState): void {
  const { socket, share } = state
  socket.pause()
  if (!charge(state)) {
    reject(state)
    return
  }
  if (state.isWaiting) return
  state.isWaiting = true
  const proceedInTurn = (): void => {
    state.isWaiting = false
    if (state.held === null) return
    if (!hasUnfinishedBody(state)) share.spend(pipelinedMs)
    proceed(state)
  }
  const obstacle = obstacleOf(state)
  if (obstacle) obstacle(() => share.wait(proceedInTurn))
  else share.wait(proceedInTurn)
}

/** Charges the address with what waits. False if it holds too much. */
function charge(state: GateState): boolean {
  const bytes = state.held?.length ?? 0
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

function reject(state: GateState): void {
  const { socket, exchange } = state
  state.isRejected = true
  state.held = null
  charge(state)
  const end = (): void => {
    if (socket.writable) socket.end(tooManyRequests, () => socket.destroy())
  }
  if (hasUnfinishedBody(state)) socket.destroy()
  else if (exchange && !exchange.response.closed) exchange.response.once('close', end)
  else end()
}
