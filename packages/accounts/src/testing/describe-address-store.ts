import { describeOutages, type KitOutages, type OutageCalls, type TestRunner } from '@latchkey/store/testing'
import type { ReservedAddress } from '../store/address-store.ts'
import { drawAccount } from './account-bench.ts'
import { type AddressedStores, addressTests } from './address-contract.ts'
import { holds } from './assertions.ts'

/** What the kit needs to test a store of addresses. */
export interface AddressStoreKit extends TestRunner, KitOutages<AddressedStores> {
  /** Creates one client of the stores of one backend. It is called twice, when the first test runs. */
  readonly createStores: () => AddressedStores | Promise<AddressedStores>
}

/**
 * Describes the contract of `AddressStore` as tests of a runner: an address that is reserved has one account, under any
 * concurrency, until it is given up.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * import { describeAddressStore } from '@latchkey/accounts/testing'
 * const accounts = createMemoryAccountStore()
 * describeAddressStore({ describe, test, createStores: () => ({ accounts, addresses: accounts }) })
 */
export function describeAddressStore({ describe, test, createStores, ...outages }: AddressStoreKit): void {
  let opened: Promise<readonly [AddressedStores, AddressedStores]> | undefined
  const connect = async () => [await createStores(), await createStores()] as const
  const open = () => {
    opened ??= connect()
    return opened
  }
  describe('address store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(addressTests)) test(title, async () => body(...(await open())))
    })
    const probe = ({ accounts }: AddressedStores) => accounts.get('acc_unknown')
    describeOutages({ ...outages, describe, test, clients: open, prepare: prepareOutages, probe })
  })
}

/** Every method while the backend fails. */
async function prepareOutages({ accounts, addresses }: AddressedStores): Promise<OutageCalls<AddressedStores>> {
  const [called, reserved, left] = [drawAccount(), drawAccount(), drawAccount()]
  for (const account of [called, reserved, left]) await accounts.insert(account)
  const addressOf = ({ email, id }: typeof called): ReservedAddress => ({ email, accountId: id, since: 1, until: 2 })
  await addresses.reserve(addressOf(left), left.epoch)
  await accounts.replace(left.id, {}, { email: drawAccount().email })
  return {
    callsOf: (client) => ({
      reserve: () => client.addresses.reserve(addressOf(called), called.epoch),
      listReserved: () => client.addresses.listReserved(called.id, 1),
      findReserved: () => client.addresses.findReserved(called.email, 1),
      release: () => client.addresses.release(0),
    }),
    changes: {
      reserve: {
        call: () => addresses.reserve(addressOf(reserved), reserved.epoch),
        checkUndone: async () =>
          holds((await addresses.findReserved(reserved.email, 1)) === null, 'the failed reserve must have no effect'),
      },
      release: {
        call: () => addresses.release(3),
        checkUndone: async () =>
          holds((await addresses.findReserved(left.email, 1)) !== null, 'the failed release must have no effect'),
      },
    },
  }
}
