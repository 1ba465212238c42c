import type { GrantStore, StoredGrant } from '../../grant-store.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { TestTable } from '../test-runner.ts'
import {
  type DurableBench,
  type DurableKit,
  describeDurable,
  fresh,
  isOwnCopy,
  race,
  usesNoVersionAgain,
  versionOf,
  winnerOf,
} from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface GrantStoreKit extends DurableKit<GrantStore> {}

/**
 * Describes the whole contract of `GrantStore` as tests of a runner: an account has at most one grant for a client, and
 * each swap and each removal has one winner.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryGrantStore } from '@latchkey/store'
 * import { describeGrantStore } from '@latchkey/store/testing'
 * const store = createMemoryGrantStore()
 * describeGrantStore({ describe, test, createStore: () => store })
 */
export function describeGrantStore(kit: GrantStoreKit): void {
  const tables = { contract: grantContract, listing: grantListing }
  describeDurable('grant store', kit, { tables, prepareOutages, probe: (client) => client.get('kit_unknown') })
}

async function prepareOutages({ store, other }: DurableBench<GrantStore>): Promise<OutageCalls<GrantStore>> {
  const [called, replaced, removed] = [await insertFresh(store), await insertFresh(store), await insertFresh(store)]
  const [emptied, inserted] = [await insertFresh(store), newGrant()]
  const left = (grant: StoredGrant, what: string) => async () =>
    same(await other.get(grant.id), grant, `the grant of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert(newGrant()),
      get: () => client.get(called.id),
      getByClient: () => client.getByClient(called.accountId, called.clientId),
      replace: () => client.replace(called.id, called.version, 'second'),
      remove: () => client.remove(called.id),
      listByAccount: () => client.listByAccount(called.accountId),
      removeByAccount: () => client.removeByAccount(called.accountId),
    }),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => same(await other.get(inserted.id), null, 'the grant of the failed insert'),
      },
      replace: {
        call: () => store.replace(replaced.id, replaced.version, 'late'),
        checkUndone: left(replaced, 'replace'),
      },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
      removeByAccount: {
        call: () => store.removeByAccount(emptied.accountId),
        checkUndone: left(emptied, 'removeByAccount'),
      },
    },
  }
}

type NewGrant = Omit<StoredGrant, 'version'>

function newGrant(fields: Partial<NewGrant> = {}): NewGrant {
  return { id: fresh('gr'), accountId: fresh('acc'), clientId: 'web', value: 'first', ...fields }
}

async function insertFresh(store: GrantStore, fields: Partial<NewGrant> = {}): Promise<StoredGrant> {
  const grant = newGrant(fields)
  holds(await store.insert(grant), 'insert of a fresh grant must be true')
  return { ...grant, version: await versionOf(store, grant.id) }
}

const byId = (grants: readonly StoredGrant[]) => [...grants].sort((one, other) => (one.id < other.id ? -1 : 1))

const grantContract: TestTable<DurableBench<GrantStore>> = {
  'an inserted grant is read by its id, and by account and client': async ({ store, other }) => {
    const grant = await insertFresh(store)
    same([await other.get(grant.id), await other.getByClient(grant.accountId, 'web')], [grant, grant], 'the grant')
    same(await other.getByClient(grant.accountId, 'we'), null, 'the grant of another client')
    same(await other.getByClient(`${grant.accountId}0`, 'web'), null, 'the grant of another account')
    await isOwnCopy(() => store.get(grant.id))
    await isOwnCopy(() => store.getByClient(grant.accountId, 'web'))
    await isOwnCopy(async () => (await store.listByAccount(grant.accountId))[0])
  },

  'an account has at most one grant for a client': async ({ store, other }) => {
    const grant = await insertFresh(store)
    same(await other.insert(newGrant({ accountId: grant.accountId })), false, 'a second grant for the client')
    same(await other.insert(newGrant({ id: grant.id })), false, 'a grant whose id exists')
    same(await other.listByAccount(grant.accountId), [grant], 'the grants of the account')
    same(await other.insert(newGrant({ accountId: grant.accountId, clientId: 'app' })), true, 'one for another client')
  },

  'of parallel inserts for one account and client exactly one wins': async (bench) => {
    const accountId = fresh('acc')
    const outcomes = await race(bench, (client, index) => client.insert(newGrant({ accountId, value: `${index}` })))
    const winner = winnerOf(outcomes)
    same(
      (await bench.store.getByClient(accountId, 'web'))?.value,
      `${winner}`,
      'the value, which is that of the winner',
    )
  },

  'replace swaps the value of the current version only, and never creates': async (bench) => {
    const grant = await insertFresh(bench.store)
    const winner = winnerOf(
      await race(bench, (client, index) => client.replace(grant.id, grant.version, `caller ${index}`)),
    )
    const second = { ...grant, version: grant.version + 1, value: `caller ${winner}` }
    const third = { ...second, version: grant.version + 2 }
    same(await bench.other.replace(grant.id, third.version, 'early'), false, 'replace of a version to come')
    same(await bench.other.get(grant.id), second, 'the grant')
    same(await bench.store.replace(grant.id, second.version, second.value), true, 'replace by the same value')
    same(await bench.other.get(grant.id), third, 'the grant afterwards')
    await isOwnCopy(() => bench.store.get(grant.id))
    await bench.store.remove(grant.id)
    same(await bench.other.replace(grant.id, third.version, 'late'), false, 'replace of a removed grant')
    same(await bench.other.get(grant.id), null, 'the removed grant')
  },

  'no version of an id is used again, so that a write from before a removal changes nothing': (bench) =>
    usesNoVersionAgain(bench, newGrant()),

  'of parallel removes exactly one wins, and the account may grant anew': async (bench) => {
    const grant = await insertFresh(bench.store)
    winnerOf(await race(bench, (client) => client.remove(grant.id)))
    const { version: _version, ...again } = { ...grant, id: fresh('gr') }
    same(await bench.other.insert(again), true, 'a new grant for the client')
    same(
      await bench.other.getByClient(grant.accountId, 'web'),
      { ...again, version: await versionOf(bench.store, again.id) },
      'the new grant',
    )
  },

  'what is done to one grant is done to no other': async ({ store, other }) => {
    const grant = await insertFresh(store)
    const neighbour = await insertFresh(store, { accountId: grant.accountId, clientId: 'app' })
    await store.replace(grant.id, grant.version, 'second')
    same(await other.get(neighbour.id), neighbour, 'another grant, after a replace')
    same([await store.remove(grant.id), await other.remove(grant.id)], [true, false], 'both removes')
    same(await other.getByClient(grant.accountId, 'app'), neighbour, 'another grant, after a removal')
  },

  'ids, accounts and clients that look alike are kept apart': async ({ store, other }) => {
    for (const [what, name, twin] of confusablePairs()) {
      for (const id of [name, twin]) await store.remove(id)
      const shared = fresh('acc')
      const mine = await insertFresh(store, { id: name, accountId: shared, clientId: name })
      const theirs = await insertFresh(other, { id: twin, accountId: shared, clientId: twin })
      same([await other.get(name), await store.get(twin)], [mine, theirs], `grants whose ids have ${what}`)
      same(await other.getByClient(shared, name), mine, `the grant for a client with ${what}`)
      same(await other.remove(name), true, `remove of an id with ${what}`)
      same(await store.getByClient(shared, twin), theirs, `the other grant, with ${what}`)
      await store.remove(twin)
      for (const account of [name, twin]) await store.removeByAccount(account)
      const own = await insertFresh(store, { accountId: name })
      same(await other.listByAccount(twin), [], `the grants of the other account, with ${what}`)
      same(await other.removeByAccount(twin), 0, `how many were removed for the other account, with ${what}`)
      same(await other.listByAccount(name), [own], `the grants of an account with ${what}`)
      await store.remove(own.id)
    }
  },
}

const grantListing: TestTable<DurableBench<GrantStore>> = {
  'a listing has every grant of the account and no other, and removeByAccount removes them': async (bench) => {
    const accountId = fresh('acc')
    const clients = ['web', 'app', 'tv']
    const grants = await Promise.all(clients.map((clientId) => insertFresh(bench.store, { accountId, clientId })))
    const foreign = await insertFresh(bench.store, { accountId: `${accountId}0` })
    same(byId(await bench.other.listByAccount(accountId)), byId(grants), 'the grants')
    const removed = await race(bench, (client) => client.removeByAccount(accountId))
    same(
      removed.reduce((sum, count) => sum + count, 0),
      3,
      'how many were removed by all calls',
    )
    same(await bench.other.listByAccount(accountId), [], 'the grants afterwards')
    same(await bench.other.get(foreign.id), foreign, 'the grant of another account')
  },

  'more than a hundred grants are all listed, and all removed': async ({ store, other }) => {
    const accountId = fresh('acc')
    const clients = Array.from({ length: 101 }, (_none, index) => `client_${index}`)
    await Promise.all(clients.map((clientId) => insertFresh(store, { accountId, clientId })))
    same((await other.listByAccount(accountId)).length, 101, 'the number of grants')
    same(await other.removeByAccount(accountId), 101, 'how many were removed')
    same(await store.listByAccount(accountId), [], 'the grants afterwards')
  },
}
