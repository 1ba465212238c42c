import { vi } from 'vitest'
import { queueNativeWork, turn } from '../platform/native-work.ts'
import { createBytes, replaceRandomBytes } from '../platform/random-bytes.ts'

/** A clock, timers and random bytes that stand in for those of the platform, for everything in this process. */
export interface World {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Returns a whole number from 0 up to, but not including, the limit, which follows from the seed. */
  readonly choose: (limit: number) => number
  /** Resolves as the work does. Its time stands still meanwhile. */
  readonly settle: <T>(work: Promise<T>) => Promise<T>
  /** Lets time pass, in steps of so many milliseconds, after each of which the work under way goes on. */
  readonly pass: (milliseconds: number, stepMs?: number) => Promise<void>
  /** How many timers are set. */
  readonly timers: () => number
  /** Restores those of the platform. */
  readonly end: () => void
}

const startsAt = 1_800_000_000_000

/** Replaces clock, timers and random bytes. The same seed is the same world. */
export function createWorld(seed: string): World {
  vi.useFakeTimers({
    now: startsAt,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
  const restoreRandomBytes = replaceRandomBytes(createBytes(`${seed}: bytes`))
  const choices = createBytes(`${seed}: choices`)
  const native = queueNativeWork()
  return {
    now: () => Date.now(),
    choose: (limit) => Buffer.from(choices(4)).readUInt32BE() % limit,
    async settle(work) {
      let isSettled = false
      const settled = work.finally(() => {
        isSettled = true
      })
      settled.catch(() => undefined)
      while (!isSettled) {
        if (!native.isUnderWay()) vi.advanceTimersByTime(0)
        await turn()
      }
      return settled
    },
    async pass(milliseconds, stepMs = milliseconds) {
      for (let left = milliseconds; left > 0; left -= stepMs) {
        vi.advanceTimersByTime(Math.min(left, stepMs))
        do await turn()
        while (native.isUnderWay())
      }
    },
    timers: () => vi.getTimerCount(),
    end() {
      native.end()
      restoreRandomBytes()
      vi.useRealTimers()
    },
  }
}
