import type { AccountStore } from '../store/account-store.ts'
import { type AccountKit, runTables } from './account-bench.ts'
import { accountConcurrency } from './account-concurrency.ts'
import { accountContract } from './account-contract.ts'
import { prepareAccountOutages } from './account-outages.ts'

/** What the kit needs to test a store. */
export interface AccountStoreKit extends AccountKit<AccountStore> {}

/**
 * Describes the whole contract of `AccountStore` as tests of a runner: unique addresses, swaps that have one winner and
 * change nothing else, and removals that stay. It draws fresh ids and addresses, so the backend need not be empty.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * import { describeAccountStore } from '@latchkey/accounts/testing'
 * const store = createMemoryAccountStore()
 * describeAccountStore({ describe, test, createStore: () => store })
 */
export function describeAccountStore(kit: AccountStoreKit): void {
  const tables = { contract: accountContract, concurrency: accountConcurrency }
  kit.describe('account store', () => runTables(kit, { tables, prepareOutages: prepareAccountOutages }))
}
