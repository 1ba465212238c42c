import { vi } from 'vitest'
import { queueNativeWork, turn } from '../../platform/native-work.ts'
import { createBytes, type Draw, replaceRandomBytes } from '../../platform/random-bytes.ts'

/** Timers, random bytes and Web Crypto of this process, so that a caller goes from one store call to the next in one step. */
export interface StillPlatform {
  /** Random bytes follow from this name and from how many were drawn under it. */
  readonly drawAs: (name: string) => void
  /** Lets all names draw their first bytes again. */
  readonly drawAgain: () => void
  /** Resolves when every caller waits for a store, or has ended. Pauses end at once. */
  readonly settle: () => Promise<void>
  readonly end: () => void
}

/** The longest pause of a caller that another one was faster than, in milliseconds, and more. */
const pauseMs = 64
const pausesAtMost = 1000

export function createStillPlatform(): StillPlatform {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const native = queueNativeWork()
  const random = seedRandomBytes()
  return {
    drawAs: random.drawAs,
    drawAgain: random.drawAgain,
    async settle() {
      for (let pauses = 0; pauses < pausesAtMost; pauses++) {
        do await turn()
        while (native.isUnderWay())
        if (vi.getTimerCount() === 0) return
        vi.advanceTimersByTime(pauseMs)
      }
      throw new Error('a timer is set again and again')
    },
    end() {
      native.end()
      random.end()
      vi.useRealTimers()
    },
  }
}

/** Bytes that follow from the name, and from how many were drawn under it. */
function seedRandomBytes() {
  const streams = new Map<string, Draw>()
  let drawing = ''
  return {
    drawAs: (name: string) => {
      drawing = name
    },
    drawAgain: () => streams.clear(),
    end: replaceRandomBytes((length) => {
      const stream = streams.get(drawing) ?? createBytes(drawing)
      streams.set(drawing, stream)
      return stream(length)
    }),
  }
}
