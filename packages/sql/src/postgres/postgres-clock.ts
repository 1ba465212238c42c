import { wallClock } from '@latchkey/core/internal'
import type { SqlRow } from '../statements/sql-executor.ts'
import type { StatementSignal } from './statement-signal.ts'

/** How long a comparison of the clocks is used. */
const trustedMs = 60_000
/** Estimates may differ by so much. When they differ by more, a clock was set or was stopped. */
const jitterMs = 1000
/** A round trip that took longer, for example because it opened the connection, says little about the clock. */
const quickMs = 50
/** How often the clocks are compared at first until one round trip was quick. */
const comparisonsAtMost = 3

/** The clock of the server, estimated by this process's monotonic clock: its own wall clock may be wrong. */
export interface PostgresClock {
  /** Compares the clocks, unless that was done less than a minute ago and the machine was not suspended since. */
  ready(signal: StatementSignal): Promise<void>
  /** Returns the time that the server has at the latest instant from which an answer may arrive by this one; after `ready`. */
  at(monotonicMs: number): number
  /** Returns the time of the server in whole milliseconds; before the first comparison this process's own. */
  now(): number
  /** The server's clock was set: the next `ready` compares again. */
  forget(): void
}

/**
 * `read` queries the server's time in epoch milliseconds. The error is at most a round trip, and at first half of the
 * shortest of several.
 */
export function createPostgresClock(read: (signal: StatementSignal) => Promise<readonly SqlRow[]>): PostgresClock {
  let offset: number | null = null
  let earliest = Number.NEGATIVE_INFINITY
  let comparisons = 0
  let shortestMs = Number.POSITIVE_INFINITY
  let comparedAt = Number.NEGATIVE_INFINITY
  let wallOffset = 0
  let latest = Number.NEGATIVE_INFINITY

  async function compare(signal: StatementSignal): Promise<void> {
    signal.throwIfAborted()
    const before = performance.now()
    const [{ now } = {} as SqlRow] = await read(signal)
    comparedAt = performance.now()
    wallOffset = wallClock() - comparedAt
    comparisons++
    // The server had this time at some instant between these two: the estimate moves only where it must.
    const [least, most] = [Number(now) - comparedAt, Number(now) - before]
    earliest = earliest > most ? least : Math.max(earliest, least)
    const isBetter = comparisons <= comparisonsAtMost && most - least < shortestMs
    shortestMs = Math.min(shortestMs, most - least)
    offset = isBetter ? (least + most) / 2 : Math.min(Math.max(offset ?? least, least), most)
  }

  /** A machine that was suspended stopped the monotonic clock, or its wall clock was set. */
  const wasInterrupted = () => Math.abs(wallClock() - performance.now() - wallOffset) > jitterMs

  /** A time that was returned is not followed by an earlier one, unless the server's clock was set back. */
  function goForward(time: number): number {
    latest = latest - time > jitterMs ? time : Math.max(latest, time)
    return latest
  }

  return {
    async ready(signal) {
      if (performance.now() - comparedAt > trustedMs || wasInterrupted()) await compare(signal)
      while (shortestMs > quickMs && comparisons < comparisonsAtMost) await compare(signal)
    },
    // Never later than the true time: what the server executes before it, it executes before the deadline.
    at: (monotonicMs) => monotonicMs + earliest,
    now: () => (offset === null ? wallClock() : goForward(Math.floor(performance.now() + offset))),
    forget() {
      comparedAt = Number.NEGATIVE_INFINITY
    },
  }
}

export const readClock = 'select extract(epoch from clock_timestamp()) * 1000 as now'

/**
 * Returns a statement that fails, and so changes no row, if the server executes it after an instant of its own clock. A
 * server that was suspended executes the statements in its sockets when it resumes, long after the caller has got an
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
