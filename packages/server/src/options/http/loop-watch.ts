import { after } from '@latchkey/core/internal'

/** Whether the event loop is so late that requests are refused. */
export interface LoopWatch {
  isLate(): boolean
}

const tickMs = 100

/**
 * Creates a watch of the event loop: it is late while its timer is, and after that until the timer is on time, because what
 * arrived meanwhile has waited as long. The timer runs only while requests come, and the process does not wait for it.
 */
export function createLoopWatch(limitMs: number): LoopWatch {
  let dueAt: number | null = null
  let isAsked = false
  let wasLate = false
  const delayMs = (): number => (dueAt === null ? 0 : performance.now() - dueAt)
  const start = (): void => {
    dueAt = performance.now() + tickMs
    after(tickMs, tick).unref()
  }
  const tick = (): void => {
    wasLate = delayMs() > limitMs
    dueAt = null
    if (isAsked || wasLate) start()
    isAsked = false
  }
  return {
    isLate() {
      isAsked = true
      if (dueAt === null) start()
      return wasLate || delayMs() > limitMs
    },
  }
}

/** @throws TypeError if the limit is no number of milliseconds. */
export function readLoopLimit(limitMs: number | undefined = 2_000): number {
  if (typeof limitMs === 'number' && limitMs >= 1) return limitMs
  throw new TypeError('"http.maxLoopDelayMs" must be a number of milliseconds from 1; Infinity refuses nothing')
}
