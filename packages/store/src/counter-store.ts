import type { StoreCapabilities } from './record-store.ts'

/** What a counter store guarantees: `eventual` may count too few of several hits at once. */
export type CounterCapabilities = Pick<StoreCapabilities, 'contract' | 'consistency'>

/**
 * Counters in fixed windows, for rate limits and lockout. It has no sweep: a store removes closed windows itself, some
 * with every few hits, or lets its backend do so. Test an implementation with `describeCounterStore`.
 */
export interface CounterStore {
  readonly capabilities: CounterCapabilities
  /**
   * Adds to a counter and returns its new state, in one atomic step. The first hit opens a window of `windowMs`; later
   * hits never extend it, and at `resetAt` the counter is gone.
   *
   * @param windowMs length of the window that this hit opens when none is open, in milliseconds.
   * @param by default 1. A negative number takes hits back, never below 0; 0 only reads. Neither opens a window: when
   *   none is open, the result is 0 hits that end at once.
   */
  hit(key: string, windowMs: number, by?: number): Promise<{ readonly count: number; readonly resetAt: number }>
  /** Removes the counter. */
  reset(key: string): Promise<void>
}
