import { createHash } from 'node:crypto'
import { vi } from 'vitest'

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
// Those of the real platform: they only give turns to what is not JavaScript, such as Web Crypto.
const { setImmediate: nextTurn } = globalThis
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve))

/** Replaces clock, timers and random bytes. The same seed is the same world. */
export function createWorld(seed: string): World {
  vi.useFakeTimers({
    now: startsAt,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
  const bytes = createStream(`${seed}: bytes`)
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    if (array instanceof Uint8Array) array.set(bytes(array.length))
    else throw new TypeError('only bytes are random here')
    return array
  })
  const choices = createStream(`${seed}: choices`)
  const native = queueNativeWork()
  return {
    now: () => Date.now(),
    choose: (limit) => choices(4).readUInt32BE() % limit,
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
      random.mockRestore()
      vi.useRealTimers()
    },
  }
}

interface NativeWork {
  isUnderWay(): boolean
  end(): void
}

/**
 * Web Crypto computes in threads, and the machine decides which answer comes first. Here they come in the order of the
 * questions, one in each turn.
 */
function queueNativeWork(): NativeWork {
  let underWay = 0
  let last: Promise<unknown> = Promise.resolve()
  const inOrder =
    <Given extends unknown[], Answer>(original: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> => {
      underWay++
      const mine = original.apply(crypto.subtle, given)
      mine.catch(() => undefined)
      const answer = last.then(() => mine).finally(() => underWay--)
      last = answer.then(turn, turn)
      return answer
    }
  const { encrypt, decrypt, importKey, digest } = crypto.subtle
  const spies = [
    vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(inOrder(encrypt)),
    vi.spyOn(crypto.subtle, 'decrypt').mockImplementation(inOrder(decrypt)),
    vi.spyOn(crypto.subtle, 'importKey').mockImplementation(inOrder(importKey as never)),
    vi.spyOn(crypto.subtle, 'digest').mockImplementation(inOrder(digest)),
  ]
  return {
    isUnderWay: () => underWay > 0,
    end() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

/** SHA-256 of a counter: the same bytes for the same seed on every machine. */
function createStream(seed: string): (length: number) => Buffer {
  let count = 0
  let left: Buffer = Buffer.alloc(0)
  return (length) => {
    while (left.length < length) {
      left = Buffer.concat([left, createHash('sha256').update(`${seed} ${count++}`).digest()])
    }
    const drawn = left.subarray(0, length)
    left = left.subarray(length)
    return drawn
  }
}
