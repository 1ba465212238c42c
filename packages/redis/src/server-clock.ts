/** The server's time, told from this process's monotonic clock: nobody's wall clock has to agree with another's. */
export interface ServerClock {
  /** The server's time (epoch milliseconds) at an instant of `performance.now()`; 0 before the first reply. */
  at(instant: number): number
  /** The server had this time somewhere between the two instants. */
  learn(serverTime: number, sentAt: number, answeredAt: number): void
}

export function createServerClock(): ServerClock {
  let offset: number | null = null
  return {
    at: (instant) => (offset === null ? 0 : Math.floor(instant + offset)),
    learn(serverTime, sentAt, answeredAt) {
      // Each reply leaves an interval of possible offsets. What is known stays when it lies within, else it moves to the
      // nearer end: so it gets better with every quick reply, and follows a clock that was set.
      const [least, most] = [serverTime - answeredAt, serverTime - sentAt]
      offset = offset === null ? most : Math.min(Math.max(offset, least), most)
    },
  }
}
