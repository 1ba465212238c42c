import { createOneATurn } from '@latchkey/core/internal'
import { createAddressReader } from '../addresses/address-reader.ts'
import { connectionKey } from '../addresses/connection-key.ts'
import { HttpError } from '../errors.ts'
import type { HttpRequest } from '../http-request.ts'
import { announcedMs, lostMs, readMs } from './body-costs.ts'
import { type FairQueueOptions, readFairQueueOptions, type TurnSettings } from './fair-queue-options.ts'
import { createHeldTime } from './held-time.ts'
import { createLoopTurns, type LoopTurns } from './loop-turns.ts'
import { findThreadUsage } from './thread-usage.ts'
import { connectionMs, platformMs, sliceMs, type TurnClient, windowMs } from './turn-client.ts'
import { createTurnClients, type TurnClients } from './turn-clients.ts'
import { createTurnMeter, type TurnMeter } from './turn-meter.ts'
import { createTurnQueue, type TurnQueue } from './turn-queue.ts'

/** Whether a request has its turn. */
export type QueueVerdict =
  | {
      readonly ok: true
      /** The request to continue with: work after its body is read is measured too. */
      readonly request: HttpRequest
      /**
       * Call it after the response: an unread body counts too, because Node.js reads and discards it, or closes its
       * connection. Omitted for a request without a body.
       */
      readonly end?: () => void
    }
  | {
      readonly ok: false
      /** `address`: too many requests of its address wait, answer 429; `total`: too many wait at all, answer 503. */
      readonly reason: 'address' | 'total'
      readonly retryAfterSeconds: number
    }

/** Lets the requests of different addresses have the event loop in turns. */
export interface FairQueue {
  /**
   * Returns whether a request has its turn, before anything of its body is read. It returns a promise only if the request has
   * to wait.
   */
  enter(request: HttpRequest): QueueVerdict | Promise<QueueVerdict>
  /**
   * Returns the milliseconds for which a new connection should not be read, at most 250, so that its cost before a
   * request also takes turns; `null` if there are too many connections: close it. Connections of trusted proxies, which
   * serve many clients, never wait.
   */
  enterConnection(connection: Pick<HttpRequest, 'peerAddress'>): number | null
}

/**
 * Creates turns for requests, so that an address that sends without pause does not delay others. It measures how long
 * the requests of an address hold the event loop. If this exceeds the share of the address, and other addresses have
 * sent a request within the last two seconds, its requests wait. They start one at a time, and after each the others
 * have the event loop to themselves, so that the address gets its share at most, and less with longer requests; from
 * 0.6 ms on half a hundredth of the time. Addresses that all exceed their share do not wait for one another. Requests
 * of other addresses wait at most for the next turn of the event loop, if their address has held it for 0.15 ms in this
 * turn. A single client never waits. Each kilobyte of a body counts as 0.005 ms, read or not, and an incompletely read
 * body as 0.5 ms, because the work of Node.js and of garbage collection is not measured. At most a megabyte of an
 * unread body counts. Work after a request has waited for a store is not measured either.
 *
 * @throws TypeError naming the option that cannot be used.
 * @example
 * import { createHttpHandler } from '@latchkey/http'
 * import { createFairQueue } from '@latchkey/http/fair-queue'
 * const queue = createFairQueue()
 * const handler = createHttpHandler(async (request) => {
 *   const turn = await queue.enter(request)
 *   if (turn.ok) {
 *     const body = await turn.request.body(1_000)
 *     turn.end?.()
 *     return { status: 200, headers: [], body }
 *   }
 *   const retryAfter = ['Retry-After', String(turn.retryAfterSeconds)] as const
 *   return { status: turn.reason === 'address' ? 429 : 503, headers: [retryAfter], body: null }
 * }, { batchable: false })
 */
export function createFairQueue(options: FairQueueOptions = {}): FairQueue {
  const settings = readFairQueueOptions(options)
  const { addresses = createAddressReader(), now = monotonic } = options
  const turns = createTurns(options, settings, now)
  const keyOf = (request: Pick<HttpRequest, 'headers' | 'peerAddress'>): string | null => {
    const address = addresses.read(request)
    return address === null || settings.isExempt(address) ? null : addresses.limitKey(address)
  }
  return {
    enter(request) {
      const key = keyOf(request)
      if (key !== null) return enter(turns, request, key)
      turns.clients.note(null, now())
      return { ok: true, request }
    },
    enterConnection({ peerAddress }) {
      const key = connectionKey(addresses, peerAddress, settings.isExempt)
      return key === null ? 0 : enterConnection(turns, key)
    },
  }
}

