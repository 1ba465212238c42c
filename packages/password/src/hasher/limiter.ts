import { abortable } from '../abortable.ts'
import { PasswordError } from '../errors.ts'
import { createLaneQueue, type LaneQueue, type Waiting } from './lane-queue.ts'

/** `login`: a request waits for the answer. `idle`: computed when no login waits, as for a rehash. */
export type Lane = 'login' | 'idle'

export interface LimiterOptions {
  readonly concurrency: number
  /** How many may wait in each lane. */
  readonly queueLimit: number
  readonly now: () => number
}

export interface LimiterStats {
  readonly running: number
  /** Waiting in the login lane. */
  readonly waiting: number
  /** Waiting in the idle lane. */
  readonly waitingIdle: number
}

/** The lane of a job, and its client. */
export interface Place {
  readonly lane: Lane
  /** Clients that wait in one lane take turns; `null`: not known, as one client. */
  readonly client: string | null
  readonly signal: AbortSignal | undefined
}

/**
 * Runs a bounded number of jobs at once, and lets a bounded number wait: the jobs of each client are first come, first
 * served.
 */
export interface Limiter {
  run<T>(work: () => Promise<T>, place: Place): Promise<T>
  /** Refuses further jobs, and resolves when all accepted jobs are done. */
  close(): Promise<void>
  readonly stats: LimiterStats
}

/** While logins wait, every 16th turn belongs to the idle lane, so that it never starves. */
const idleTurn = 16

export function createLimiter({ concurrency, queueLimit, now }: LimiterOptions): Limiter {
  const waiting: Record<Lane, LaneQueue> = { login: createLaneQueue(), idle: createLaneQueue() }
  const running: Record<Lane, number> = { login: 0, idle: 0 }
  // One place stays free of idle work, so that a login does not have to wait for a rehash to end.
  const idleConcurrency = Math.max(1, concurrency - 1)
  let turns = 0
  let averageMs = 50
  let isClosed = false
  let onDrained: (() => void) | undefined

  const total = (): number => running.login + running.idle

  const nextLane = (): Lane | null => {
    const isIdlePossible = waiting.idle.size > 0 && running.idle < idleConcurrency
    const isIdleDue = isIdlePossible && turns % idleTurn === idleTurn - 1
    if (waiting.login.size > 0 && !isIdleDue) return 'login'
    return isIdlePossible ? 'idle' : null
  }

  const startWaiting = (): void => {
    while (total() < concurrency) {
      const lane = nextLane()
      const next = lane && waiting[lane].next()
      if (!next) break
      next.start()
    }
    if (total() === 0) onDrained?.()
  }

  const begin = async <T>(work: () => Promise<T>, lane: Lane): Promise<T> => {
    running[lane]++
    turns++
    const startedAt = now()
    try {
      return await work()
    } finally {
      averageMs += (now() - startedAt - averageMs) / 8
      running[lane]--
      startWaiting()
    }
  }

  const overloaded = (lane: Lane): PasswordError => {
    const waitMs = (waiting[lane].size / concurrency) * averageMs
    return new PasswordError(
      'PASSWORD_HASHER_UNAVAILABLE',
      'too many passwords are waiting',
      Math.max(1, Math.ceil(waitMs / 1000)),
    )
  }

  const queue = <T>(work: () => Promise<T>, { lane, client, signal }: Place): Promise<T> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting[lane].remove(one)
        reject(signal?.reason)
      }
      const one: Waiting = {
        client,
        start() {
          signal?.removeEventListener('abort', leave)
          begin(work, lane).then(resolve, reject)
        },
        drop() {
          signal?.removeEventListener('abort', leave)
          reject(overloaded(lane))
        },
      }
      waiting[lane].add(one)
      signal?.addEventListener('abort', leave, { once: true })
    })

  /** Whether there is room: a client that has filled the lane gives a place to one that has fewer. */
  const hasRoom = ({ lane, client }: Place): boolean => {
    if (waiting[lane].size < queueLimit) return true
    const dropped = waiting[lane].makeRoom(client)
    dropped?.drop()
    return dropped !== undefined
  }

  return {
    async run(work, place) {
      const { lane, signal } = place
      signal?.throwIfAborted()
      if (isClosed) throw new PasswordError('PASSWORD_HASHER_CLOSED', 'this hasher was closed')
      const hasPlace = total() < concurrency && (lane === 'login' || running.idle < idleConcurrency)
      if (hasPlace) return abortable(begin(work, lane), signal)
      if (!hasRoom(place)) throw overloaded(lane)
      return abortable(queue(work, place), signal)
    },
    close() {
      isClosed = true
      return new Promise((resolve) => {
        onDrained = resolve
        startWaiting()
      })
    },
    get stats() {
      return { running: total(), waiting: waiting.login.size, waitingIdle: waiting.idle.size }
    },
  }
}
