import { randomToken } from '@latchkey/bytes'
import type { FactorStore, StoredFactor } from '../../factor-store.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import { describeOutages, type KitOutages, type OutageCalls } from '../describe-outages.ts'
import { pairOnce, runTables, type TestRunner, type TestTable } from '../test-runner.ts'

export interface FactorStoreKit extends TestRunner, KitOutages<FactorStore> {
  /** Creates a client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => FactorStore | Promise<FactorStore>
}

interface FactorBench {
  readonly store: FactorStore
  readonly other: FactorStore
  /** A factor with a fresh id and a fresh account, and these fields. */
  newFactor(fields?: Partial<NewFactor>): NewFactor
  insert(fields?: Partial<NewFactor>): Promise<StoredFactor>
}

type NewFactor = Omit<StoredFactor, 'version'>

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
    const newFactor = (fields: Partial<NewFactor> = {}): NewFactor => {
      const [id, accountId] = [`kit_${randomToken(16)}`, `acc_${randomToken(16)}`]
      return { id, accountId, kind: 'totp', value: 'first', ...fields }
    }
    const insert = async (fields: Partial<NewFactor> = {}): Promise<StoredFactor> => {
      const factor = newFactor(fields)
      holds(await store.insert(factor), 'insert of a fresh id must be true')
      return { ...factor, version: await versionOf(store, factor.id) }
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
  const spare = await insert({ accountId: called.accountId })
  const left = (factor: StoredFactor, what: string) => async () =>
    same(await other.get(factor.id), factor, `the factor of the failed ${what}`)
  return {
    callsOf: (client) => ({
      get: () => client.get(called.id),
      insert: () => client.insert(newFactor()),
      replace: () => client.replace(called.id, called.version, 'second'),
      remove: () => client.remove(called.id),
      removeUnlessLast: () => client.removeUnlessLast(called.id),
      listByAccount: () => client.listByAccount(called.accountId),
    }),
    changes: {
      insert: {
        call: () => store.insert(inserted),
        checkUndone: async () => same(await other.get(inserted.id), null, 'the factor of the failed insert'),
      },
      replace: {
        call: () => store.replace(replaced.id, replaced.version, 'late'),
        checkUndone: left(replaced, 'replace'),
      },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
      removeUnlessLast: {
        call: () => store.removeUnlessLast(spare.id),
        checkUndone: left(spare, 'removal of one that is not the last'),
      },
    },
  }
}

async function versionOf(store: FactorStore, id: string): Promise<number> {
  const version = (await store.get(id))?.version ?? 0
  holds(Number.isSafeInteger(version) && version >= 1, 'the version of a factor must be a safe integer of at least 1')
  return version
}

const factorContract: TestTable<FactorBench> = {
  'an inserted factor is read by every client': async ({ store, other, insert }) => {
    const factor = await insert()
    same([await store.get(factor.id), await other.get(factor.id)], [factor, factor], 'the factor')
    same(await store.get(`${factor.id}0`), null, 'an unknown id')
  },

  'insert never overwrites': async ({ other, insert, newFactor }) => {
    const factor = await insert()
    const intruder = newFactor({ id: factor.id, value: 'second' })
    same(await other.insert(intruder), false, 'insert of an id that exists')
    same(await other.get(factor.id), factor, 'the factor that was there')
    same(await other.listByAccount(intruder.accountId), [], 'the factors of the account that was refused')
  },

  'replace swaps the value of the current version only': async ({ store, other, insert }) => {
    const factor = await insert()
    const { id, version } = factor
    same(await other.replace(id, version, 'second'), true, 'replace of the current version')
    same(await store.replace(id, version, 'late'), false, 'a second replace of that version')
    same(await store.replace(id, version + 2, 'early'), false, 'replace of a version to come')
    same(await store.get(id), { ...factor, value: 'second', version: version + 1 }, 'the factor')
  },

  'no version of an id is used again, so that a write from before a removal changes nothing': async ({
    store,
    other,
    insert,
  }) => {
    const { version: first, ...factor } = await insert()
    const { id } = factor
    const versions = [first]
    for (let life = 1; life <= 8; life++) {
      // A life is longer than the one before, so that the same versions would meet.
      for (let change = 0; change < life; change++) {
        const version = versions.at(-1) ?? 0
        holds(await other.replace(id, version, 'changed'), 'replace of the current version must be true')
        versions.push(await versionOf(store, id))
      }
      holds(await store.remove(id), 'remove must be true')
      holds(await other.insert(factor), 'insert of an id that was removed must be true')
      for (const version of versions) {
        same(await store.replace(id, version, 'late'), false, 'replace of a version from before the removal')
      }
      versions.push(await versionOf(store, id))
      same(new Set(versions).size, versions.length, 'the number of versions that the id has had')
    }
    same((await other.get(id))?.value, factor.value, 'the value of the factor in its place')
  },

  'replace never creates': async ({ store, insert }) => {
    const factor = await insert()
    await store.remove(factor.id)
    same(await store.replace(factor.id, factor.version, 'second'), false, 'replace of a removed factor')
    same(await store.get(factor.id), null, 'the removed factor')
    same(await store.listByAccount(factor.accountId), [], 'the factors of its account')
  },

  'remove is true once': async ({ store, other, insert }) => {
    const factor = await insert()
    same([await store.remove(factor.id), await other.remove(factor.id)], [true, false], 'both removes')
    same(await other.get(factor.id), null, 'the factor')
  },

  'the last factor of a kind stays where it is to stay': async ({ store, other, insert }) => {
    const first = await insert()
    const { accountId } = first
    const passkey = await insert({ accountId, kind: 'passkey' })
    await insert()
    same(await store.removeUnlessLast(first.id), false, 'the removal of the only one of its kind and account')
    const second = await insert({ accountId })
    const removals = [await other.removeUnlessLast(first.id), await store.removeUnlessLast(first.id)]
    same(removals, [true, false], 'both removals of one of two')
    same(await other.removeUnlessLast(second.id), false, 'the removal of the last one')
    same(await store.removeUnlessLast(`${second.id}0`), false, 'the removal of an unknown one')
    same(sortById(await store.listByAccount(accountId)), sortById([passkey, second]), 'what is left')
    same(await store.remove(second.id), true, 'the removal of the last one by remove')
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
    for (const [what, name, twin] of confusablePairs()) {
      for (const id of [name, twin]) await store.remove(id)
      const [mine, theirs] = [newFactor({ id: name, accountId: name }), newFactor({ id: twin, accountId: twin })]
      const inserted = [await store.insert(mine), await store.insert(theirs)]
      same(inserted, [true, true], `inserts of ids with ${what}`)
      same((await other.listByAccount(name)).map(withoutVersion), [mine], `the factors of an account with ${what}`)
      same(await other.remove(name), true, `remove of an id with ${what}`)
      same((await other.listByAccount(twin)).map(withoutVersion), [theirs], `the other factor, with ${what}`)
      await store.remove(twin)
    }
  },
}