interface Turns {
  readonly settings: TurnSettings
  readonly now: () => number
  readonly clients: TurnClients
  readonly queue: TurnQueue
  readonly meter: TurnMeter
  readonly loop: LoopTurns
  /** Bodies that do not arrive: one of them is refused in each turn of the event loop. */
  readonly lost: () => Promise<void> | null
  /** It has taken more than its share. */
  readonly isOverusing: (client: TurnClient, at: number) => boolean
  readonly isLimited: (client: TurnClient, at: number) => boolean
  readonly isShared: (client: TurnClient, at: number) => boolean
  /** It is limited, and not alone. */
  readonly mustPause: (client: TurnClient, at: number) => boolean
  readonly report: (client: TurnClient, at: number) => void
}

/** A client whose requests have had to wait takes turns until none has for so long. */
const calmMs = 1_000
/**
 * After this time an address is tried without turns. If it still exceeds its share, it is limited again half a second
 * later; otherwise it is free: its waiting requests alone would keep it limited for ever.
 */
const triedAfterMs = 60_000

function createTurns(options: FairQueueOptions, settings: TurnSettings, now: () => number): Turns {
  // A clock that is passed in does not run beside that of the processor.
  const { onThrottled, usage = options.now ? null : findThreadUsage() } = options
  const { share, waitMs, addressesAtMost: most } = settings
  const isOverusing = (client: TurnClient, at: number): boolean => client.usedMs(at) > share * windowMs
  const isLimited = (client: TurnClient, at: number): boolean =>
    isOverusing(client, at) ||
    ((client.pausing > 0 || client.limitedUntil > at) && client.limitedSince + triedAfterMs > at)
  const isShared = (client: TurnClient, at: number): boolean => clients.sharedUntil(client) > at
  const mustPause = (client: TurnClient, at: number): boolean => isLimited(client, at) && isShared(client, at)
  const loop = createLoopTurns()
  const clients: TurnClients = createTurnClients({ most, share, now, isShared, mustPause, loop })
  const dueAt = (client: TurnClient): number =>
    mustPause(client, now())
      ? Math.min(client.nextAt, clients.sharedUntil(client), client.limitedSince + triedAfterMs)
      : Number.NEGATIVE_INFINITY
  return {
    settings,
    now,
    clients,
    queue: createTurnQueue({ now, waitMs, dueAt }),
    meter: createTurnMeter(createHeldTime(now, usage)),
    loop,
    lost: createOneATurn(),
    isOverusing,
    isLimited,
    isShared,
    mustPause,
    report: createReport(onThrottled),
  }
}

function enter(turns: Turns, request: HttpRequest, key: string): QueueVerdict | Promise<QueueVerdict> {
  const at = turns.now()
  const client = turns.clients.find(key, at)
  // Those that all take too much do not wait for each other.
  if (!turns.isLimited(client, at)) turns.clients.note(client, at)
  if (client.waiting.length === 0 && !mustWait(turns, client, at)) return begin(turns, client, request)
  if (turns.mustPause(client, at)) {
    turns.report(client, at)
    const reason = refusalOf(turns, client)
    if (reason) return refuse(turns, { client, request, reason })
  }
  return waitFor(turns, client, request, false).then((hasTurn) =>
    hasTurn ? begin(turns, client, request) : refuse(turns, { client, request, reason: 'address' }),
  )
}

/**
 * The wait of a connection. It is not known before reading whether it belongs to a health probe, which need not wait.
 */
const connectionWaitMs = 250

function enterConnection(turns: Turns, key: string): number | null {
  const at = turns.now()
  // It does not count as another client that is there: it may be a probe.
  const client = turns.clients.find(key, at)
  client.spend(connectionMs)
  if (!turns.mustPause(client, at) || client.nextAt <= at) return 0
  turns.report(client, at)
  limit(turns, client, at)
  const { connections } = client
  if (at - connections.since >= connectionWaitMs) Object.assign(connections, { since: at, count: 0 })
  if (connections.count >= turns.settings.waitingPerAddress) return null
  connections.count++
  return Math.min(client.nextAt - at, connectionWaitMs)
}

