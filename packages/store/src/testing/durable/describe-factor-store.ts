import { randomToken } from '@latchkey/bytes'
import type { FactorStore, StoredFactor } from '../../factor-store.ts'
import { holds, same } from '../assertions.ts'
import { describeOutages, type KitOutages, type OutageCalls } from '../describe-outages.ts'
import { nearTwins } from '../near-twins.ts'
import { pairOnce, runTables, type TestRunner, type TestTable } from '../test-runner.ts'

export interface FactorStoreKit extends TestRunner, KitOutages<FactorStore> {
  /** Creates a client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => FactorStore | Promise<FactorStore>
}

interface FactorBench {
  readonly store: FactorStore
  readonly other: FactorStore
  /** A factor with a fresh id and a fresh account, and these fields. */
  newFactor(fields?: Partial<StoredFactor>): StoredFactor
  insert(fields?: Partial<StoredFactor>): Promise<StoredFactor>
}

/**
 * Describes the whole contract of `FactorStore` as tests of a runner: nothing is overwritten, each swap and each
 * removal has one winner, and every factor is listed for its own account.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryFactorStore } from '@latchkey/store'
 * import { describeFactorStore } from '@latchkey/store/testing'
 * const store = createMemoryFactorStore()
 * describeFactorStore({ describe, test, createStore: () => store })
 */
export function describeFactorStore({ describe, test, createStore, ...outages }: FactorStoreKit): void {
  const connect = pairOnce(createStore)
  const openBench = async (): Promise<FactorBench> => {
    const [store, other] = await connect()
    const newFactor = (fields: Partial<StoredFactor> = {}): StoredFactor => {
      const [id, accountId] = [`kit_${randomToken(16)}`, `acc_${randomToken(16)}`]
      return { id, accountId, kind: 'totp', value: 'first', ...fields, version: 1 }
    }
    const insert = async (fields: Partial<StoredFactor> = {}): Promise<StoredFactor> => {
      const factor = newFactor(fields)
      holds(await store.insert(withoutVersion(factor)), 'insert of a fresh id must be true')
      return factor
    }
    return { store, other, newFactor, insert }
  }
  const tables = { contract: factorContract, listing: factorListing, concurrency: factorConcurrency }
  describe('factor store', () => {
    runTables({ describe, test }, tables, openBench)
    const prepare = async () => prepareOutages(await openBench())
    const probe = (client: FactorStore) => client.get('kit_unknown')
    describeOutages({ ...outages, describe, test, clients: connect, prepare, probe })
  })
}

async function prepareOutages({ store, other, newFactor, insert }: FactorBench): Promise<OutageCalls<FactorStore>> {
  const [called, replaced, removed, inserted] = [await insert(), await insert(), await insert(), newFactor()]
  const left = (factor: StoredFactor, what: string) => async () =>
    same(await other.get(factor.id), factor, `the factor of the failed ${what}`)
  return {
    callsOf: (client) => ({
      get: () => client.get(called.id),
      insert: () => client.insert(withoutVersion(newFactor())),
      replace: () => client.replace(called.id, 1, 'second'),
      remove: () => client.remove(called.id),
      listByAccount: () => client.listByAccount(called.accountId),
    }),
    changes: {
      insert: {
        call: () => store.insert(withoutVersion(inserted)),
        checkUndone: async () => same(await other.get(inserted.id), null, 'the factor of the failed insert'),
      },
      replace: { call: () => store.replace(replaced.id, 1, 'late'), checkUndone: left(replaced, 'replace') },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
    },
  }
}

function withoutVersion({ id, accountId, kind, value }: StoredFactor): Omit<StoredFactor, 'version'> {
  return { id, accountId, kind, value }
}

