import type { CounterStore } from '@latchkey/store'
import { joinTurn } from '../statements/join-turn.ts'
import { removeChosen } from '../statements/remove-chosen.ts'
import { type SqlExecutor, type SqlParameter, type SqlRow, storeTime } from '../statements/sql-executor.ts'
import { createSweepAtTimes } from '../statements/sweep-at-times.ts'

/** The end of a window of `Infinity`. */
const never = Number.MAX_SAFE_INTEGER

/** `$1` is the time, and each row a key, a number and a length. */
const addRows = (rows: number): string => {
  const tuples = Array.from({ length: rows }, (_none, row) => {
    const [key, by, length] = [`$${3 * row + 2}`, `$${3 * row + 3}`, `$${3 * row + 4}`]
    const end = `cast(${length} as bigint) + cast($1 as bigint)`
    return `(${key}, ${by}, case when cast(${length} as bigint) > ${never} - cast($1 as bigint) then ${never} else ${end} end)`
  })
  return `insert into latchkey_counters (key, hits, reset_at) values ${tuples.join(', ')}
on conflict (key) do update set
hits = case when latchkey_counters.reset_at > $1 then latchkey_counters.hits + excluded.hits else excluded.hits end,
reset_at = case when latchkey_counters.reset_at > $1 then latchkey_counters.reset_at else excluded.reset_at end
returning key, hits, reset_at`
}
const reset = 'delete from latchkey_counters where key = $1 returning key'
const closed = 'select key from latchkey_counters where reset_at <= $1 order by reset_at limit $2'

interface Added {
  readonly key: string
  readonly by: number
  readonly windowMs: number
}

export function createSqlCounterStore({ run, now, rowLocks, byBytes, listed }: SqlExecutor): CounterStore {
  const sweepAtTimes = createSweepAtTimes(run, removeChosen('latchkey_counters', 'key', closed + rowLocks.skip))
  const open = `latchkey_counters where key in (${listed}) and reset_at > $2`
  const read = joinTurn((asked) => run(`select key, hits, reset_at from ${open}`, [keysOf(asked), storeTime]))
  // Rows are locked in the order in which `add` locks them.
  const takeBackOne = joinTurn((asked) =>
    run(
      `update latchkey_counters set hits = case when hits > 1 then hits - 1 else 0 end
where key in (select key from ${open} order by key${byBytes}${rowLocks.wait}) returning key, hits, reset_at`,
      [keysOf(asked), storeTime],
    ),
  )
  const add = joinTurn((added: readonly Added[]) =>
    run(addRows(added.length), [
      storeTime,
      ...added.flatMap(({ key, by, windowMs }): SqlParameter[] => [key, by, Math.min(windowMs, never)]),
    ]),
  )

  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    async hit(key, windowMs, by = 1) {
      if (by === 0) return readCounter(await read({ key }), now())
      if (by === -1) return readCounter(await takeBackOne({ key }), now())
      if (by < 0) return readCounter((await run(takeBack, [key, -by, storeTime]))[0], now())
      const counter = readCounter(await add({ key, by, windowMs }), now())
      if (counter.count === by) await sweepAtTimes()
      return counter
    },
    async reset(key) {
      await run(reset, [key])
    },
  }
}

const takeBack = `update latchkey_counters set hits = case when hits > $2 then hits - $2 else 0 end
where key = $1 and reset_at > $3 returning hits, reset_at`

function keysOf(asked: readonly { readonly key: string }[]): string {
  return JSON.stringify(asked.map(({ key }) => key))
}

function readCounter(row: SqlRow | undefined, time: number): { readonly count: number; readonly resetAt: number } {
  return row ? { count: Number(row.hits), resetAt: Number(row.reset_at) } : { count: 0, resetAt: time }
}
