import type { LoopTurns } from './loop-turns.ts'
import type { Spender } from './turn-meter.ts'

/** A request that waits. */
export interface Waiting {
  /** Until when it waits at most. */
  readonly until: number
  /** Whether its body has been read: it precedes requests that have not started. */
  readonly hasBegun: boolean
  readonly end: (hasTurn: boolean) => void
}

/** The time that one address has taken of the event loop, and its waiting requests. */
export interface TurnClient extends Spender {
  /** `null` for all addresses beyond the most. */
  readonly key: string | null
  readonly waiting: Waiting[]
  /** How many of its connections have had to wait since then. */
  readonly connections: { since: number; count: number }
  /** When its last request came. */
  seenAt: number
  /** When its next request may begin while others are there. */
  nextAt: number
  /** How many of its requests wait because it takes too much. */
  pausing: number
  /** Its requests take turns until then, and for as long as one of them pauses. */
  limitedUntil: number
  /** The time at which it last exceeded its share, or started to take turns. */
  limitedSince: number
  /** When it was last reported. */
  reportedAt: number
  /** The turn of the event loop in which it last held it. */
  turn: number
  /** For how long it has held it in that turn, in milliseconds. */
  heldMs: number
  /** The milliseconds that it has taken lately. */
  usedMs(at: number): number
}

/** The time for which the usage of a client counts, approximately. */
export const windowMs = 2_000
/** The time that Node.js takes for a request: to read its head and write the response. */
export const platformMs = 0.05
/** The time that Node.js takes for a connection: to accept it, to refuse malformed requests, to close it. */
export const connectionMs = 0.5
/** The longest time that a client holds the event loop in one turn; its next request starts in the next turn. */
export const sliceMs = 0.15
/** A client that takes too much, so long at a time, would have half of the time, and less of it who holds the event loop longer. */
const shortMs = 0.1
/** But a tenth at most: the shortest requests leave the most garbage, and the others wait while it is collected. */
const shortestPause = 9
/** A client that holds it long has half a hundredth: of the requests of others fewer than one in a hundred notice it. */
const longestPause = 199
const pauseAtMostMs = 5_000

/**
 * Returns the time for which the client must wait after it held the event loop for `heldMs`, so that it gets at most its share.
 * The worst delay of other clients is one hold, and its frequency falls with the third power of its length.
 */
function pauseAfter(heldMs: number, share: number): number {
  const least = Math.max(shortestPause, 1 / share - 1)
  return heldMs * Math.max(least, Math.min(longestPause, (heldMs / shortMs) ** 3))
}

export interface TurnClientParts {
  /** The part of the event loop's time that it may take. */
  readonly share: number
  readonly now: () => number
  /** Whether it is not alone. */
  readonly isShared: (client: TurnClient, at: number) => boolean
  /** Whether it is not alone, and has taken too much. */
  readonly mustPause: (client: TurnClient, at: number) => boolean
  readonly loop: LoopTurns
}

export function createTurnClient(
  key: string | null,
  { share, now, isShared, mustPause, loop }: TurnClientParts,
): TurnClient {
  let usedMs = 0
  let usedAt = 0
  const client: TurnClient = {
    key,
    waiting: [],
    connections: { since: 0, count: 0 },
    seenAt: 0,
    nextAt: 0,
    pausing: 0,
    limitedUntil: 0,
    limitedSince: 0,
    reportedAt: Number.NEGATIVE_INFINITY,
    turn: -1,
    heldMs: 0,
    usedMs: (at) => usedMs * Math.exp((usedAt - at) / windowMs),
    spend(milliseconds) {
      const at = now()
      usedMs = client.usedMs(at) + milliseconds
      usedAt = at
      if (!isShared(client, at)) return
      const turn = loop.current()
      client.heldMs = milliseconds + (client.turn === turn ? client.heldMs : 0)
      client.turn = turn
      if (!mustPause(client, at)) return
      client.nextAt = Math.min(Math.max(client.nextAt, at) + pauseAfter(milliseconds, share), at + pauseAtMostMs)
    },
  }
  return client
}
