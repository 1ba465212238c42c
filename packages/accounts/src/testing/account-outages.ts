import type { OutageCalls } from '@latchkey/store/testing'
import type { AccountDirectory, AccountStore, StoredAccount } from '../store/account-store.ts'
import { drawAccount } from './account-bench.ts'
import { isAccount } from './assertions.ts'

/** Every method of account stores while the backend fails. */
export async function prepareAccountOutages(
  store: AccountStore,
  other: AccountStore,
): Promise<OutageCalls<AccountStore>> {
  const [called, replaced, removed, inserted] = [drawAccount(), drawAccount(), drawAccount(), drawAccount()]
  for (const account of [called, replaced, removed]) await store.insert(account)
  const { id, epoch } = replaced
  const left = (account: StoredAccount, what: string) => async () =>
    isAccount(await other.get(account.id), account, `the account of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert(drawAccount()),
      get: () => client.get(called.id),
      getMany: () => client.getMany([called.id]),
      getByEmail: () => client.getByEmail(called.email),
      replace: () => client.replace(called.id, {}, { epoch: called.epoch }),
      remove: () => client.remove(called.id),
    }),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => isAccount(await other.get(inserted.id), null, 'the account of the failed insert'),
      },
      replace: {
        call: () => store.replace(id, { epoch }, { epoch: epoch + 1, passwordHash: 'late' }),
        checkUndone: left(replaced, 'replace'),
      },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
    },
  }
}

/** The listing of directories while the backend fails. */
export async function prepareDirectoryOutages(): Promise<OutageCalls<AccountDirectory>> {
  return {
    callsOf: (client) => ({
      list: () => client.list(),
      ...(client.listRoleHolders && { listRoleHolders: async () => client.listRoleHolders?.() }),
    }),
    changes: {},
  }
}
