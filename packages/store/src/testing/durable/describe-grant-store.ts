import type { GrantStore, StoredGrant } from '../../grant-store.ts'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable, fresh, isOwnCopy, race, winnerOf } from './kit-bench.ts'

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
  describeDurable('grant store', kit, { contract: grantContract })
}

type NewGrant = Omit<StoredGrant, 'version'>

function newGrant(fields: Partial<NewGrant> = {}): NewGrant {
  return { id: fresh('gr'), accountId: fresh('acc'), clientId: 'web', value: 'first', ...fields }
}

async function insertFresh(store: GrantStore, fields: Partial<NewGrant> = {}): Promise<StoredGrant> {
  const grant = newGrant(fields)
  holds(await store.insert(grant), 'insert of a fresh grant must be true')
  return { ...grant, version: 1 }
}

const byId = (grants: readonly StoredGrant[]) => [...grants].sort((one, other) => (one.id < other.id ? -1 : 1))

const grantContract: TestTable<DurableBench<GrantStore>> = {
  'an inserted grant has version 1 and is read by its id, and by account and client': async ({ store, other }) => {
    const grant = await insertFresh(store)
    same([await other.get(grant.id), await other.getByClient(grant.accountId, 'web')], [grant, grant], 'the grant')
    same(await other.getByClient(grant.accountId, 'we'), null, 'the grant of another client')
    same(await other.getByClient(`${grant.accountId}0`, 'web'), null, 'the grant of another account')
    await isOwnCopy(() => store.get(grant.id))
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
    const winner = winnerOf(await race(bench, (client, index) => client.replace(grant.id, 1, `caller ${index}`)))
    same(await bench.other.get(grant.id), { ...grant, version: 2, value: `caller ${winner}` }, 'the grant')
    await bench.store.remove(grant.id)
    same(await bench.other.replace(grant.id, 2, 'late'), false, 'replace of a removed grant')
    same(await bench.other.get(grant.id), null, 'the removed grant')
  },

  'of parallel removes exactly one wins, and the account may grant anew': async (bench) => {
    const grant = await insertFresh(bench.store)
    winnerOf(await race(bench, (client) => client.remove(grant.id)))
    const { version, ...again } = { ...grant, id: fresh('gr') }
    same(await bench.other.insert(again), true, 'a new grant for the client')
    same(await bench.other.getByClient(grant.accountId, 'web'), { ...again, version }, 'the new grant')
  },

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
}
