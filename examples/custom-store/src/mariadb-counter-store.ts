// Counters on MariaDB: a hit is one statement, which opens a window, counts in the one that is open, or takes back from it.
import type { CounterStore } from '@latchkey/store'
import { type MariadbClient, storeTime } from './mariadb-client.ts'

/** The table of counters. */
export const mariadbCounterSchema = `create table if not exists latchkey_counters (
  counter_key varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin not null primary key,
  hits bigint not null,
  reset_at bigint not null,
  index latchkey_counters_by_end (reset_at)
) engine = InnoDB`

/** The end of a window of `Infinity`. */
const never = Number.MAX_SAFE_INTEGER

// A hit of 0 or less finds an open window or nothing: it creates no row.
const hit = `insert into latchkey_counters (counter_key, hits, reset_at) select ?, ?, least(? + ?, ${never})
  where (? > 0 or exists (select * from latchkey_counters as known where known.counter_key = ? and known.reset_at > ?))`
// The columns are set in this order, so that the second condition sees the end that the first has seen.
const counted = `on duplicate key update
  hits = if(latchkey_counters.reset_at <= ?, ?, greatest(0, latchkey_counters.hits + ?)),
  reset_at = if(latchkey_counters.reset_at <= ?, least(? + ?, ${never}), latchkey_counters.reset_at)
  returning hits as count, reset_at as resetAt`

/** How many closed windows are removed when one is opened: they go as fast as they come. */
const sweptAtOnce = 5

/** Creates a counter store on the table of `mariadbCounterSchema`. */
export function createMariadbCounterStore({ change, changeRow, now }: MariadbClient): CounterStore {
  /** Removes closed windows. A failure is ignored, because the hit is already counted; the next new window sweeps again. */
  async function sweep(): Promise<void> {
    await change('delete from latchkey_counters where reset_at <= ?', [storeTime], sweptAtOnce).catch(() => null)
  }

  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    async hit(key, windowMs, by = 1) {
      const length = Math.min(windowMs, never)
      const counter = await changeRow<{ readonly count: number; readonly resetAt: number }>(
        [hit, [key, by, storeTime, length, by, key, storeTime]],
        [counted, [storeTime, by, by, storeTime, storeTime, length]],
      )
      if (counter?.count === by) await sweep()
      return counter ?? { count: 0, resetAt: now() }
    },
    async reset(key) {
      await change('delete from latchkey_counters where counter_key = ?', [key])
    },
  }
}
