import { createHash } from 'node:crypto'
import { vi } from 'vitest'

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

// The one of the real platform, before timers are replaced.
const { setImmediate: nextTurn } = globalThis
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve))

/** The longest pause of a caller that another one was faster than, in milliseconds, and more. */
const pauseMs = 64
const pausesAtMost = 1000

export function createStillPlatform(): StillPlatform {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const native = countNativeWork()
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

/** A spy would remember each of a million calls. */
function replaceMember(of: object, name: string, value: unknown): () => void {
  Object.defineProperty(of, name, { configurable: true, value })
  return () => void Reflect.deleteProperty(of, name)
}

function seedRandomBytes() {
  const drawn = new Map<string, number>()
  let drawing = ''
  const end = replaceMember(crypto, 'getRandomValues', (array: unknown) => {
    if (!(array instanceof Uint8Array)) throw new TypeError('only bytes are random here')
    for (let offset = 0; offset < array.length; offset += 32) {
      const count = drawn.get(drawing) ?? 0
      drawn.set(drawing, count + 1)
      const block = createHash('sha256').update(`${drawing} ${count}`).digest()
      array.set(block.subarray(0, array.length - offset), offset)
    }
    return array
  })
  return {
    drawAs: (name: string) => {
      drawing = name
    },
    drawAgain: () => drawn.clear(),
    end,
  }
}

/** Web Crypto computes in threads: a step lasts until it has answered, in the order in which it was asked. */
function countNativeWork() {
  let underWay = 0
  let last: Promise<unknown> = Promise.resolve()
  const names = ['encrypt', 'decrypt', 'sign', 'verify', 'digest', 'importKey', 'exportKey', 'deriveBits'] as const
  const ends = names.map((name) => {
    const original = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<unknown>
    return replaceMember(crypto.subtle, name, (...given: unknown[]) => {
      underWay++
      const mine = original(...given)
      mine.catch(() => undefined)
      const answer = last.then(() => mine).finally(() => underWay--)
      last = answer.then(turn, turn)
      return answer
    })
  })
  return {
    isUnderWay: () => underWay > 0,
    end() {
      for (const end of ends) end()
    },
  }
}
