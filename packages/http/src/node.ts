import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkOptionNames, createTickBatcher } from '@latchkey/core/internal'
import { type AddressReader, createAddressReader } from './addresses/address-reader.ts'
import { reportFailure, responseToFailure } from './failure.ts'
import type { HttpHandler } from './fetch/http-handler.ts'
import { noHeaders } from './headers/http-headers.ts'
import { wasCutOff } from './node/connections/watched-connection.ts'
import { createHeldBytes, type HeldBytes } from './node/held-bytes.ts'
import { toHttpRequest } from './node/node-request.ts'
import { sendResponse } from './node/node-response.ts'

export { limitConnections } from './node/connections/limit-connections.ts'
export { fromNodeRequest } from './node/node-request.ts'

export interface NodeListenerOptions {
  /**
   * Called with the error of the handler while the client gets a bare 500.
   * @default console.error
   */
  readonly onError?: (error: unknown) => void
  /**
   * A client that reads no byte of its response for this time, in milliseconds, is disconnected, so that responses do
   * not accumulate in memory; so is a client that has not read all of it after that time and a second for each 16 kB.
   * Streams have their own limits.
   * @default 30000
   */
  readonly stallMs?: number
  /**
   * The most bytes that all clients together make the process hold: bodies that have not arrived as a whole, and replies that
   * have not been read. Beyond it clients of the address that holds most are disconnected, the oldest body or reply first. A
   * single body or reply may be larger. @default 32000000
   */
  readonly heldLimitBytes?: number
  /**
   * The platform's `waitUntil`, for functions on Node.js that are suspended after their response, for example Vercel's.
   * It receives the promises that a request does not await. Omitted: the process continues.
   */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

const longestTimerMs = 2_147_483_647

/**
 * Creates a listener for `node:http` and the frameworks on it: Express, Connect, Koa, Fastify. Requests of one turn of
 * the event loop are handled together, step by step, unless the handler is not `batchable`. It reads the body itself:
 * mount it before body parsers, for example `express.json()`. An error of the handler becomes a response without a
 * body: an `HttpError` has its own status, every other error 500.
 *
 * @throws `TypeError` if `stallMs` is not a whole number of milliseconds from 1, if `heldLimitBytes` is not a whole
 * number of bytes, if `waitUntil` is not a function, and for an unknown option.
 * @example
 * import { createServer } from 'node:http'
 * import { createHttpHandler } from '@latchkey/http'
 * import { toNodeListener } from '@latchkey/http/node'
 * const handler = createHttpHandler(async () => ({ status: 200, headers: [], body: 'hello' }))
 * createServer(toNodeListener(handler))
 */
export function toNodeListener(
  handler: Pick<HttpHandler, 'handle' | 'batchable'>,
  options: NodeListenerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const names = { onError: true, stallMs: true, heldLimitBytes: true, waitUntil: true } as const
  const given = checkOptionNames('toNodeListener', options, names)
  const { onError, stallMs = 30_000, heldLimitBytes = 32_000_000, waitUntil } = given
  if (!Number.isInteger(stallMs) || stallMs < 1 || stallMs > longestTimerMs) {
    throw new TypeError(`"stallMs" must be a whole number of milliseconds from 1 to ${longestTimerMs}`)
  }
  if (!Number.isSafeInteger(heldLimitBytes) || heldLimitBytes < 1) {
    throw new TypeError('"heldLimitBytes" must be a whole number of bytes, at least 1')
  }
  if (waitUntil !== undefined && typeof waitUntil !== 'function') throw new TypeError('"waitUntil" must be a function')
  const addresses = createAddressReader()
  const keyOf = (peerAddress: string | null): string => limitKeyOf(addresses, peerAddress)
  const held = createHeldBytes({ limitBytes: heldLimitBytes, keyOf })
  const report = (error: unknown): void => reportFailure(error, onError)
  const settings: Settings = {
    stallMs,
    held,
    waitUntil,
    report,
    joinBatch: handler.batchable === false || waitUntil ? null : createTickBatcher(),
  }
  return (message, response) => {
    void answer(handler, settings, message, response)
  }
}

function limitKeyOf(addresses: AddressReader, peerAddress: string | null): string {
  const address = addresses.read({ peerAddress, headers: noHeaders })
  return address === null ? '' : addresses.limitKey(address)
}

interface Settings {
  readonly stallMs: number
  readonly held: HeldBytes
  readonly waitUntil: NodeListenerOptions['waitUntil']
  readonly report: (error: unknown) => void
  readonly joinBatch: (() => Promise<void> | null) | null
}

async function answer(
  handler: Pick<HttpHandler, 'handle'>,
  { stallMs, held, waitUntil, report, joinBatch }: Settings,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (wasCutOff(message.socket)) return
  try {
    const request = toHttpRequest(message, response, held)
    const batch = joinBatch?.()
    if (batch) await batch
    const reply = await handler.handle(waitUntil ? { ...request, waitUntil } : request)
    sendResponse(message, response, reply, { stallMs, held, onLost: report })
  } catch (error) {
    // A reply that other middleware has begun cannot be taken back, only cut off.
    if (response.headersSent) response.destroy()
    else sendResponse(message, response, responseToFailure(error), { stallMs, held, onLost: report })
    report(error)
  }
}
