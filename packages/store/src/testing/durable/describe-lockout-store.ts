import type { LockoutStore } from '../../lockout-store.ts'
import { same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable, fresh, race } from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface LockoutStoreKit extends DurableKit<LockoutStore> {}

/**
 * Describes the whole contract of `LockoutStore` as tests of a runner: no failure is lost, and each account and factor
 * has a count of its own.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryLockoutStore } from '@latchkey/store'
 * import { describeLockoutStore } from '@latchkey/store/testing'
 * const store = createMemoryLockoutStore()
 * describeLockoutStore({ describe, test, createStore: () => store })
 */
export function describeLockoutStore(kit: LockoutStoreKit): void {
  const tables = { contract: lockoutContract }
  describeDurable('lockout store', kit, { tables, prepareOutages, probe: (client) => client.count('acc_kit', 'none') })
}

async function prepareOutages({ store, other }: DurableBench<LockoutStore>): Promise<OutageCalls<LockoutStore>> {
  const accounts = { called: fresh('acc'), fail: fresh('acc'), clear: fresh('acc') }
  for (const account of Object.values(accounts)) await store.fail(account, 'totp')
  const left = (name: 'fail' | 'clear') => async () =>
    same(await other.count(accounts[name], 'totp'), 1, `the count after the failed ${name}`)
  return {
    callsOf: (client) => ({
      fail: () => client.fail(accounts.called, 'totp'),
      count: () => client.count(accounts.called, 'totp'),
      clear: () => client.clear(accounts.called, 'totp'),
    }),
    changes: {
      fail: { call: () => store.fail(accounts.fail, 'totp'), checkUndone: left('fail') },
      clear: { call: () => store.clear(accounts.clear, 'totp'), checkUndone: left('clear') },
    },
  }
}

const lockoutContract: TestTable<DurableBench<LockoutStore>> = {
  'failures are counted, and every client reads the count': async ({ store, other }) => {
    const account = fresh('acc')
    same(await store.count(account, 'password'), 0, 'the count before')
    same([await store.fail(account, 'password'), await other.fail(account, 'password')], [1, 2], 'the answers')
    same([await store.count(account, 'password'), await other.count(account, 'password')], [2, 2], 'the count')
  },

  'of parallel failures none is lost, and each is told another number': async (bench) => {
    const account = fresh('acc')
    const counts = await race(bench, (client) => client.fail(account, 'password'))
    const expected = Array.from({ length: 20 }, (_none, index) => index + 1)
    same(
      [...counts].sort((one, other) => one - other),
      expected,
      'the answers',
    )
    same(await bench.other.count(account, 'password'), 20, 'the count')
  },

  'clear begins again with 0, also where there is no failure': async ({ store, other }) => {
    const account = fresh('acc')
    await store.clear(account, 'password')
    await store.fail(account, 'password')
    await other.clear(account, 'password')
    same(await store.count(account, 'password'), 0, 'the count')
    same(await store.fail(account, 'password'), 1, 'the next failure')
  },

  'every account and every factor has a count of its own': async ({ store, other }) => {
    const account = fresh('acc')
    const pairs = [
      [account, 'password'],
      [account, 'totp'],
      [`${account}0`, 'password'],
      [account, 'Password'],
      [account.slice(0, -1), `${account.slice(-1)}password`],
    ] as const
    for (const [times, [accountId, factor]] of pairs.entries()) {
      for (let failed = 0; failed <= times; failed++) {
        same(await store.fail(accountId, factor), failed + 1, `a failure of ${factor}`)
      }
    }
    const counts = () => Promise.all(pairs.map(([accountId, factor]) => other.count(accountId, factor)))
    same(await counts(), [1, 2, 3, 4, 5], 'the counts')
    await store.clear(account, 'totp')
    same(await counts(), [1, 0, 3, 4, 5], 'the counts after one of them is cleared')
  },

  'accounts and factors that look alike are kept apart': async ({ store, other }) => {
    const account = fresh('acc')
    for (const [what, name, twin] of confusablePairs()) {
      const accounts = [[name, 'totp'] as const, [twin, 'totp'] as const] as const
      // A factor is a word of ours, and short.
      const factors = [[account, name.slice(0, 64)] as const, [account, twin.slice(0, 64)] as const] as const
      for (const [one, two] of name.length > 64 ? [accounts] : [accounts, factors]) {
        for (const pair of [one, two]) await store.clear(...pair)
        same([await store.fail(...one), await store.fail(...one)], [1, 2], `the failures of a name with ${what}`)
        same(await other.count(...two), 0, `the count of the other name, with ${what}`)
        await other.clear(...two)
        same(await other.count(...one), 2, `the count after the other one is cleared, with ${what}`)
        await store.clear(...one)
      }
    }
  },
}