const factorConcurrency: TestTable<FactorBench> = {
  'of parallel inserts of one id exactly one wins': async ({ store, other, newFactor }) => {
    const factor = newFactor()
    const outcomes = await race((index) => (index % 2 ? other : store).insert({ ...factor, value: `caller ${index}` }))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same(
      (await store.get(factor.id))?.value,
      `caller ${outcomes.indexOf(true)}`,
      'the value, which is that of the winner',
    )
  },

  'of parallel replaces of one version exactly one wins': async ({ store, other, insert }) => {
    const { id, version } = await insert()
    const outcomes = await race((index) => (index % 2 ? other : store).replace(id, version, `caller ${index}`))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same((await store.get(id))?.value, `caller ${outcomes.indexOf(true)}`, 'the value, which is that of the winner')
  },

  'of parallel removes exactly one wins': async ({ store, other, insert }) => {
    const { id } = await insert()
    const outcomes = await race((index) => (index % 2 ? other : store).remove(id))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
  },

  'of factors that are removed at once but for the last one, one is left': async ({ store, other, newFactor }) => {
    const { accountId } = newFactor()
    const factors = Array.from({ length: 20 }, () => newFactor({ accountId }))
    for (const factor of factors) await store.insert(factor)
    const outcomes = await race((index) =>
      (index % 2 ? other : store).removeUnlessLast(factors[index]?.id ?? 'kit_unknown'),
    )
    const left = await store.listByAccount(accountId)
    same([outcomes.filter(Boolean).length, left.length], [19, 1], 'how many were removed, and how many are left')
    same(left[0]?.id, factors[outcomes.indexOf(false)]?.id, 'the one that is left')
  },

  'a removal beats a replace in flight': async ({ store, other, insert }) => {
    const { id, accountId, version } = await insert()
    const late = (value: string) => store.replace(id, version, value)
    await Promise.all([late('second'), other.remove(id), late('third')])
    same(await store.get(id), null, 'the factor')
    same(await store.listByAccount(accountId), [], 'the factors of its account')
  },

  'every one of parallel inserts is listed': async ({ store, other, newFactor }) => {
    const { accountId } = newFactor()
    await race((index) => (index % 2 ? other : store).insert(newFactor({ accountId })))
    same((await other.listByAccount(accountId)).length, 20, 'the number of factors')
  },
}

function withoutVersion({ id, accountId, kind, value }: StoredFactor): NewFactor {
  return { id, accountId, kind, value }
}

function race<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 20 }, (_none, index) => call(index)))
}

function sortById(factors: readonly StoredFactor[]): readonly StoredFactor[] {
  return [...factors].sort((left, right) => (left.id < right.id ? -1 : 1))
}
