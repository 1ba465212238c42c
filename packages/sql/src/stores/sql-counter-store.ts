import type { CounterStore } from '@latchkey/store'
import type { SqlExecutor, SqlRow } from './sql-executor.ts'

const add = `insert into latchkey_counters (key, hits, reset_at) values ($1, $2, $3)
on conflict (key) do update set
hits = case when latchkey_counters.reset_at > $4 then latchkey_counters.hits + excluded.hits else excluded.hits end,
reset_at = case when latchkey_counters.reset_at > $4 then latchkey_counters.reset_at else excluded.reset_at end
returning hits, reset_at`
const takeBack = `update latchkey_counters set hits = case when hits > $2 then hits - $2 else 0 end
where key = $1 and reset_at > $3 returning hits, reset_at`
const read = 'select hits, reset_at from latchkey_counters where key = $1 and reset_at > $2'
const reset = 'delete from latchkey_counters where key = $1 returning key'
const sweep = `delete from latchkey_counters where key in
(select key from latchkey_counters where reset_at <= $1 order by reset_at limit $2) returning key`

/**
 * After so many new windows, up to that many closed ones are removed: more than were opened, so that they do not
 * accumulate.
 */
const windowsPerSweep = 50
const sweptAtOnce = 200

export function createSqlCounterStore({ run }: SqlExecutor, now: () => number): CounterStore {
  let windows = 0

  async function sweepAtTimes(time: number): Promise<void> {
    windows = (windows + 1) % windowsPerSweep
    // The hit is counted already, so a failure of the sweep must not be reported. The next sweep removes what this one
    // left.
    if (windows === 0) await run(sweep, [time, sweptAtOnce]).catch(() => [])
  }

  return {
    async hit(key, windowMs, by = 1) {
      const time = now()
      if (by <= 0) return readCounter(await (by < 0 ? run(takeBack, [key, -by, time]) : run(read, [key, time])), time)
      const counter = readCounter(await run(add, [key, by, time + windowMs, time]), time)
      if (counter.count === by) await sweepAtTimes(time)
      return counter
    },
    async reset(key) {
      await run(reset, [key])
    },
  }
}

function readCounter([row]: readonly SqlRow[], time: number): { readonly count: number; readonly resetAt: number } {
  return row ? { count: Number(row.hits), resetAt: Number(row.reset_at) } : { count: 0, resetAt: time }
}
