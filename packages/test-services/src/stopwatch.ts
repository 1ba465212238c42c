import { readFileSync } from 'node:fs'

/**
 * Starts a stopwatch for work that ends at a deadline, and returns a function that reads it, in milliseconds. From the
 * deadline on it does not count for how long the machine let this thread wait for a processor: that is the time of other
 * programs, and on a machine without any it is nothing. Linux alone reports it; elsewhere everything is counted.
 *
 * @param helper the id of a process that does the work: how long its main thread waited counts in place of this one's
 *   where it is longer.
 */
export function startStopwatch(deadlineMs: number, helper?: number): () => number {
  const [start, waitedBefore] = [performance.now(), readWaiting(own)]
  const readBoth = () =>
    [readWaiting(own), helper === undefined ? 0 : readWaiting(`/proc/${helper}/schedstat`)] as const
  let otherMs = 0
  let atDeadline: ReturnType<typeof readBoth> | null = null
  // A timer of the same length is late as all timers are: because the thread waited, or because it computed.
  const timer = setTimeout(() => {
    const lateMs = performance.now() - start - deadlineMs
    atDeadline = readBoth()
    otherMs = Math.min(lateMs, atDeadline[0] - waitedBefore)
  }, deadlineMs)
  return () => {
    clearTimeout(timer)
    const elapsedMs = performance.now() - start
    if (atDeadline === null) return elapsedMs
    const [waited, helperWaited] = readBoth()
    const lost = otherMs + Math.max(waited - atDeadline[0], helperWaited - atDeadline[1])
    return Math.max(deadlineMs, elapsedMs - lost)
  }
}

const own = '/proc/thread-self/schedstat'

/** Returns for how many milliseconds a thread was able to run and did not (proc(5), `/proc/pid/schedstat`). */
function readWaiting(schedule: string): number {
  try {
    return Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1_000_000
  } catch {
    return 0
  }
}
