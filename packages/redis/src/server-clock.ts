import { wallClock } from '@latchkey/core/internal'
/** Estimates the server's time by this process's monotonic clock, so that wall clocks need not agree. */
export interface ServerClock {
  /**
   * Returns the server's time (epoch milliseconds) at the latest instant from which a reply may arrive by this one of
   * `performance.now()`. Before the first reply it lies far in the past of the server.
   */
  at(instant: number): number
  /** The server had this time at some instant between these two. */
  learn(serverTime: number, sentAt: number, answeredAt: number): void
  /** Returns the server's time in whole milliseconds; before the first reply this process's own. */
  now(): number
}

/** A reply may show that the estimate was ahead by so much. By more, the server's clock was set. */
const jitterMs = 1000

export function createServerClock(): ServerClock {
  let offset: number | null = null
  // The least offset, and at first none: instants of this process count from its start, those of the server from 1970.
  let earliest = 0
  let latest = Number.NEGATIVE_INFINITY

  /** A time that was returned is not followed by an earlier one, unless the server's clock was set back. */
  function goForward(time: number): number {
    latest = latest - time > jitterMs ? time : Math.max(latest, time)
    return latest
  }

  return {
    now: () => (offset === null ? wallClock() : goForward(Math.floor(performance.now() + offset))),
    // Never later than the true time: what the server runs before it, it runs before the deadline.
    at: (instant) => Math.floor(instant + earliest),
    learn(serverTime, sentAt, answeredAt) {
      // Each reply bounds the possible offsets to an interval. The known offset is kept when it lies within, else it moves
      // to the nearer end: so quick replies improve it, and it follows a clock that was set.
      const [least, most] = [serverTime - answeredAt, serverTime - sentAt]
      earliest = earliest > most ? least : Math.max(earliest, least)
      offset = offset === null ? most : Math.min(Math.max(offset, least), most)
    },
  }
}
