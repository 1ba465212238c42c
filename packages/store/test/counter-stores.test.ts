import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { describeCounterStore } from '@latchkey/store/testing'
import { collectTests, describeOutageMistakes, failuresOf } from '@latchkey/test-services'
import { describe, expect, test, vi } from 'vitest'
import { brokenCounterStores, fitsOneOrder } from './broken-counter-stores.ts'

describe('the memory store', () => {
  const store = createMemoryCounterStore()
  describeCounterStore({ describe, test, createStore: () => store })
})

describe('the memory store on its own clock', () => {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const store = createMemoryCounterStore({ now })
  const wait = async (milliseconds: number) => {
    time += milliseconds
  }
  describeCounterStore({ describe, test, createStore: () => store, now, wait })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Reads, waits and writes back. */
function createLosingStore(): CounterStore {
  const counters = new Map<string, { count: number; resetAt: number }>()
  return {
    capabilities: { contract: 1, consistency: 'strong', durable: true },
    async hit(key, windowMs, by = 1) {
      const known = counters.get(key) ?? { count: 0, resetAt: Date.now() + windowMs }
      await turn()
      const next = { ...known, count: known.count + by }
      counters.set(key, next)
      return next
    },
    async reset(key) {
      counters.delete(key)
    },
  }
}

/** A negative hit asks for no window. */
function createRevivingStore(): CounterStore {
  const store = createMemoryCounterStore()
  const counts = new Map<string, number>()
  return {
    ...store,
    async hit(key, windowMs, by = 1) {
      const counter = await store.hit(key, windowMs, by)
      if (by > 0) counts.set(key, counter.count)
      if (by >= 0) return counter
      counts.set(key, Math.max(0, (counts.get(key) ?? 0) + by))
      return { ...counter, count: counts.get(key) ?? 0 }
    },
  }
}

function spoilt(spoil: (store: CounterStore) => Partial<CounterStore>): () => CounterStore {
  return () => {
    const store = createMemoryCounterStore()
    return { ...store, ...spoil(store) }
  }
}

const brokenStores: readonly [mistake: string, fails: string, createStore: () => CounterStore][] = [
  ['a parallel hit is lost', 'no parallel hit is lost, and each sees a count of its own', createLosingStore],
  ['parallel hits and returns do not balance', 'parallel hits and returns balance', createLosingStore],
  ['a counter never ends', 'after its window a counter begins again', createLosingStore],
  ['a count falls below 0', 'a negative hit takes back, and never below 0', createLosingStore],
  ['a negative hit opens a window', 'a negative hit opens no window', createLosingStore],
  [
    'a later hit extends the window',
    'the first hit opens the window, and no later hit moves its end',
    spoilt((store) => ({
      hit: async (key, windowMs, by) => ({ ...(await store.hit(key, windowMs, by)), resetAt: Date.now() + windowMs }),
    })),
  ],
  ['reset does nothing', 'reset removes the counter', spoilt(() => ({ reset: async () => {} }))],
  ['a closed window is taken back from', 'a negative hit after the window sees none of its hits', createRevivingStore],
  [
    'a hit by 0 counts',
    'a hit by 0 only reads',
    spoilt((store) => ({ hit: (key, ms, by) => store.hit(key, ms, by || 1) })),
  ],
  [
    'keys are compared without case',
    'keys that look alike are kept apart',
    spoilt((store) => ({ hit: (key, ms, by) => store.hit(key.toLowerCase(), ms, by) })),
  ],
]

test.each([
  ['early', 1],
  ['late', -1],
])('the kit finds that a window expires a millisecond too %s, if it has the clock', async (_when, aheadMs) => {
  let time = Date.UTC(2026, 0, 1)
  let skewMs = 0
  const store = createMemoryCounterStore({ now: () => time + skewMs })
  const tests = collectTests((runner) =>
    describeCounterStore({
      ...runner,
      createStore: () => ({
        ...store,
        hit: (key, windowMs, by = 1) => {
          // The end of a window is right, and what asks for it is not.
          skewMs = by > 0 ? 0 : aheadMs
          return store.hit(key, windowMs, by)
        },
      }),
      now: () => time,
      wait: async (milliseconds) => {
        time += milliseconds
      },
    }),
  )
  const title = 'a window ends in the millisecond that it names'
  expect([...(await failuresOf(tests.filter((one) => one.title === title))).keys()]).toEqual([title])
})

test.each(brokenStores)('the kit finds that %s', async (_mistake, fails, createStore) => {
  const store = createStore()
  const tests = collectTests((runner) => describeCounterStore({ ...runner, createStore: () => store }))
  expect([...(await failuresOf(tests.filter(({ title }) => title === fails))).keys()]).toEqual([fails])
})

describe('the kit finds a store that', () => {
  test.each(brokenCounterStores)('$mistake', async ({ fails, message, createStore, clock }) => {
    const store = createStore()
    const kit = { createStore: () => store, ...clock }
    const tests = collectTests((runner) => describeCounterStore({ ...runner, ...kit }))
    const failures = await failuresOf(tests.filter(({ title }) => title === fails))
    expect(failures.get(fails)).toMatch(message)
  })
})

const foundByHistory = brokenCounterStores.filter(({ fails }) => fails === fitsOneOrder)
test.each(foundByHistory)('the kit finds by the history of calls alone a store that $mistake', async (broken) => {
  const store = broken.createStore()
  const tests = collectTests((runner) => describeCounterStore({ ...runner, createStore: () => store }))
  // A test that opens counters for 1.5 s finds no race.
  const failures = await failuresOf(tests.filter(({ title }) => !title.includes('1.5 s')))
  expect([...failures.keys()]).toEqual([fitsOneOrder])
})

test('the kit reports skipped tests and their needs, and does not run them', () => {
  const skipped = new Map<string, string>()
  const ran: string[] = []
  const runner = { describe: (_name: string, body: () => void) => body(), test: (title: string) => ran.push(title) }
  const createStore = createMemoryCounterStore
  describeCounterStore({ ...runner, createStore, skip: (title, needs) => skipped.set(title, needs) })
  expect(Object.fromEntries(skipped)).toMatchObject({
    'a window ends in the millisecond that it names': '"now" and "wait"',
    'an unreachable backend is given up at the deadline': '"unreachable"',
    'a frozen backend is given up at the deadline': '"freeze" and "thaw"',
  })
  expect(ran.filter((title) => skipped.has(title))).toEqual([])
})

test('without "skip" one line for each need goes to the console', () => {
  const lines = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  describeCounterStore({
    describe: (_name, body) => body(),
    test: () => undefined,
    createStore: createMemoryCounterStore,
  })
  const said = lines.mock.calls.flat()
  lines.mockRestore()
  expect(said).toContainEqual(expect.stringMatching(/^outages: skipped without "freeze" and "thaw": .*frozen backend/))
})

describeOutageMistakes({
  name: 'counter stores',
  describeKit: describeCounterStore,
  createStore: createMemoryCounterStore,
  reads: [],
  changes: ['hit', 'reset'],
})
