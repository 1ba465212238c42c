// Counters on LMDB: a hit is one transaction, which opens a window, counts in the one that is open, or takes back from it.
import type { CounterStore } from '@latchkey/store'
import { hash, type LmdbDatabase, type LmdbTables, last } from './lmdb-database.ts'

/** How many closed windows are removed when one is opened: they go as fast as they come. */
const sweptAtOnce = 5

/** Creates a counter store on a database. */
export function createLmdbCounterStore({ change, now }: LmdbDatabase): CounterStore {
  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    hit: (name, windowMs, by = 1) =>
      change((tables) => {
        const [key, time] = [hash(name), now()]
        const present = tables.counters.get(key)
        if (present && present.resetAt > time) {
          const counter = { count: Math.max(0, present.count + by), resetAt: present.resetAt }
          if (by !== 0) tables.counters.put(key, counter)
          return counter
        }
        if (by <= 0) return { count: 0, resetAt: time }
        drop(tables, key)
        const ended = [...tables.counterEnds.getKeys({ end: [time, last], limit: sweptAtOnce })]
        for (const [, other] of ended) drop(tables, other)
        const counter = { count: by, resetAt: Math.min(time + windowMs, Number.MAX_SAFE_INTEGER) }
        tables.counters.put(key, counter)
        tables.counterEnds.put([counter.resetAt, key], true)
        return counter
      }),
    reset: (name) => change((tables) => drop(tables, hash(name))),
  }
}

function drop({ counters, counterEnds }: LmdbTables, key: string): void {
  const present = counters.get(key)
  if (!present) return
  counters.remove(key)
  counterEnds.remove([present.resetAt, key])
}
