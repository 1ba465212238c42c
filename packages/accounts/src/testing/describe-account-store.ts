import { describeOutages, type KitOutages, type TestRunner } from '@latchkey/store/testing'
import type { AccountStore } from '../store/account-store.ts'
import type { AccountBench, AccountTests } from './account-bench.ts'
import { accountConcurrency } from './account-concurrency.ts'
import { accountContract } from './account-contract.ts'
import { accountIdentities } from './account-identities.ts'
import { accountListing } from './account-listing.ts'
import { prepareAccountOutages } from './account-outages.ts'
import { accountReservations } from './account-reservations.ts'
import { accountSwaps } from './account-swaps.ts'

/** The listing first: it takes the longer, the more accounts there are. */
const tables: Readonly<Record<string, AccountTests>> = {
  listing: accountListing,
  contract: accountContract,
  swaps: accountSwaps,
  concurrency: accountConcurrency,
  reservations: accountReservations,
  identities: accountIdentities,
}

/**
 * Describes the whole contract of `AccountStore` as tests of a runner: unique e-mails, swaps with one winner, removals
 * that stay, complete pages. The tests of an optional method or group do nothing if the store has none.
 *
 * Every id and e-mail is fresh, but all accounts are listed: use a backend with few.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * import { describeAccountStore } from '@latchkey/accounts/testing'
 * const store = createMemoryAccountStore()
 * describeAccountStore({ describe, test, createStore: () => store })
 */
export function describeAccountStore(
  kit: TestRunner &
    KitOutages<AccountStore> & {
      /** Creates one client of the backend under test. Called twice, when the first test runs. */
      readonly createStore: () => AccountStore | Promise<AccountStore>
      /** The clock of `identities.records`, in epoch milliseconds. With `wait`. Omitted: the instant of expiry is not tested. */
      readonly now?: () => number
      /** Resolves when that clock has advanced by so many milliseconds. */
      readonly wait?: (milliseconds: number) => Promise<void>
    },
): void {
  const { describe, test, createStore, now, wait, ...outages } = kit
  async function waitUntil(instant: number): Promise<boolean> {
    if (!now || !wait) return false
    await wait(instant - now())
    return now() === instant
  }
  const connect = async (): Promise<AccountBench> => ({
    store: await createStore(),
    other: await createStore(),
    waitUntil,
  })
  let opened: Promise<AccountBench> | undefined
  const open = () => {
    opened ??= connect()
    return opened
  }
  const clients = async (): Promise<readonly [AccountStore, AccountStore]> => {
    const { store, other } = await open()
    return [store, other]
  }
  describe('account store', () => {
    for (const [name, tests] of Object.entries(tables)) {
      describe(name, () => {
        for (const [title, body] of Object.entries(tests)) test(title, async () => body(await open()))
      })
    }
    const probe = (client: AccountStore) => client.get('acc_unknown')
    describeOutages({ ...outages, describe, test, clients, prepare: prepareAccountOutages, probe })
  })
}
