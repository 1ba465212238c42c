import { type DurableBench, describeDurable, type TestTable } from '@latchkey/store/internal/testing'
import type { StoreKit } from '@latchkey/store/testing'
import type { AccountStore } from '../store/account-store.ts'
import { type AccountTests, type OptionalPart, optionalParts } from './account-bench.ts'
import { accountConcurrency } from './account-concurrency.ts'
import { accountContract, accountGetMany } from './account-contract.ts'
import { accountIdentities, accountIdentityInstants } from './account-identities.ts'
import { accountListing, accountRoleHolders } from './account-listing.ts'
import { prepareAccountOutages } from './account-outages.ts'
import { accountReservations } from './account-reservations.ts'
import { accountSwaps } from './account-swaps.ts'
import { holds } from './assertions.ts'

/**
 * Describes the whole contract of `AccountStore` as tests of a runner: unique e-mails, swaps with one winner, removals
 * that stay, complete pages.
 *
 * Every id and e-mail is fresh, but all accounts are listed: use a backend with few.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * import { describeAccountStore } from '@latchkey/accounts/testing'
 * const store = createMemoryAccountStore()
 * const optional = ['getMany', 'listRoleHolders', 'reservations'] as const
 * describeAccountStore({ describe, test, createStore: () => store, optional })
 */
export function describeAccountStore(
  kit: StoreKit<AccountStore> & {
    /**
     * The optional methods and groups that the store has. The tests of the others are skipped, and a store that has others
     * fails.
     * @default none
     */
    readonly optional?: readonly ('getMany' | 'listRoleHolders' | 'reservations' | 'identities')[]
  },
): void {
  const { now, wait, optional = [] } = kit
  const hasClock = now !== undefined && wait !== undefined
  const waitUntil = async (instant: number): Promise<void> => {
    if (!now || !wait) throw new Error('"now" and "wait" must be given')
    await wait(instant - now())
    holds(now() === instant, 'the clock of the kit must be where "wait" has moved it')
  }
  const withClock = (tests: AccountTests): TestTable<DurableBench<AccountStore>> =>
    Object.fromEntries(
      Object.entries(tests).map(([title, body]) => [title, (bench) => body({ ...bench, waitUntil })] as const),
    )
  const has = (part: OptionalPart): boolean => optional.includes(part)
  const needs = (part: OptionalPart): string => `"${part}" of the store`
  describeDurable('account store', kit, {
    // The listing first: it takes the longer, the more accounts there are.
    tables: {
      listing: withClock(accountListing),
      contract: { ...withClock(accountContract), ...toldOf(optional) },
      swaps: withClock(accountSwaps),
      concurrency: withClock(accountConcurrency),
    },
    parts: [
      ['many at once', withClock(accountGetMany), has('getMany'), needs('getMany')],
      ['role holders', withClock(accountRoleHolders), has('listRoleHolders'), needs('listRoleHolders')],
      ['reservations', withClock(accountReservations), has('reservations'), needs('reservations')],
      ['identities', withClock(accountIdentities), has('identities'), needs('identities')],
      [
        'identity instants',
        withClock(accountIdentityInstants),
        has('identities') && hasClock,
        `${needs('identities')}, and "now" and "wait"`,
      ],
    ],
    prepareOutages: ({ store, other }) => prepareAccountOutages(store, other),
    probe: (client) => client.get('acc_unknown'),
  })
}

/** No part of a store is left untested unnoticed. */
function toldOf(optional: readonly string[]): TestTable<DurableBench<AccountStore>> {
  return {
    'the store has those optional methods and groups that the kit was told of': async ({ store }) => {
      for (const part of optionalParts) {
        const isThere = store[part] !== undefined
        const what = isThere ? 'is there, but is not tested: name it in' : 'is not there: leave it out of'
        holds(isThere === optional.includes(part), `"${part}" ${what} "optional" of the kit`)
      }
    },
  }
}
