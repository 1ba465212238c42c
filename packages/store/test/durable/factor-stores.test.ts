import { createMemoryFactorStore, type FactorStore } from '@latchkey/store'
import { describeFactorStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryFactorStore()
  describeFactorStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: FactorStore) => Partial<FactorStore>

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
  changes: ['insert', 'replace', 'remove'],
})
