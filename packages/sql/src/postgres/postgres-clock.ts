import type { SqlRow } from '../stores/sql-executor.ts'

/** How long a comparison of the clocks is trusted. */
const trustedMs = 60_000

/** What the server's clock shows at an instant of `performance.now()`. */
export interface PostgresClock {
  /** Compares the clocks unless that was done a short while ago; one of many callers does it. */
  ready(): Promise<void>
  at(monotonicMs: number): number
  /** The server's clock was moved: the next `ready` compares again. */
  forget(): void
}

/** `read` asks the server for its time, in epoch milliseconds. Half of the way there and back is the error. */
export function createPostgresClock(read: () => Promise<readonly SqlRow[]>): PostgresClock {
  let offset = 0
  let comparedAt = Number.NEGATIVE_INFINITY
  async function compare(): Promise<void> {
    const before = performance.now()
    const [row] = await read()
    comparedAt = performance.now()
    offset = Number(row?.now) - (before + comparedAt) / 2
  }
  return {
    async ready() {
      if (performance.now() - comparedAt > trustedMs) await compare()
    },
    at: (monotonicMs) => monotonicMs + offset,
    forget() {
      comparedAt = Number.NEGATIVE_INFINITY
    },
  }
}

export const readClock = 'select extract(epoch from clock_timestamp()) * 1000 as now'

/**
 * Gives a statement that undoes itself when the server has done it after an instant of its own clock. A server that
 * hangs does what lies in its socket when it wakes, long after the caller was told that there was no answer, and no
 * timeout of the server has begun by then.
 *
 * @param parameter the number of the parameter that holds the instant, in epoch milliseconds.
 */
export function undoWhenLate(statement: string, parameter: number): string {
  return `with changed as (${statement})
select changed.* from changed where cast(case
when extract(epoch from clock_timestamp()) * 1000 <= cast($${parameter} as double precision) then '1' else 'late'
end as integer) = 1`
}
