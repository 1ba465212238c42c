import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import type { StoreKit } from '@latchkey/store/testing'

/** A counter store with one mistake. */
export interface BrokenCounterStore {
  readonly mistake: string
  /** The test that fails. */
  readonly fails: string
  /** What it says: the method and the cause. */
  readonly message: RegExp
  readonly createStore: () => CounterStore
  readonly clock?: Required<Pick<StoreKit<CounterStore>, 'now' | 'wait'>>
}

const day = 24 * 3_600_000
const wide = 'a count has more than 32 bits'
const long = 'a window of a day or more is kept'
const cut = 'a key that is too long is rejected, never cut'
const scripts = 'keys of every script are kept'
const alike = 'keys that look alike are kept apart'
const endless = 'a window of Infinity lasts until reset'

/** The test that only the history of its calls fails. */
export const fitsOneOrder = 'reads beside hits and resets of one counter fit one order'

const noOrder = /^no order of these calls explains their answers:\n {2}client [12] \[\d+–/

type Spoil = (sound: CounterStore) => Partial<CounterStore>

function spoilt(spoil: Spoil): () => CounterStore {
  return () => {
    const sound = createMemoryCounterStore()
    return { ...sound, ...spoil(sound) }
  }
}

function keyed(change: (key: string) => string): () => CounterStore {
  return spoilt((sound) => ({
    hit: async (key, windowMs, by) => sound.hit(change(key), windowMs, by),
    reset: async (key) => sound.reset(change(key)),
  }))
}

function windowed(change: (windowMs: number) => number): () => CounterStore {
  return spoilt((sound) => ({ hit: (key, windowMs, by) => sound.hit(key, change(windowMs), by) }))
}

function counted(change: (count: number) => number): () => CounterStore {
  return spoilt((sound) => ({
    async hit(key, windowMs, by) {
      const { count, resetAt } = await sound.hit(key, windowMs, by)
      return { count: change(count), resetAt }
    },
  }))
}

/** Forgets the oldest counter when there are more than that. */
function evicting(countersAtMost: number): () => CounterStore {
  return spoilt((sound) => {
    const keys = new Set<string>()
    return {
      async hit(key, windowMs, by) {
        keys.add(key)
        const [oldest] = keys
        if (keys.size > countersAtMost && oldest !== undefined) {
          keys.delete(oldest)
          await sound.reset(oldest)
        }
        return sound.hit(key, windowMs, by)
      },
    }
  })
}

/** Keeps the end of a window as `timestamp` columns without a zone do. */
function local(): CounterStore {
  const sound = createMemoryCounterStore()
  const ends = new Map<string, string>()
  const toLocal = (instant: number): string => {
    const at = new Date(instant)
    const minutes = at.getTimezoneOffset()
    return new Date(instant - minutes * 60_000).toISOString().slice(0, -1)
  }
  return {
    ...sound,
    async hit(key, windowMs, by = 1) {
      const counter = await sound.hit(key, windowMs, by)
      if (by > 0 && !ends.has(key)) ends.set(key, toLocal(counter.resetAt))
      return { ...counter, resetAt: Date.parse(ends.get(key) ?? '') || counter.resetAt }
    },
  }
}

/** Keeps windows of Infinity for five years. */
function forgetting(): Pick<BrokenCounterStore, 'createStore' | 'clock'> {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const sound = createMemoryCounterStore({ now })
  return {
    createStore: () => ({
      ...sound,
      async hit(key, windowMs, by) {
        const { count, resetAt } = await sound.hit(key, Math.min(windowMs, 5 * 365 * day), by)
        return { count, resetAt: windowMs === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : resetAt }
      },
    }),
    clock: {
      now,
      wait: async (milliseconds) => {
        time += milliseconds
      },
    },
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Adds 1 in one step, and more than that in two. */
const addingInTwoSteps = spoilt((sound) => ({
  async hit(key, windowMs, by = 1) {
    await turn()
    if (by <= 1) return sound.hit(key, windowMs, by)
    const { count } = await sound.hit(key, windowMs, 0)
    await turn()
    const current = await sound.hit(key, windowMs, 0)
    return sound.hit(key, windowMs, count + by - current.count)
  },
}))

/** Compares the count before it writes, but not whether the counter is still there. */
const revivingAfterReset = spoilt((sound) => ({
  async hit(key, windowMs, by = 1) {
    const { count } = await sound.hit(key, windowMs, 0)
    await turn()
    const isGone = (await sound.hit(key, windowMs, 0)).count === 0
    return sound.hit(key, windowMs, isGone && by > 0 ? count + by : by)
  },
  reset: (key) => turn().then(() => sound.reset(key)),
}))

/** A hit by 0 gets the answer of the one that is in flight. */
const joiningReads = spoilt((sound) => {
  const reads = new Map<string, ReturnType<CounterStore['hit']>>()
  return {
    async hit(key, windowMs, by = 1) {
      if (by !== 0) return turn().then(() => sound.hit(key, windowMs, by))
      const read = reads.get(key) ?? sound.hit(key, windowMs, 0).finally(() => turn().then(turn))
      reads.set(key, read)
      return read.finally(() => reads.delete(key))
    },
  }
})

export const brokenCounterStores: readonly BrokenCounterStore[] = [
  {
    mistake: 'stops at 255',
    fails: wide,
    message: /^hit: a count must not stop or wrap at 8 bits: the next one: expected 256, got 255$/,
    createStore: counted((count) => Math.min(count, 255)),
  },
  {
    mistake: 'stops at 255 in single hits',
    fails: 'single hits count beyond 255',
    message: /^hit: the count after 256 single hits: expected 256, got 255$/,
    createStore: counted((count) => Math.min(count, 255)),
  },
  {
    mistake: 'wraps at 8 bits',
    fails: wide,
    message: /^hit: a count must not stop or wrap at 8 bits: the next one: expected 256, got 0$/,
    createStore: counted((count) => count % 2 ** 8),
  },
  {
    mistake: 'wraps at 16 bits',
    fails: wide,
    message: /^hit: a count must not stop or wrap at 16 bits: the next one: expected 65536, got 0$/,
    createStore: counted((count) => count % 2 ** 16),
  },
  {
    mistake: 'wraps at 32 bits with a sign',
    fails: wide,
    message: /^hit: a count must not stop or wrap at 32 bits with a sign: the next one: expected 2147483648, got -/,
    createStore: counted((count) => count | 0),
  },
  {
    mistake: 'wraps at 32 bits',
    fails: wide,
    message: /^hit: a count must not stop or wrap at 32 bits: the next one: expected 4294967296, got 0$/,
    createStore: counted((count) => count % 2 ** 32),
  },
  {
    mistake: 'keeps no window longer than an hour',
    fails: long,
    message: /^hit of a window of a day: "resetAt" must be one window from now, got \d+ ms too early$/,
    createStore: windowed((windowMs) => Math.min(windowMs, 3_600_000)),
  },
  {
    mistake: 'loses a window of 30 days to a timer of 32 bits',
    fails: long,
    message: /^hit by 0: a counter with a window of 30 days: expected .*"count",1.*got .*"count",0/,
    createStore: spoilt((sound) => ({
      async hit(key, windowMs, by = 1) {
        const counter = await sound.hit(key, windowMs, by)
        if (counter.count === by && windowMs > 2 ** 31) setTimeout(() => sound.reset(key), 1)
        return counter
      },
    })),
  },
  {
    mistake: 'floors windows to seconds',
    fails: 'a window is not rounded to seconds',
    message: /^hit of a window of 900 ms: "resetAt" must be one window from now, got \d+ ms too early$/,
    createStore: windowed((windowMs) => Math.floor(windowMs / 1000) * 1000),
  },
  {
    mistake: 'rounds windows up to seconds',
    fails: 'a window is not rounded to seconds',
    message: /^hit of a window of 900 ms: "resetAt" must be one window from now, got \d+ ms too late$/,
    createStore: windowed((windowMs) => Math.ceil(windowMs / 1000) * 1000),
  },
  {
    mistake: 'keeps the window on reset',
    fails: 'reset removes the window with the count',
    message: /^hit of a key after reset, which must leave no window: "resetAt" .* got \d+ ms too late$/,
    createStore: spoilt((sound) => ({ reset: async (key) => void (await sound.hit(key, 1, -1e9)) })),
  },
  {
    mistake: 'evicts at 1,000 keys',
    fails: 'a counter stays while 2,000 others are opened',
    message: /^hit by 0: an open counter must not be evicted: the count: expected 3, got 0$/,
    createStore: evicting(1000),
  },
  {
    mistake: 'evicts windows of Infinity at 5,000 keys',
    fails: 'a window of Infinity stays while 200,000 others are opened, or as many as 1.5 s allow',
    message: /^hit by 0: a window of Infinity must not be evicted: lost beside \d+ others: expected 0, got 50$/,
    createStore: evicting(5_000),
  },
  {
    mistake: 'evicts windows of Infinity in which little is counted',
    fails: 'a window of Infinity stays while 200,000 others are opened, or as many as 1.5 s allow',
    message: /^hit by 0: a window of Infinity must not be evicted: lost beside \d+ others: expected 0, got \d+$/,
    createStore: () => {
      const sound = createMemoryCounterStore({ countersAtMost: 10_000 })
      return {
        ...sound,
        async hit(key, windowMs, by) {
          const { count, resetAt } = await sound.hit(key, Math.min(windowMs, 365 * day), by)
          return { count, resetAt: windowMs === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : resetAt }
        },
      }
    },
  },
  {
    mistake: 'takes Infinity for 0, as JSON does',
    fails: endless,
    message: /^hit with a window of Infinity: expected/,
    createStore: windowed((windowMs) => (Number.isFinite(windowMs) ? windowMs : 0)),
  },
  {
    mistake: 'ends a window of Infinity after a day',
    fails: endless,
    message: /^hit with a window of Infinity: expected/,
    createStore: windowed((windowMs) => Math.min(windowMs, day)),
  },
  {
    mistake: 'ends a window of Infinity by a later hit',
    fails: endless,
    message: /^hit with a shorter window, which must not end it: expected/,
    createStore: spoilt((sound) => ({
      async hit(key, windowMs, by = 1) {
        const { count, resetAt } = await sound.hit(key, windowMs, by)
        return { count, resetAt: by > 0 && Number.isFinite(windowMs) ? Date.now() + windowMs : resetAt }
      },
    })),
  },
  {
    mistake: 'removes a window of Infinity by the expiry of the window before',
    fails: 'a window of Infinity opens after another one has ended',
    message: /^hit by 0: no expiry of the window before may remove it: the count: expected 1, got 0$/,
    createStore: spoilt((sound) => ({
      async hit(key, windowMs, by = 1) {
        const counter = await sound.hit(key, windowMs, by)
        if (by > 0 && windowMs < 100) setTimeout(() => sound.reset(key), 100)
        return counter
      },
    })),
  },
  {
    mistake: 'forgets a window of Infinity after five years',
    fails: 'a window of Infinity is open after ten years',
    message: /^hit ten years later: the count: expected 4, got 1$/,
    ...forgetting(),
  },
  {
    mistake: 'cuts keys at 255 characters',
    fails: cut,
    message: /^hit of two keys of 512 bytes that differ in the last: the count of the first hit: expected 1, got 2$/,
    createStore: keyed((key) => key.slice(0, 255)),
  },
  {
    mistake: 'cuts keys at 512 characters',
    fails: cut,
    message: /^hit of two keys of 513 bytes that differ in the last: the count of the first hit: expected 1, got 2$/,
    createStore: keyed((key) => key.slice(0, 512)),
  },
  {
    mistake: 'rejects keys of 512 bytes',
    fails: cut,
    message: /^hit of two keys of 512 bytes that differ in the last: must be accepted$/,
    createStore: keyed((key) => {
      if (key.length > 255) throw new RangeError('it is too long')
      return key
    }),
  },
  {
    mistake: 'cuts keys at a NUL',
    fails: 'a NUL in a key is kept or rejected, never cut at',
    message: /^hit of keys that differ from a NUL on: the count of the first hit: expected 1, got 2$/,
    createStore: keyed((key) => key.split('\0')[0] ?? ''),
  },
  {
    mistake: 'writes keys in Latin-1',
    fails: scripts,
    message: /^hit by 0: a key with "меню": expected .*"count",2.*got .*"count",4/,
    createStore: keyed((key) => key.replace(/[^\0-\xff]/gu, '?')),
  },
  {
    mistake: 'compares keys without accents',
    fails: scripts,
    message: /^hit by 0: a key with "clè": expected/,
    createStore: keyed((key) => key.normalize('NFD').replace(/\p{M}/gu, '')),
  },
  {
    mistake: 'compares keys without case',
    fails: alike,
    message: /^the other key, with letter case: expected 1, got 4$/,
    createStore: keyed((key) => key.toLowerCase()),
  },
  {
    mistake: 'trims keys',
    fails: alike,
    message: /^the other key, with white space at the end: expected 1, got 4$/,
    createStore: keyed((key) => key.trimEnd()),
  },
  {
    mistake: 'keeps local time',
    fails: 'a window is the same in every time zone',
    message: /^hit by 0: the counter in another time zone: keep instants, not local time: expected/,
    createStore: local,
  },
  {
    mistake: 'does not say whether it is durable',
    fails: 'the capabilities name the version of the contract',
    message: /^the type of capabilities.durable: expected "boolean", got "undefined"$/,
    createStore: spoilt(() => ({ capabilities: { contract: 1, consistency: 'strong' } as never })),
  },
  {
    mistake: 'loses a hit while it adds more than 1',
    fails: fitsOneOrder,
    message: noOrder,
    createStore: addingInTwoSteps,
  },
  {
    mistake: 'brings back what a reset has removed',
    fails: fitsOneOrder,
    message: noOrder,
    createStore: revivingAfterReset,
  },
  { mistake: 'reads what was before a hit', fails: fitsOneOrder, message: noOrder, createStore: joiningReads },
]
