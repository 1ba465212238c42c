import { same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import type { CounterBench } from './counter-bench.ts'
import { atOnce, fillCounters } from './fill-counters.ts'

const minute = 60_000
const year = 365 * 24 * 60 * minute

export const counterEndless: TestTable<CounterBench> = {
  'a window of Infinity lasts until reset': async ({ store, other, key, wait }) => {
    const resetAt = Number.MAX_SAFE_INTEGER
    same(await store.hit(key, Number.POSITIVE_INFINITY), { count: 1, resetAt }, 'hit with a window of Infinity')
    await wait(20)
    same(await other.hit(key, minute), { count: 2, resetAt }, 'hit with a shorter window, which must not end it')
    same(await store.hit(key, Number.POSITIVE_INFINITY, 0), { count: 2, resetAt }, 'hit by 0')
    same(await other.hit(key, Number.POSITIVE_INFINITY, -1), { count: 1, resetAt }, 'hit by -1')
    await other.reset(key)
    same((await store.hit(key, Number.POSITIVE_INFINITY, 0)).count, 0, 'hit by 0 after reset: the count')
    same((await store.hit(key, minute)).count, 1, 'the next hit')
  },

  'a window of Infinity opens after another one has ended': async ({ store, other, key, slackMs, wait }) => {
    await store.hit(key, 20, 5)
    await wait(22 + slackMs)
    same(await other.hit(key, Number.POSITIVE_INFINITY), { count: 1, resetAt: Number.MAX_SAFE_INTEGER }, 'hit')
    await wait(100 + slackMs)
    same(
      (await store.hit(key, minute, 0)).count,
      1,
      'hit by 0: no expiry of the window before may remove it: the count',
    )
    await store.reset(key)
  },
}

/** Needs the clock of the store. */
export const counterYears: TestTable<CounterBench> = {
  'a window of Infinity is open after ten years': async ({ store, other, key, wait }) => {
    await store.hit(key, Number.POSITIVE_INFINITY, 3)
    await wait(10 * year)
    await store.hit(`${key}_other`, 1)
    same((await other.hit(key, Number.POSITIVE_INFINITY)).count, 4, 'hit ten years later: the count')
    await store.reset(key)
  },
}

const crowd = 200_000
/** Every other counter has a window without end. */
const isEndless = (_key: string, index: number): boolean => index % 2 === 1
/** A store behind a network opens as many windows as it can. */
const fillMs = 1500

export const counterCrowd: TestTable<CounterBench> = {
  'a window of Infinity stays while 200,000 others are opened, or as many as 1.5 s allow': async ({
    store,
    other,
    key,
  }) => {
    const until = performance.now() + fillMs
    const batches: string[][] = []
    // As little is counted in them as in the others.
    const kept = Array.from({ length: atOnce }, (_none, index) => `${key}_kept_${index}`)
    await Promise.all(kept.map((one) => store.hit(one, Number.POSITIVE_INFINITY)))
    while (batches.length * atOnce < crowd && performance.now() < until) {
      const keys = Array.from({ length: atOnce }, (_none, index) => `${key}_${batches.length * atOnce + index}`)
      await fillCounters(store, keys.filter(isEndless), Number.POSITIVE_INFINITY)
      await fillCounters(
        store,
        keys.filter((one, index) => !isEndless(one, index)),
        1000,
      )
      batches.push(keys)
    }
    const counters = await Promise.all(kept.map((one) => other.hit(one, Number.POSITIVE_INFINITY, 0)))
    for (const keys of batches) await Promise.all(keys.filter(isEndless).map((one) => store.reset(one)))
    await Promise.all(kept.map((one) => store.reset(one)))
    const lost = counters.filter(({ count }) => count !== 1).length
    same(lost, 0, `hit by 0: a window of Infinity must not be evicted: lost beside ${batches.length * atOnce} others`)
  },
}
