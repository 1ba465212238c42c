import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { type CarelessStore, carelessMethods, carelessNumbers, carelessTexts } from '@latchkey/test-services'
import { kitClock } from './kit-clock.ts'

const create = () => createMemoryCounterStore({ now: kitClock.now })
type Counter = Awaited<ReturnType<CounterStore['hit']>>

const answering = (change: (counter: Counter, by: number) => Counter) => (sound: CounterStore) => ({
  hit: async (key: string, windowMs: number, by = 1) => change(await sound.hit(key, windowMs, by), by),
})
const counting = (change: (count: number) => number) =>
  answering(({ count, resetAt }) => ({ count: change(count), resetAt }))
const within = (change: (windowMs: number) => number) => (sound: CounterStore) => ({
  hit: (key: string, windowMs: number, by = 1) => sound.hit(key, change(windowMs), by),
})

export const carelessCounters: readonly CarelessStore<CounterStore>[] = [
  ...carelessTexts('key', create, [
    ['hit', 0],
    ['reset', 0],
  ]),
  ...carelessNumbers('windowMs', create, [['hit', 1]]),
  ...carelessMethods<CounterStore>(create, {
    'stops at 255': counting((count) => Math.min(count, 255)),
    'wraps at 8 bits': counting((count) => count % 256),
    'wraps at 16 bits': counting((count) => count % 65_536),
    'wraps at 16 bits with a sign': counting((count) => (count << 16) >> 16),
    'wraps at 32 bits': counting((count) => count >>> 0),
    'wraps at 32 bits with a sign': counting((count) => count | 0),
    'stops at 10,000': counting((count) => Math.min(count, 10_000)),
    'has the count before the hit': answering(({ count, resetAt }, by) => ({ count: count - by, resetAt })),
    'has a count of text': counting((count) => String(count) as never),
    'has the length of the window': answering(({ count }) => ({ count, resetAt: 60_000 })),
    'has an end in seconds': answering(({ count, resetAt }) => ({ count, resetAt: Math.floor(resetAt / 1000) })),
    'has an end of text': answering(({ count, resetAt }) => ({ count, resetAt: String(resetAt) as never })),
    'ignores "by"': (sound) => ({ hit: (key, windowMs) => sound.hit(key, windowMs) }),
    'takes 0 for 1': (sound) => ({ hit: (key, windowMs, by) => sound.hit(key, windowMs, by || 1) }),
    'adds what is negative': (sound) => ({ hit: (key, windowMs, by = 1) => sound.hit(key, windowMs, Math.abs(by)) }),
    'takes nothing back': (sound) => ({ hit: (key, windowMs, by = 1) => sound.hit(key, windowMs, Math.max(0, by)) }),
    'counts twice': (sound) => ({
      async hit(...given) {
        await sound.hit(...given)
        return sound.hit(...given)
      },
    }),
    'has windows of a minute at most': within((windowMs) => Math.min(windowMs, 60_000)),
    'has windows of an hour at most': within((windowMs) => Math.min(windowMs, 3_600_000)),
    'has windows of a second at least': within((windowMs) => Math.max(windowMs, 1000)),
    'has windows of 24 days at most': within((windowMs) => Math.min(windowMs, 2 ** 31 - 1)),
    'has windows of ten years for Infinity': within((windowMs) => Math.min(windowMs, 315_360_000_000)),
    'begins anew with each hit': (sound) => ({
      async hit(key, windowMs, by = 1) {
        const { count } = await sound.hit(key, windowMs, 0)
        if (by === 0) return sound.hit(key, windowMs, 0)
        await sound.reset(key)
        return sound.hit(key, windowMs, Math.max(0, count + by))
      },
    }),
    'reads, and then writes': (sound) => ({
      async hit(key, windowMs, by = 1) {
        if (by === 0) return sound.hit(key, windowMs, 0)
        const { count, resetAt } = await sound.hit(key, windowMs, 0)
        await new Promise((resolve) => setTimeout(resolve, 1))
        const now = await sound.hit(key, windowMs, 0)
        await sound.hit(key, windowMs, count - now.count + by)
        return { count: count + by, resetAt: resetAt > 0 ? resetAt : now.resetAt }
      },
    }),
    'reset does nothing': () => ({ reset: async () => {} }),
    'reset keeps the window': (sound) => ({
      reset: async (key) => void (await sound.hit(key, 1, Number.MIN_SAFE_INTEGER)),
    }),
    'reset takes effect later': (sound) => ({ reset: async (key) => void setTimeout(() => sound.reset(key), 20) }),
    'reset removes every counter that begins so': (sound) => {
      const keys = new Set<string>()
      return {
        hit: (key, ...rest) => sound.hit(keys.add(key) && key, ...rest),
        reset: async (prefix) => {
          await Promise.all([...keys].filter((key) => key.startsWith(prefix)).map((key) => sound.reset(key)))
        },
      }
    },
    'cleans up by the end of the first window': (sound) => {
      const ends = new Map<string, number>()
      return {
        async hit(key, ...rest) {
          const past = [...ends].filter(([, end]) => end <= kitClock.now() - 60_000)
          for (const [ended] of past) {
            ends.delete(ended)
            await sound.reset(ended)
          }
          const counter = await sound.hit(key, ...rest)
          if (!ends.has(key)) ends.set(key, counter.resetAt)
          return counter
        },
      }
    },
    'forgets all at 1,000 keys': (sound) => {
      const keys = new Set<string>()
      return {
        async hit(key, ...rest) {
          if (keys.add(key).size > 1000) {
            await Promise.all([...keys].map((one) => sound.reset(one)))
            keys.clear()
          }
          return sound.hit(key, ...rest)
        },
      }
    },
    'does not say whether it is durable': (sound) => ({
      capabilities: { ...sound.capabilities, durable: undefined as never },
    }),
    'names another contract': (sound) => ({ capabilities: { ...sound.capabilities, contract: 2 } }),
    'names no consistency': (sound) => ({ capabilities: { ...sound.capabilities, consistency: '' as never } }),
  }),
]
