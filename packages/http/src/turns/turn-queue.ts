import { after, afterTurn, type Timer } from '@latchkey/time'
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
  /** Resolves with `false` when the time is over before the request had its turn. */
  wait(client: TurnClient, signal: AbortSignal, place: 'first' | 'last'): Promise<boolean>
}

interface QueueState extends TurnQueueOptions {
  /** In the order in which they have their turns. */
  readonly clients: Set<TurnClient>
  length: number
  /** `null`: nothing waits, or the next turn of the event loop is awaited. */
  timer: Timer | null
  isTurnAwaited: boolean
}

/** Creates a queue that begins one request in a turn of the event loop, so that what has arrived meanwhile is before the next. */
export function createTurnQueue(options: TurnQueueOptions): TurnQueue {
  const state: QueueState = { ...options, clients: new Set(), length: 0, timer: null, isTurnAwaited: false }
  return {
    get length() {
      return state.length
    },
    wait: (client, signal, place) =>
      new Promise((resolve) => {
        const waiting: Waiting = { until: state.now() + state.waitMs, signal, end: resolve }
        if (place === 'first') client.waiting.unshift(waiting)
        else client.waiting.push(waiting)
        state.length++
        state.clients.add(client)
        schedule(state)
      }),
  }
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

/** Ends the wait of those whose time is over or whose client has disconnected. */
function endLate(state: QueueState, client: TurnClient, at: number): void {
  const isLate = ({ until, signal }: Waiting): boolean => until <= at || signal.aborted
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
    const until = client.waiting[0]?.until ?? at
    soonest = Math.min(soonest, state.dueAt(client), until)
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
