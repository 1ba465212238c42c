import type { CounterStore } from '../../counter-store.ts'
import { isStoreError } from '../../errors.ts'

/** How many counters are opened at once: a pool of connections serves them before a deadline of 250 ms. */
export const atOnce = 50
const attempts = 5

/**
 * Opens counters that are not read. An outage is tried again, because a store on a busy machine may be too late for
 * some of them.
 */
export async function fillCounters(store: CounterStore, keys: readonly string[], windowMs: number): Promise<void> {
  await Promise.all(keys.map((key) => open(store, key, windowMs)))
}

async function open(store: CounterStore, key: string, windowMs: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await store.hit(key, windowMs)
      return
    } catch (error) {
      if (!isStoreError(error) || attempt === attempts) throw error
    }
  }
}
