import type { AccountStore } from '../../store/account-store.ts'
import { brokenIdentities } from './broken-identities.ts'
import { brokenInserts } from './broken-inserts.ts'
import { brokenListing } from './broken-listing.ts'
import { brokenReservations } from './broken-reservations.ts'
import { brokenSwaps } from './broken-swaps.ts'

/**
 * Account stores that look correct and are not, each with one mistake that real stores have had. `fails` is the title
 * of the test of `describeAccountStore` that finds it; other tests may fail as well. `createStore` creates the store on
 * a new backend: use it for both clients.
 *
 * @example
 * import { brokenAccountStores } from '@latchkey/accounts/testing'
 * for (const { name, fails } of brokenAccountStores) process.stdout.write(`${name}: ${fails}\n`)
 */
export const brokenAccountStores: readonly {
  readonly name: string
  readonly fails: string
  readonly createStore: () => AccountStore
}[] = [...brokenInserts, ...brokenSwaps, ...brokenListing, ...brokenReservations, ...brokenIdentities]
