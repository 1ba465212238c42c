import { createMemoryFactorStore, type FactorStore, firstVersion, type StoredFactor } from '@latchkey/store'
import { describeFactorStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryFactorStore()
  describeFactorStore({ describe, test, createStore: () => store })
})

test('a first version is one of 2 to the 48th, and leaves room for every change that follows', () => {
  const versions = Array.from({ length: 1000 }, firstVersion)
  for (const version of versions) {
    expect(Number.isInteger(version)).toBe(true)
    expect(version).toBeGreaterThanOrEqual(2 ** 48)
    expect(version).toBeLessThan(2 ** 49)
  }
  expect(new Set(versions).size).toBe(versions.length)
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: FactorStore) => Partial<FactorStore>

/** What a removal leaves decides the next version: of a sound store, in other numbers. */
function beginVersionsAt(store: FactorStore, beginAt: (last: number | undefined) => number): FactorStore {
  const offsets = new Map<string, number>()
  const lasts = new Map<string, number>()
  const read = (factor: StoredFactor | null): StoredFactor | null =>
    factor && { ...factor, version: factor.version - (offsets.get(factor.id) ?? 0) }
  return {
    async insert(factor) {
      if (!(await store.insert(factor))) return false
      offsets.set(factor.id, ((await store.get(factor.id))?.version ?? 0) - beginAt(lasts.get(factor.id)))
      return true
    },
    get: async (id) => read(await store.get(id)),
    replace: (id, version, value) => store.replace(id, version + (offsets.get(id) ?? 0), value),
    async remove(id) {
      const last = read(await store.get(id))
      if (last) lasts.set(id, last.version)
      return store.remove(id)
    },
    removeUnlessLast: store.removeUnlessLast,
    listByAccount: async (accountId) => (await store.listByAccount(accountId)).flatMap((factor) => read(factor) ?? []),
  }
}

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'insert overwrites',
    'insert never overwrites',
    (store) => ({
      insert: async (factor) => {
        await store.remove(factor.id)
        return store.insert(factor)
      },
    }),
  ],
  [
    'two inserts win',
    'of parallel inserts of one id exactly one wins',
    (store) => ({
      insert: async (factor) => {
        const isNew = (await store.get(factor.id)) === null
        await turn()
        await store.insert(factor)
        return isNew
      },
    }),
  ],
  [
    'two replaces win',
    'of parallel replaces of one version exactly one wins',
    (store) => ({
      replace: async (id, version, value) => {
        const isCurrent = (await store.get(id))?.version === version
        await turn()
        await store.replace(id, version, value)
        return isCurrent
      },
    }),
  ],
  [
    'replace ignores the version',
    'replace swaps the value of the current version only',
    (store) => ({
      replace: async (id, _version, value) => {
        const factor = await store.get(id)
        return factor !== null && store.replace(id, factor.version, value)
      },
    }),
  ],
  [
    'versions begin at 1 again after a removal',
    'no version of an id is used again, so that a write from before a removal changes nothing',
    (store) => beginVersionsAt(store, () => 1),
  ],
  [
    'versions go on with the last one after a removal',
    'no version of an id is used again, so that a write from before a removal changes nothing',
    (store) => beginVersionsAt(store, (last) => last ?? 1),
  ],
  [
    'replace creates',
    'a removal beats a replace in flight',
    (store) => ({
      replace: async (id, version, value) => {
        const factor = await store.get(id)
        await turn()
        if (!factor) return false
        return (await store.insert({ ...factor, value })) || store.replace(id, version, value)
      },
    }),
  ],
  [
    'remove is true for everybody',
    'of parallel removes exactly one wins',
    (store) => ({
      remove: async (id) => {
        const found = await store.get(id)
        await turn()
        await store.remove(id)
        return found !== null
      },
    }),
  ],
  [
    'two removals each count the other factor',
    'of factors that are removed at once but for the last one, one is left',
    (store) => ({
      removeUnlessLast: async (id) => {
        const { accountId = '', kind } = (await store.get(id)) ?? {}
        const others = (await store.listByAccount(accountId)).filter((other) => other.id !== id && other.kind === kind)
        await turn()
        return others.length > 0 && store.remove(id)
      },
    }),
  ],
  [
    'the last factor of a kind goes while there is one of another kind',
    'the last factor of a kind stays where it is to stay',
    (store) => ({
      removeUnlessLast: async (id) => {
        const { accountId = '' } = (await store.get(id)) ?? {}
        return (await store.listByAccount(accountId)).length > 1 && store.remove(id)
      },
    }),
  ],
  [
    'a listing has one page',
    'more than a hundred factors are all listed',
    (store) => ({ listByAccount: async (accountId) => (await store.listByAccount(accountId)).slice(0, 100) }),
  ],
  [
    'a listing loses a factor',
    'every one of parallel inserts is listed',
    (store) => ({ listByAccount: async (accountId) => (await store.listByAccount(accountId)).slice(1) }),
  ],
  [
    'ids are trimmed',
    'ids and accounts that look alike are kept apart',
    (store) => ({ insert: (factor) => store.insert({ ...factor, id: factor.id.trim() }) }),
  ],
]

test.each(brokenStores)('the kit finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryFactorStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeFactorStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'factor stores',
  describeKit: describeFactorStore,
  createStore: createMemoryFactorStore,
  reads: ['get', 'listByAccount'],
  changes: ['insert', 'replace', 'remove', 'removeUnlessLast'],
})
