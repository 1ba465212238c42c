import { randomToken } from '@latchkey/bytes'
import { pause } from '@latchkey/core/internal'
import type { CounterStore } from '../../counter-store.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import { describeOutages, type OutageCalls } from '../describe-outages.ts'
import { raceInSteps, withHistories } from '../history/record-calls.ts'
import { reportingRunner } from '../kit-report.ts'
import type { StoreKit } from '../store-kit.ts'
import {
  type KitPart,
  namingFailures,
  pairOnce,
  runnableParts,
  runnerOf,
  runTables,
  type TestTable,
} from '../test-runner.ts'
import { canSetTimeZone } from '../time-zones.ts'
import type { CounterBench } from './counter-bench.ts'
import { counterCrowd, counterEndless, counterYears } from './counter-endless.ts'
import { counterKeys, counterLimits, counterZones } from './counter-limits.ts'
import { counterModel } from './counter-model.ts'

const minute = 60_000

/**
 * Describes the whole contract of `CounterStore` as tests of a runner: windows that no hit extends, counts that lose no
 * parallel hit, and distinct keys.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryCounterStore } from '@latchkey/store'
 * import { describeCounterStore } from '@latchkey/store/testing'
 * const store = createMemoryCounterStore()
 * describeCounterStore({ describe, test, createStore: () => store })
 */
export function describeCounterStore(kit: StoreKit<CounterStore>): void {
  const { runner, addReport } = reportingRunner('counter store', runnerOf(kit), kit)
  const { createStore, createStoreElsewhere, now, wait } = kit
  const connect = pairOnce(createStore, createStoreElsewhere)
  const openBench = async (): Promise<CounterBench> => {
    const [one, two] = await connect()
    const [store, other] = [namingFailures(one), namingFailures(two)]
    const time = async () => (now ? now() : (await store.hit(`kit_${randomToken(16)}`, minute, 0)).resetAt)
    // One millisecond either way, because clocks count whole milliseconds; more for an estimate of the backend's clock.
    return { store, other, key: `kit_${randomToken(16)}`, time, slackMs: now ? 1 : 25, wait: wait ?? pause }
  }
  const parts: readonly KitPart<TestTable<CounterBench>>[] = [
    [
      'instants',
      { ...counterInstants, ...counterReopened, ...counterYears },
      now !== undefined && wait !== undefined,
      '"now" and "wait"',
    ],
    ['time zones', counterZones, canSetTimeZone(), 'a process whose time zone can be set'],
  ]
  const tables = {
    windows: counterWindows,
    'taking back': counterReturns,
    concurrency: withHistories(counterConcurrency, counterModel),
    endless: { ...counterEndless, ...counterCrowd },
    limits: counterLimits,
    keys: counterKeys,
    ...runnableParts('counter store', runner, parts),
  }
  runner.describe('counter store', () => {
    runTables(runner, tables, openBench)
    const prepare = async () => prepareOutages(await openBench())
    const probe = (client: CounterStore) => client.hit('kit_unknown', minute, 0)
    describeOutages({ ...kit, ...runner, clients: connect, prepare, probe })
    addReport()
  })
}

async function prepareOutages({ store, other, key }: CounterBench): Promise<OutageCalls<CounterStore>> {
  const keys = { hit: `${key}_hit`, reset: `${key}_reset` }
  const counters = { hit: await store.hit(keys.hit, 10 * minute, 2), reset: await store.hit(keys.reset, 10 * minute) }
  const left = (name: 'hit' | 'reset') => async () =>
    same(await other.hit(keys[name], minute, 0), counters[name], `the counter of the failed ${name}`)
  return {
    callsOf: (client) => ({
      hit: () => client.hit(key, minute),
      'hit by 0': () => client.hit(key, minute, 0),
      reset: () => client.reset(key),
    }),
    changes: {
      hit: { call: () => store.hit(keys.hit, 10 * minute), checkUndone: left('hit') },
      reset: { call: () => store.reset(keys.reset), checkUndone: left('reset') },
    },
  }
}

const counterWindows: TestTable<CounterBench> = {
  'the capabilities name the version of the contract': async ({ store: { capabilities } }) => {
    same(capabilities.contract, 1, 'capabilities.contract')
    same(typeof capabilities.durable, 'boolean', 'the type of capabilities.durable')
    holds(/^(strong|eventual)$/.test(capabilities.consistency), '"capabilities.consistency" must be strong or eventual')
  },

  'hits count up, over every client': async ({ store, other, key }) => {
    same((await store.hit(key, minute)).count, 1, 'the first hit')
    same((await other.hit(key, minute)).count, 2, 'the second hit')
    same((await store.hit(key, minute, 5)).count, 7, 'a hit by 5')
  },

  'the first hit opens the window, and no later hit moves its end': async ({
    store,
    other,
    key,
    time,
    slackMs,
    wait,
  }) => {
    const before = await time()
    const { resetAt } = await store.hit(key, minute)
    const [earliest, latest] = [before + minute - slackMs, (await time()) + minute + slackMs]
    holds(resetAt >= earliest && resetAt <= latest, 'the window must end one length from now')
    await wait(5)
    same((await other.hit(key, minute)).resetAt, resetAt, 'the end after a second hit')
    same((await other.hit(key, 10 * minute)).resetAt, resetAt, 'the end after a hit with a longer window')
    same((await other.hit(key, 1)).resetAt, resetAt, 'the end after a hit with a shorter window')
  },

  'after its window a counter begins again': async ({ store, other, key, slackMs, wait }) => {
    const { resetAt } = await store.hit(key, 100, 3)
    await wait(102 + slackMs)
    const next = await other.hit(key, minute)
    same(next.count, 1, 'the first hit of the next window')
    holds(next.resetAt > resetAt, 'the next window must end later')
  },

  'reset removes the counter': async ({ store, other, key }) => {
    await store.hit(key, minute, 3)
    await other.reset(key)
    same((await store.hit(key, minute)).count, 1, 'the hit after a reset')
    await other.reset(`${key}_unknown`)
  },

  'keys that look alike are kept apart': async ({ store, other }) => {
    for (const [what, key, twin] of confusablePairs()) {
      for (const name of [key, twin]) await store.reset(name)
      await store.hit(key, minute, 3)
      same((await other.hit(twin, minute)).count, 1, `the other key, with ${what}`)
      await other.reset(twin)
      same((await store.hit(key, minute)).count, 4, `a key with ${what}`)
      await store.reset(key)
    }
  },
}

