import { subscribe } from 'node:diagnostics_channel'

/** What the thread of a service has computed, beside the clock of the machine. */
export interface ThreadTrace {
  /**
   * Returns for how many of the milliseconds since then, by `monotonicMs`, the thread has computed: what else the machine did
   * meanwhile does not count.
   */
  since(then: number): number
}

/** All processes of a machine read the same clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

const most = 2 ** 16

/**
 * Creates a trace of this thread, which notes itself where requests begin and end. Between two points it has computed for no
 * longer than what lies between them, so what it has computed since a moment is known.
 */
export function createThreadTrace(): ThreadTrace {
  // A ring of numbers, so that what is noted leaves no garbage.
  const moments = new Float64Array(most)
  const computed = new Float64Array(most)
  let noted = 0
  const note = (): void => {
    moments[noted % most] = monotonicMs()
    computed[noted % most] = computedMs()
    noted++
  }
  subscribe('http.server.request.start', note)
  subscribe('http.server.response.finish', note)
  return {
    since(then) {
      const now = monotonicMs()
      let last = noted - 1
      while (last > 0 && last > noted - most && (moments[last % most] ?? 0) > then) last--
      return Math.min(now - then, computedMs() - (computed[Math.max(0, last) % most] ?? 0))
    },
  }
}

function computedMs(): number {
  // On Linux this call counts what the thread has done since its last tick, and the next one reads it.
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
