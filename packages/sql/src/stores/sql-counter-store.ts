import type { CounterStore } from '@latchkey/store'
import { removeChosen } from '../statements/remove-chosen.ts'
import { type SqlExecutor, type SqlRow, storeTime } from '../statements/sql-executor.ts'
import { createSweepAtTimes } from '../statements/sweep-at-times.ts'

/** The end of a window of `Infinity`. */
const never = Number.MAX_SAFE_INTEGER

const add = `insert into latchkey_counters (key, hits, reset_at) values ($1, $2,
case when cast($3 as bigint) > ${never} - cast($4 as bigint) then ${never} else cast($3 as bigint) + cast($4 as bigint) end)
on conflict (key) do update set
hits = case when latchkey_counters.reset_at > $4 then latchkey_counters.hits + excluded.hits else excluded.hits end,
reset_at = case when latchkey_counters.reset_at > $4 then latchkey_counters.reset_at else excluded.reset_at end
returning hits, reset_at`
const takeBack = `update latchkey_counters set hits = case when hits > $2 then hits - $2 else 0 end
where key = $1 and reset_at > $3 returning hits, reset_at`
const read = 'select hits, reset_at from latchkey_counters where key = $1 and reset_at > $2'
const reset = 'delete from latchkey_counters where key = $1 returning key'
const closed = 'select key from latchkey_counters where reset_at <= $1 order by reset_at limit $2'

export function createSqlCounterStore({ run, now, rowLocks }: SqlExecutor): CounterStore {
  const sweepAtTimes = createSweepAtTimes(run, removeChosen('latchkey_counters', 'key', closed + rowLocks.skip))

  async function readOrReduce(key: string, by: number): Promise<readonly SqlRow[]> {
    return by < 0 ? run(takeBack, [key, -by, storeTime]) : run(read, [key, storeTime])
  }

  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    async hit(key, windowMs, by = 1) {
      if (by <= 0) return readCounter(await readOrReduce(key, by), now())
      const counter = readCounter(await run(add, [key, by, Math.min(windowMs, never), storeTime]), now())
      if (counter.count === by) await sweepAtTimes()
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