const factorContract: TestTable<FactorBench> = {
  'an inserted factor has version 1 and is read by every client': async ({ store, other, insert }) => {
    const factor = await insert()
    same([await store.get(factor.id), await other.get(factor.id)], [factor, factor], 'the factor')
    same(await store.get(`${factor.id}0`), null, 'an unknown id')
  },

  'insert never overwrites': async ({ other, insert, newFactor }) => {
    const factor = await insert()
    const intruder = newFactor({ id: factor.id, value: 'second' })
    same(await other.insert(withoutVersion(intruder)), false, 'insert of an id that exists')
    same(await other.get(factor.id), factor, 'the factor that was there')
    same(await other.listByAccount(intruder.accountId), [], 'the factors of the account that was refused')
  },

  'replace swaps the value of the current version only': async ({ store, other, insert }) => {
    const factor = await insert()
    same(await other.replace(factor.id, 1, 'second'), true, 'replace of version 1')
    same(await store.replace(factor.id, 1, 'late'), false, 'a second replace of version 1')
    same(await store.replace(factor.id, 3, 'early'), false, 'replace of version 3')
    same(await store.get(factor.id), { ...factor, value: 'second', version: 2 }, 'the factor')
  },

  'replace never creates': async ({ store, insert }) => {
    const factor = await insert()
    await store.remove(factor.id)
    same(await store.replace(factor.id, 1, 'second'), false, 'replace of a removed factor')
    same(await store.get(factor.id), null, 'the removed factor')
    same(await store.listByAccount(factor.accountId), [], 'the factors of its account')
  },

  'remove is true once': async ({ store, other, insert }) => {
    const factor = await insert()
    same([await store.remove(factor.id), await other.remove(factor.id)], [true, false], 'both removes')
    same(await other.get(factor.id), null, 'the factor')
  },

  'changing an object that the store returned does not change the factor': async ({ store, insert }) => {
    const factor = await insert()
    const given = [await store.get(factor.id), ...(await store.listByAccount(factor.accountId))]
    for (const one of given) if (one && !Object.isFrozen(one)) Object.assign(one, { value: 'spoiled', version: 9 })
    same(await store.get(factor.id), factor, 'the factor')
  },
}

const factorListing: TestTable<FactorBench> = {
  'a listing has every factor of the account and no other': async ({ store, other, insert }) => {
    const first = await insert()
    const { accountId } = first
    const factors = [first, await insert({ accountId, kind: 'passkey' }), await insert({ accountId })]
    await insert({ accountId: `${accountId}0` })
    same(sortById(await other.listByAccount(accountId)), sortById(factors), 'the factors')
    await store.remove(first.id)
    same(sortById(await other.listByAccount(accountId)), sortById(factors.slice(1)), 'the factors that are left')
  },

  'more than a hundred factors are all listed': async ({ other, insert }) => {
    const { accountId } = await insert()
    await Promise.all(Array.from({ length: 120 }, () => insert({ accountId })))
    same((await other.listByAccount(accountId)).length, 121, 'the number of factors')
  },

  'ids and accounts that look alike are kept apart': async ({ store, other, newFactor }) => {
    for (const [what, name, twin] of nearTwins()) {
      for (const id of [name, twin]) await store.remove(id)
      const [mine, theirs] = [newFactor({ id: name, accountId: name }), newFactor({ id: twin, accountId: twin })]
      const inserted = [await store.insert(withoutVersion(mine)), await store.insert(withoutVersion(theirs))]
      same(inserted, [true, true], `inserts of ids with ${what}`)
      same(await other.listByAccount(name), [mine], `the factors of an account with ${what}`)
      same(await other.remove(name), true, `remove of an id with ${what}`)
      same(await other.get(twin), theirs, `the other factor, with ${what}`)
      await store.remove(twin)
    }
  },
}

const factorConcurrency: TestTable<FactorBench> = {
  'of parallel inserts of one id exactly one wins': async ({ store, other, newFactor }) => {
    const factor = withoutVersion(newFactor())
    const outcomes = await race((index) => (index % 2 ? other : store).insert({ ...factor, value: `caller ${index}` }))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same(
      (await store.get(factor.id))?.value,
      `caller ${outcomes.indexOf(true)}`,
      'the value, which is that of the winner',
    )
  },

  'of parallel replaces of one version exactly one wins': async ({ store, other, insert }) => {
    const { id } = await insert()
    const outcomes = await race((index) => (index % 2 ? other : store).replace(id, 1, `caller ${index}`))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same((await store.get(id))?.value, `caller ${outcomes.indexOf(true)}`, 'the value, which is that of the winner')
  },

  'of parallel removes exactly one wins': async ({ store, other, insert }) => {
    const { id } = await insert()
    const outcomes = await race((index) => (index % 2 ? other : store).remove(id))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
  },

  'a removal beats a replace in flight': async ({ store, other, insert }) => {
    const { id, accountId } = await insert()
    await Promise.all([store.replace(id, 1, 'second'), other.remove(id), store.replace(id, 1, 'third')])
    same(await store.get(id), null, 'the factor')
    same(await store.listByAccount(accountId), [], 'the factors of its account')
  },

  'every one of parallel inserts is listed': async ({ store, other, newFactor }) => {
    const { accountId } = newFactor()
    await race((index) => (index % 2 ? other : store).insert(withoutVersion(newFactor({ accountId }))))
    same((await other.listByAccount(accountId)).length, 20, 'the number of factors')
  },
}

function race<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 20 }, (_none, index) => call(index)))
}

function sortById(factors: readonly StoredFactor[]): readonly StoredFactor[] {
  return [...factors].sort((left, right) => (left.id < right.id ? -1 : 1))
}
