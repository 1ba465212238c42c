import { createMemoryLockoutStore, type LockoutStore } from '@latchkey/store'
import { describeLockoutStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryLockoutStore()
  describeLockoutStore({ describe, test, createStore: () => store })
})

/** Lets other calls in, as a store that first reads and then writes does. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const brokenStores: readonly [mistake: string, fails: string, spoil: (store: LockoutStore) => Partial<LockoutStore>][] =
  [
    [
      'a failure is a read and a write',
      'of parallel failures none is lost, and each is told another number',
      () => {
        const counts = new Map<string, number>()
        return {
          count: async (account, factor) => counts.get(`${account} ${factor}`) ?? 0,
          async fail(account, factor) {
            const before = counts.get(`${account} ${factor}`) ?? 0
            await turn()
            counts.set(`${account} ${factor}`, before + 1)
            return before + 1
          },
        }
      },
    ],
    [
      'the count does not go beyond 2',
      'every account and every factor has a count of its own',
      (store) => ({ fail: async (account, factor) => Math.min(2, await store.fail(account, factor)) }),
    ],
    [
      'all factors are counted together',
      'every account and every factor has a count of its own',
      (store) => ({ fail: (account) => store.fail(account, '') }),
    ],
    [
      'the count of any factor is read',
      'every account and every factor has a count of its own',
      (store) => {
        const first = new Map<string, string>()
        return {
          fail: (account, factor) => {
            if (!first.has(account)) first.set(account, factor)
            return store.fail(account, factor)
          },
          count: (account, factor) => store.count(account, first.get(account) ?? factor),
        }
      },
    ],
    [
      'a success with one factor clears another one',
      'every account and every factor has a count of its own',
      (store) => ({
        async clear(account, factor) {
          await store.clear(account, factor)
          await store.clear(account, 'password')
        },
      }),
    ],
    [
      'account and factor are joined without a separator',
      'every account and every factor has a count of its own',
      (store) => ({
        fail: (account, factor) => store.fail(`${account}${factor}`, ''),
        count: (account, factor) => store.count(`${account}${factor}`, ''),
      }),
    ],
    [
      'a count never begins again',
      'clear begins again with 0, also where there is no failure',
      () => ({ clear: async () => undefined }),
    ],
    [
      'factors are compared without their case',
      'every account and every factor has a count of its own',
      (store) => ({ fail: (account, factor) => store.fail(account, factor.toLowerCase()) }),
    ],
    [
      'names are trimmed',
      'accounts and factors that look alike are kept apart',
      (store) => ({
        fail: (account, factor) => store.fail(account.trim(), factor.trim()),
        count: (account, factor) => store.count(account.trim(), factor.trim()),
      }),
    ],
  ]

test.each(brokenStores)('the kit for lockout stores finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryLockoutStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeLockoutStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'lockout stores',
  describeKit: describeLockoutStore,
  createStore: createMemoryLockoutStore,
  reads: ['count'],
  changes: ['fail', 'clear'],
})
