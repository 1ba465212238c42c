/** Counters in fixed windows, for rate limits and lockout. Prove one with `describeCounterStore`. */
export interface CounterStore {
  /**
   * Adds to a counter and gives its new state, in one atomic step. The first hit opens a window of `windowMs`; later
   * hits never extend it, and at `resetAt` the counter is gone.
   *
   * @param windowMs length of the window that this hit opens if none is open, in milliseconds.
   * @param by 1 unless told. A negative one takes back and never goes below 0; 0 only reads. Neither opens a window:
   * where none is open, the answer is 0 hits, over at once.
   */
  hit(key: string, windowMs: number, by?: number): Promise<{ readonly count: number; readonly resetAt: number }>
  /** Forgets the counter. */
  reset(key: string): Promise<void>
}
