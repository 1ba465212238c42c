/** Estimates the server's time by this process's monotonic clock, so that wall clocks need not agree. */
export interface ServerClock {
  /** Returns the server's time (epoch milliseconds) at an instant of `performance.now()`; 0 before the first reply. */
  at(instant: number): number
  /** The server had this time at some instant between these two. */
  learn(serverTime: number, sentAt: number, answeredAt: number): void
}

export function createServerClock(): ServerClock {
  let offset: number | null = null
  return {
    at: (instant) => (offset === null ? 0 : Math.floor(instant + offset)),
    learn(serverTime, sentAt, answeredAt) {
      // Each reply gives an interval of possible offsets. The known offset is kept when it lies within, else it moves
      // to the nearer end: so quick replies improve it, and it follows a clock that was set.
      const [least, most] = [serverTime - answeredAt, serverTime - sentAt]
      offset = offset === null ? most : Math.min(Math.max(offset, least), most)
    },
  }
}
