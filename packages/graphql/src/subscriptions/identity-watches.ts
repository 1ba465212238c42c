import type { Identity } from '@latchkey/rbac'
import { type StreamEnd, StreamEndedError } from './stream-end.ts'

/** Somebody whose streams are open. */
export interface WatchInput {
  /** Who opened them. An anonymous visitor has nothing to lose and is not looked after. */
  readonly identity: Identity | null
  /** Asks whose the credential is by now. */
  readonly read: () => Promise<Identity | null>
  readonly onEnd: (end: StreamEnd) => void
}

export interface IdentityWatch {
  /**
   * Gives the identity as it is now, by a look that begins after this call; calls at the same time share it.
   *
   * @throws StreamEndedError when it is not what it was, or nobody can tell.
   */
  confirm(): Promise<Identity | null>
  stop(): void
}

export interface IdentityWatches {
  watch(input: WatchInput): IdentityWatch
  stop(): void
}

export interface IdentityWatchesOptions {
  /** How long an identity is taken for what it was. */
  readonly recheckMs: number
  readonly expiresAt: (identity: Identity) => number | null
  readonly now: () => number
}

/** More at once would keep the store from everybody else's questions. */
const looksAtOnce = 64

interface Watched extends WatchInput {
  identity: Identity
  expiresAt: number
  /** When the last look began, or was due. */
  askedAt: number
  /** Since when an answer is due; `null`: the last look found everything as it was. */
  unansweredSince: number | null
  looking: boolean
  isOver: boolean
  confirming: Promise<Identity> | null
}

/**
 * Looks after the identities of open streams with one timer for all: each is asked for again once it is `recheckMs`
 * old, and ended when it is gone, changed, expired, or when no answer came for as long again.
 */
export function createIdentityWatches({ recheckMs, expiresAt, now }: IdentityWatchesOptions): IdentityWatches {
  const watched = new Set<Watched>()
  const waiting: Watched[] = []
  let looks = 0
  let timer: ReturnType<typeof setInterval> | null = null

  const forget = (one: Watched): void => {
    one.isOver = true
    watched.delete(one)
    if (watched.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
  const end = (one: Watched, why: StreamEnd): void => {
    if (one.isOver) return
    forget(one)
    one.onEnd(why)
  }
  /** @throws StreamEndedError, and what `read` throws. */
  const look = async (one: Watched): Promise<Identity> => {
    one.askedAt = now()
    one.unansweredSince ??= one.askedAt
    const identity = await one.read()
    if (identity === null) return fail(one, now() >= one.expiresAt ? 'expired' : 'signed-out')
    if (!isSame(identity, one.identity)) return fail(one, 'changed')
    one.identity = identity
    one.expiresAt = expiresAt(identity) ?? Number.POSITIVE_INFINITY
    one.unansweredSince = null
    if (now() >= one.expiresAt) return fail(one, 'expired')
    return identity
  }
  const fail = (one: Watched, why: StreamEnd): never => {
    end(one, why)
    throw new StreamEndedError(why)
  }
  /** What could not be answered is asked again at the next tick, until the outage has lasted too long. */
  const work = (): void => {
    while (looks < looksAtOnce && waiting.length > 0) {
      const one = waiting.shift()
      if (!one || one.isOver) continue
      looks++
      void atMost(recheckMs, look(one)).finally(() => {
        looks--
        one.looking = false
        work()
      })
    }
  }
  const tick = (): void => {
    const time = now()
    for (const one of [...watched]) {
      if (time >= one.expiresAt) end(one, 'expired')
      else if (one.unansweredSince !== null && time - one.unansweredSince >= recheckMs) end(one, 'unavailable')
      else if (!one.looking && (one.unansweredSince !== null || time - one.askedAt >= recheckMs)) {
        one.looking = true
        one.unansweredSince ??= time
        waiting.push(one)
      }
    }
    work()
  }
  const start = (): void => {
    if (timer !== null) return
    timer = setInterval(tick, recheckMs / 4)
    // The process may end although somebody listens: closing is the service's affair.
    if (typeof timer === 'object') (timer as { unref?: () => void }).unref?.()
  }
  /** Begins after all who ask in this turn have asked. */
  const confirmSoon = async (one: Watched): Promise<Identity> => {
    await Promise.resolve()
    one.confirming = null
    if (one.isOver) throw new StreamEndedError('closing')
    try {
      return await look(one)
    } catch (error) {
      if (error instanceof StreamEndedError) throw error
      return fail(one, 'unavailable')
    }
  }

  return {
    watch(input) {
      const { identity } = input
      if (identity === null) return { confirm: async () => null, stop: () => undefined }
      const time = now()
      const one: Watched = {
        ...input,
        identity,
        expiresAt: expiresAt(identity) ?? Number.POSITIVE_INFINITY,
        askedAt: time,
        unansweredSince: null,
        looking: false,
        isOver: false,
        confirming: null,
      }
      watched.add(one)
      start()
      return {
        confirm() {
          one.confirming ??= confirmSoon(one)
          return one.confirming
        },
        stop: () => forget(one),
      }
    },
    stop() {
      for (const one of [...watched]) forget(one)
    },
  }
}

/** A look that hangs must not keep its place from all that come after it. */
function atMost(ms: number, look: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    look.then(done, done)
  })
}

/** What rules are decided by. A factor that was enrolled meanwhile is for the next decision, not for the stream. */
function isSame(one: Identity, other: Identity): boolean {
  const { subject, kind, key, epoch, firstParty } = one
  return (
    subject === other.subject &&
    kind === other.kind &&
    key === other.key &&
    epoch === other.epoch &&
    firstParty === other.firstParty &&
    hasSame(one.roles, other.roles) &&
    hasSame(one.scopes, other.scopes)
  )
}

function hasSame(some: readonly string[] | null, others: readonly string[] | null): boolean {
  if (some === null || others === null) return some === others
  return some.length === others.length && [...some].sort().join('\n') === [...others].sort().join('\n')
}
