import type { StoreCapabilities } from './record-store.ts'

/**
 * Counters in fixed windows, for rate limits and failures in a row. It has no sweep: a store removes closed windows itself,
 * some with every few hits, or lets its backend do so. Test an implementation with `describeCounterStore`.
 */
export interface CounterStore {
  readonly capabilities: Pick<StoreCapabilities, 'contract' | 'consistency'> & {
    /**
     * Whether counters of window `Infinity` live as long as the accounts: no restart, flush, eviction or replica loses
     * them. Failures in a row are counted only in durable stores.
     */
    readonly durable: boolean
  }
  /**
   * Adds to a counter and returns its new state, in one atomic step. The first hit opens a window of `windowMs`; later
   * hits never extend it, and at `resetAt` the counter is gone.
   *
   * @param key at most 512 bytes. A longer one is rejected, never cut.
   * @param windowMs length of the window that this hit opens when none is open, in milliseconds. `Infinity`: it lasts until
   *   `reset`, and its `resetAt` is `Number.MAX_SAFE_INTEGER`.
   * @param by default 1. A negative number takes hits back, never below 0; 0 only reads. Neither opens a window: when
   *   none is open, the result is 0 hits that end at once.
   */
  hit(key: string, windowMs: number, by?: number): Promise<{ readonly count: number; readonly resetAt: number }>
  /** Removes the counter. */
  reset(key: string): Promise<void>
}
