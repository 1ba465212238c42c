import { after, afterTurn, type Timer } from '@latchkey/core/internal'
import type { TurnClient, Waiting } from './turn-client.ts'

export interface TurnQueueOptions {
  readonly now: () => number
  readonly waitMs: number
  /** When the next request of a client may begin. */
  readonly dueAt: (client: TurnClient) => number
}

/** Requests that wait for their turn. */
export interface TurnQueue {
  readonly length: number
  /** Resolves with `false` when the time is over, or the client gone, before the request had its turn. */
  wait(client: TurnClient, signal: AbortSignal, hasBegun: boolean): Promise<boolean>
}

interface QueueState extends TurnQueueOptions {
  /** In the order in which they have their turns. */
  readonly clients: Set<TurnClient>
  length: number
  /** `null` if no request waits, or the next turn of the event loop is awaited. */
  timer: Timer | null
  isTurnAwaited: boolean
}

/**
 * Creates a queue that starts one request in a turn of the event loop, so that requests which arrive meanwhile come
 * before the next.
 */
export function createTurnQueue(options: TurnQueueOptions): TurnQueue {
  const state: QueueState = { ...options, clients: new Set(), length: 0, timer: null, isTurnAwaited: false }
  return {
    get length() {
      return state.length
    },
    wait: (client, signal, hasBegun) =>
      new Promise((resolve) => {
        const leave = (): void => remove(state, client, waiting)
        const end = (hasTurn: boolean): void => {
          signal.removeEventListener('abort', leave)
          resolve(hasTurn)
        }
        const waiting: Waiting = { until: state.now() + state.waitMs, hasBegun, end }
        if (signal.aborted) return resolve(false)
        signal.addEventListener('abort', leave)
        add(client, waiting)
        state.length++
        state.clients.add(client)
        schedule(state)
      }),
  }
}

/** Those whose body is there are before the others, each in the order in which they came. */
function add({ waiting }: TurnClient, one: Waiting): void {
  const place = one.hasBegun ? waiting.findIndex(({ hasBegun }) => !hasBegun) : -1
  waiting.splice(place < 0 ? waiting.length : place, 0, one)
}

/** Makes room for another request as soon as the client of a request has disconnected. */
function remove(state: QueueState, client: TurnClient, waiting: Waiting): void {
  const place = client.waiting.indexOf(waiting)
  if (place < 0) return
  client.waiting.splice(place, 1)
  state.length--
  if (client.waiting.length === 0) state.clients.delete(client)
  waiting.end(false)
  if (state.clients.size > 0) return
  state.timer?.stop()
  state.timer = null
}

function takeTurn(state: QueueState): void {
  const at = state.now()
  for (const client of state.clients) {
    endLate(state, client, at)
    if (client.waiting.length === 0) state.clients.delete(client)
    else if (state.dueAt(client) <= at) {
      // The others are before its next one.
      state.clients.delete(client)
      begin(state, client)
      if (client.waiting.length > 0) state.clients.add(client)
      break
    }
  }
  schedule(state)
}

function begin(state: QueueState, client: TurnClient): void {
  state.length--
  client.waiting.shift()?.end(true)
}

/** Refuses the requests whose time is over. */
function endLate(state: QueueState, client: TurnClient, at: number): void {
  const isLate = ({ until }: Waiting): boolean => until <= at
  const late = client.waiting.filter(isLate)
  if (late.length === 0) return
  client.waiting.splice(0, client.waiting.length, ...client.waiting.filter((one) => !isLate(one)))
  state.length -= late.length
  for (const { end } of late) end(false)
}

function schedule(state: QueueState): void {
  if (state.isTurnAwaited || state.clients.size === 0) return
  state.timer?.stop()
  state.timer = null
  const at = state.now()
  let soonest = Number.POSITIVE_INFINITY
  for (const client of state.clients) {
    // The first of those that have begun, or the first of the others, has waited longest.
    const until = client.waiting[0]?.until ?? at
    const others = client.waiting.find(({ hasBegun }) => !hasBegun)?.until ?? until
    soonest = Math.min(soonest, state.dueAt(client), until, others)
  }
  // A timer is a millisecond coarse.
  if (soonest - at >= 1) state.timer = after(soonest - at, () => takeTurn(state))
  else awaitTurn(state)
}

function awaitTurn(state: QueueState): void {
  state.isTurnAwaited = true
  afterTurn(() => {
    state.isTurnAwaited = false
    takeTurn(state)
  })
}
