import type { OutageCalls, OutageChange } from '@latchkey/store/internal/testing'
import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import type { ReservedAddress } from '../store/address-reservations.ts'
import { drawAccount } from './account-bench.ts'
import { holds, isAccount } from './assertions.ts'

/** Every method of account stores, and of the groups of this one, while the backend fails. */
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
      getByEmail: () => client.getByEmail(called.email),
      replace: () => client.replace(called.id, {}, { epoch: called.epoch }),
      remove: () => client.remove(called.id),
      list: () => client.list(),
      ...optionalCallsOf(client, called),
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
      ...(await prepareReservations(store)),
    },
  }
}

function optionalCallsOf(client: AccountStore, called: StoredAccount): Record<string, () => Promise<unknown>> {
  const { reservations, identities } = client
  return {
    ...(client.getMany && { getMany: async () => client.getMany?.([called.id]) }),
    ...(client.listRoleHolders && { listRoleHolders: async () => client.listRoleHolders?.() }),
    ...(reservations && {
      reserve: () => reservations.reserve(reservationOf(called), called.epoch),
      listByAccount: () => reservations.listByAccount(called.id, 1),
      find: () => reservations.find(called.email, 1),
      release: () => reservations.release(0),
    }),
    ...(identities && { read: () => identities.read('se_unknown') }),
  }
}

function reservationOf({ email, id }: StoredAccount): ReservedAddress {
  return { email, accountId: id, since: 1, until: 2 }
}

async function prepareReservations(store: AccountStore): Promise<Record<string, OutageChange>> {
  const { reservations } = store
  if (!reservations) return {}
  const [reserved, left] = [drawAccount(), drawAccount()]
  for (const account of [reserved, left]) await store.insert(account)
  await reservations.reserve(reservationOf(left), left.epoch)
  await store.replace(left.id, {}, { email: drawAccount().email })
  return {
    reserve: {
      call: () => reservations.reserve(reservationOf(reserved), reserved.epoch),
      checkUndone: async () =>
        holds((await reservations.find(reserved.email, 1)) === null, 'the failed reserve must have no effect'),
    },
    release: {
      call: () => reservations.release(3),
      checkUndone: async () =>
        holds((await reservations.find(left.email, 1)) !== null, 'the failed release must have no effect'),
    },
  }
}
