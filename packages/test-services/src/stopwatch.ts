import { readFileSync } from 'node:fs'

/**
 * Starts a stopwatch for work that finishes at a deadline. After the deadline it omits the time for which the machine
 * let this thread wait for a processor, which belongs to other programs. Only Linux reports this time; elsewhere all
 * time counts.
 *
 * @param helper the id of a process that does the work: the waiting time of its main thread counts instead of this
 * thread's if it is longer.
 * @returns a function that returns the milliseconds.
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
