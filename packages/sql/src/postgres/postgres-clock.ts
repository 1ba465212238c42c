import type { SqlRow } from '../stores/sql-executor.ts'

/** How long a comparison of the clocks is used. */
const trustedMs = 60_000

/** The time of the server at an instant of `performance.now()`. */
export interface PostgresClock {
  /** Compares the clocks unless that was done less than a minute ago. */
  ready(): Promise<void>
  at(monotonicMs: number): number
  /** The server's clock was set: the next `ready` compares again. */
  forget(): void
}

/** `read` queries the server's time in epoch milliseconds. The error is at most half of the round trip. */
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
 * Returns a statement that fails, and so changes nothing, when the server executes it after an instant of its own
 * clock. A server that was suspended executes what is in its socket when it resumes, long after the caller has got an
 * error, and its own timeouts start only then.
 *
 * @param parameter the number of the parameter with the instant, in epoch milliseconds.
 */
export function undoWhenLate(statement: string, parameter: number): string {
  return `with changed as (${statement})
select changed.* from changed where cast(case
when extract(epoch from clock_timestamp()) * 1000 <= cast($${parameter} as double precision) then '1' else 'late'
end as integer) = 1`
}