const counterInstants: TestTable<CounterBench> = {
  'a window ends in the millisecond that it names': async ({ store, other, key, time, wait }) => {
    const { resetAt } = await store.hit(key, minute, 3)
    await wait(resetAt - 1 - (await time()))
    same(await other.hit(key, minute, 0), { count: 3, resetAt }, 'the counter, 1 ms before its end')
    await wait(1)
    same((await other.hit(key, minute, 0)).count, 0, 'the count at the end')
    same((await store.hit(key, minute)).count, 1, 'the first hit of the next window')
  },
}

/** A cleanup may go by the end of the window before. */
const counterReopened: TestTable<CounterBench> = {
  'a window over an ended one stays open beyond the cleanup of the ended one': async (bench) => {
    const { store, other, key, time, wait } = bench
    const { resetAt } = await store.hit(key, minute)
    await wait(resetAt - (await time()))
    const opened = await other.hit(key, 60 * minute, 3)
    await wait(10 * minute)
    // Hits of other keys clean up.
    for (let index = 0; index < 20; index++) await store.hit(`${key}_${index}`, minute)
    same(await other.hit(key, minute, 0), opened, 'the counter, 10 minutes after the end of the window before')
    await store.reset(key)
  },
}

const counterReturns: TestTable<CounterBench> = {
  'a negative hit takes back, and never below 0': async ({ store, other, key }) => {
    const { resetAt } = await store.hit(key, minute, 2)
    same(await other.hit(key, minute, -1), { count: 1, resetAt }, 'after -1')
    same(await other.hit(key, minute, -5), { count: 0, resetAt }, 'after -5')
    same(await store.hit(key, minute), { count: 1, resetAt }, 'after the next hit')
  },

  'a negative hit opens no window': async ({ store, other, key, slackMs, wait }) => {
    same((await store.hit(key, 10 * minute, -3)).count, 0, 'a negative hit of an unknown key')
    const { count, resetAt } = await other.hit(key, 100)
    same(count, 1, 'the first hit')
    await wait(102 + slackMs)
    same((await store.hit(key, 10 * minute, -1)).count, 0, 'a negative hit after the window')
    const next = await other.hit(key, 30)
    same(next.count, 1, 'the first hit of the next window')
    holds(
      next.resetAt > resetAt && next.resetAt < resetAt + minute,
      'the window must be that of the hit that opened it',
    )
  },

  'a negative hit after the window sees none of its hits': async ({ store, other, key, time, wait }) => {
    await store.hit(key, 20, 5)
    await wait(60)
    for (const by of [-1, 0]) {
      const { count, resetAt } = await other.hit(key, 10 * minute, by)
      same(count, 0, `the count of a hit by ${by} after the window`)
      holds(resetAt <= (await time()) + minute, 'no window may be open')
    }
    same((await store.hit(key, minute)).count, 1, 'the first hit of the next window')
  },

  'a hit by 0 only reads': async ({ store, other, key, time, slackMs }) => {
    same((await store.hit(key, 10 * minute, 0)).count, 0, 'an unknown key')
    const hit = await store.hit(key, minute, 2)
    holds(hit.resetAt <= (await time()) + minute + slackMs, 'the window must be that of the first hit by more than 0')
    same(await other.hit(key, 10 * minute, 0), hit, 'a known key')
  },
}

const counterConcurrency: TestTable<CounterBench> = {
  'no parallel hit is lost, and each sees a count of its own': async ({ store, other, key }) => {
    const hits = await Promise.all(
      Array.from({ length: 20 }, (_none, index) => (index % 2 ? other : store).hit(key, minute)),
    )
    const counts = hits.map(({ count }) => count).sort((left, right) => left - right)
    same(
      counts,
      Array.from({ length: 20 }, (_none, index) => index + 1),
      'the counts',
    )
    same(new Set(hits.map(({ resetAt }) => resetAt)).size, 1, 'the number of windows')
  },

  'parallel hits and returns balance': async ({ store, other, key }) => {
    await store.hit(key, minute, 50)
    await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        (index % 2 ? other : store).hit(key, minute, index % 4 < 2 ? 1 : -1),
      ),
    )
    same((await store.hit(key, minute, 0)).count, 50, 'the count')
  },

  'reads beside hits and resets of one counter fit one order': async (bench) => {
    for (let round = 0; round < 6; round++) {
      const [key, windowMs] = [`${bench.key}_${round}`, round % 2 ? minute : Number.POSITIVE_INFINITY]
      const added = [1, 3, -1]
      await raceInSteps<CounterStore, unknown>(bench, { round, first: null }, async (client, caller, step) => {
        if (caller < added.length) await client.hit(key, windowMs, added[caller])
        if (caller === added.length && step % 2) await client.reset(key)
        return client.hit(key, windowMs, 0)
      })
      await bench.store.reset(key)
    }
  },
}
