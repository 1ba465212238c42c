import { describeOutages, type KitOutages, type OutageCalls, type TestRunner } from '@latchkey/store/testing'
import type { AccountStore } from '../store/account-store.ts'
import type { ProfileStore } from '../store/profile-store.ts'
import { drawAccount } from './account-bench.ts'
import { holds, isAccount } from './assertions.ts'

/** What the kit needs to test a store of profiles. */
export interface ProfileStoreKit extends TestRunner, KitOutages<ProfiledStores> {
  /** Creates the stores of one backend. It is called once, when the first test runs. */
  readonly createStores: () => ProfiledStores | Promise<ProfiledStores>
}

interface ProfiledStores {
  readonly accounts: AccountStore
  readonly profiles: ProfileStore
}

/**
 * Describes the contract of `ProfileStore` as tests of a runner: the name of one account changes, and nothing else.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAccountStore } from '@latchkey/accounts'
 * import { describeProfileStore } from '@latchkey/accounts/testing'
 * const accounts = createMemoryAccountStore()
 * describeProfileStore({ describe, test, createStores: () => ({ accounts, profiles: accounts }) })
 */
export function describeProfileStore({ describe, test, createStores, ...outages }: ProfileStoreKit): void {
  let opened: Promise<ProfiledStores> | undefined
  const open = () => {
    opened ??= Promise.resolve(createStores())
    return opened
  }
  describe('profile store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(profileTests)) test(title, async () => body(await open()))
    })
    const clients = async (): Promise<readonly [ProfiledStores, ProfiledStores]> => [await open(), await open()]
    const probe = ({ accounts }: ProfiledStores) => accounts.get('acc_unknown')
    describeOutages({ ...outages, describe, test, clients, prepare: prepareOutages, probe })
  })
}

/** Renaming while the backend fails. */
async function prepareOutages({ accounts, profiles }: ProfiledStores): Promise<OutageCalls<ProfiledStores>> {
  const [called, renamed] = [drawAccount(), drawAccount()]
  for (const account of [called, renamed]) await accounts.insert(account)
  return {
    callsOf: (client) => ({ rename: () => client.profiles.rename(called.id, 'Grace Hopper') }),
    changes: {
      rename: {
        call: () => profiles.rename(renamed.id, 'Grace Hopper'),
        checkUndone: async () =>
          isAccount(await accounts.get(renamed.id), renamed, 'the account after the failed rename'),
      },
    },
  }
}

const profileTests: Readonly<Record<string, (stores: ProfiledStores) => Promise<void>>> = {
  'rename changes the name of one account and nothing else of it': async ({ accounts, profiles }) => {
    const [account, other] = [drawAccount({ keptKey: null }), drawAccount()]
    for (const one of [account, other]) await accounts.insert(one)
    await accounts.replace(account.id, {}, { epoch: account.epoch + 1, keptKey: 'se_kept' })
    const name = "Åda O'Hara 😀"
    holds((await profiles.rename(account.id, name)) === true, 'rename of an account must be true')
    const expected = { ...account, name, epoch: account.epoch + 1, keptKey: 'se_kept' }
    isAccount(await accounts.get(account.id), expected, 'the account')
    isAccount(await accounts.getByEmail(account.email), expected, 'the account by its e-mail')
    isAccount(await accounts.get(other.id), other, 'another account')
  },

  'rename to the name that an account has is true': async ({ accounts, profiles }) => {
    const account = drawAccount()
    await accounts.insert(account)
    holds((await profiles.rename(account.id, account.name)) === true, 'rename to the same name must be true')
    isAccount(await accounts.get(account.id), account, 'the account')
  },

  'rename never creates an account': async ({ accounts, profiles }) => {
    const { id } = drawAccount()
    holds((await profiles.rename(id, 'Nobody')) === false, 'rename of no account must be false')
    isAccount(await accounts.get(id), null, 'the account')
  },
}