/** It pauses because it takes too much, or it has had its part of this turn of the event loop. */
function mustWait(turns: Turns, client: TurnClient, at: number): boolean {
  if (!turns.isShared(client, at)) return false
  return (at < client.nextAt && turns.mustPause(client, at)) || hasHadPart(turns, client)
}

function hasHadPart({ loop }: Turns, client: TurnClient): boolean {
  return client.heldMs >= sliceMs && client.turn === loop.current()
}

function refusalOf({ settings, queue }: Turns, client: TurnClient): 'address' | 'total' | null {
  if (client.waiting.length >= settings.waitingPerAddress) return 'address'
  return queue.length >= settings.waiting ? 'total' : null
}

interface Refused {
  readonly client: TurnClient
  readonly request: HttpRequest
  readonly reason: 'address' | 'total'
}

function refuse({ now, meter }: Turns, { client, request, reason }: Refused): QueueVerdict {
  client.spend(platformMs + announcedMs(request))
  meter.begin(client)
  return { ok: false, reason, retryAfterSeconds: Math.max(1, Math.ceil((client.nextAt - now()) / 1_000)) }
}

/** An address stays limited for a while after one of its requests had to wait. */
function limit({ isOverusing }: Turns, client: TurnClient, at: number): void {
  const isNew = at >= client.limitedUntil && client.waiting.length === 0
  if (isNew || isOverusing(client, at)) client.limitedSince = at
  client.limitedUntil = at + calmMs
}

async function waitFor(turns: Turns, client: TurnClient, { signal }: HttpRequest, hasBegun: boolean): Promise<boolean> {
  const { now, queue, mustPause } = turns
  const at = now()
  // A client that waits for the next turn of the event loop only has done nothing that would be limited.
  const isPause = mustPause(client, at)
  if (!isPause) return queue.wait(client, signal, hasBegun)
  limit(turns, client, at)
  // After a long request a pause is longer than the limit would last: without it all that wait would begin one after the other.
  client.pausing++
  const hasTurn = await queue.wait(client, signal, hasBegun)
  client.pausing--
  client.limitedUntil = now() + calmMs
  return hasTurn
}

function begin(turns: Turns, client: TurnClient, request: HttpRequest): QueueVerdict {
  client.spend(platformMs)
  turns.meter.begin(client)
  const unreadMs = announcedMs(request)
  if (request.method === 'GET' && unreadMs === 0) return { ok: true, request }
  let isRead = false
  const body = (limitBytes: number): Promise<string> => {
    isRead = true
    return readInTurn(turns, client, request, limitBytes)
  }
  const end = (): void => {
    if (!isRead) client.spend(unreadMs)
    isRead = true
  }
  return { ok: true, request: { ...request, body }, ...(unreadMs > 0 && { end }) }
}

/** Bodies that all arrive at once are handled in turns, too. */
async function readInTurn(turns: Turns, client: TurnClient, request: HttpRequest, limitBytes: number): Promise<string> {
  const text = await request.body(limitBytes).catch((error) => lose(turns, { client, request, error }))
  const at = turns.now()
  if (mustWait(turns, client, at)) {
    const hasTurn = await waitFor(turns, client, request, true)
    if (!hasTurn) throw new HttpError('HTTP_RATE_LIMITED', 'the address has taken more than its share, and others wait')
  }
  client.spend(readMs(request, text))
  turns.meter.begin(client)
  return text
}

interface Lost {
  readonly client: TurnClient
  readonly request: HttpRequest
  readonly error: unknown
}

/** If many connections close at once, their cleanup takes turns too. */
async function lose({ lost, meter }: Turns, { client, request, error }: Lost): Promise<never> {
  client.spend(lostMs(request, error))
  await lost()
  meter.begin(client)
  throw error
}

const reportedEveryMs = 60_000
/** A client with many addresses must not fill the log with them. */
const reportedAtMost = 100

function createReport(onThrottled: FairQueueOptions['onThrottled']): Turns['report'] {
  let since = Number.NEGATIVE_INFINITY
  let reported = 0
  return (client, at) => {
    if (!onThrottled || at - client.reportedAt < reportedEveryMs) return
    if (at - since >= reportedEveryMs) {
      since = at
      reported = 0
    }
    if (reported++ >= reportedAtMost) return
    client.reportedAt = at
    try {
      onThrottled({ address: client.key, share: client.usedMs(at) / windowMs })
    } catch {
      // A log that fails must not refuse requests.
    }
  }
}

function monotonic(): number {
  return performance.now()
}
