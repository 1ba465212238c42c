import type { LockoutStore } from '../../lockout-store.ts'
import { same } from '../assertions.ts'
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
  describeDurable('lockout store', kit, { contract: lockoutContract })
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
    for (const [accountId, factor] of [
      [account, 'password'],
      [account, 'totp'],
      [`${account}0`, 'password'],
      [account, 'Password'],
    ] as const) {
      same(await store.fail(accountId, factor), 1, `the first failure of ${factor}`)
    }
    await store.clear(account, 'password')
    same([await other.count(account, 'totp'), await other.count(`${account}0`, 'password')], [1, 1], 'the others')
  },
}
