import { createMemoryKeyStore, type KeyStore } from '@latchkey/jwt'
import { describeKeyStore } from '@latchkey/jwt/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryKeyStore()
  describeKeyStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: KeyStore) => Partial<KeyStore>

const find = async (store: KeyStore, id: string) => (await store.list()).find((key) => key.id === id)

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'an instant is kept in seconds',
    'an inserted key is listed to every client as it was given',
    (store) => ({ insert: (key) => store.insert({ ...key, createdAt: Math.floor(key.createdAt / 1000) * 1000 }) }),
  ],
  [
    'insert overwrites',
    'insert of an id that exists changes nothing',
    (store) => ({
      insert: async (key) => {
        await store.remove(key.id)
        return store.insert(key)
      },
    }),
  ],
  [
    'purposes are compared without case',
    'keys of all purposes are listed',
    (store) => ({ insert: (key) => store.insert({ ...key, purpose: key.purpose.toLowerCase() }) }),
  ],
  [
    'retire moves the time',
    'retire sets the time once and nothing else',
    (store) => ({
      retire: async (id, at) => {
        const key = await find(store, id)
        await store.remove(id)
        return key !== undefined && store.insert({ ...key, retiredAt: at })
      },
    }),
  ],
  ['remove does nothing', 'remove is true once, and only its own key goes', () => ({ remove: async () => true })],
  [
    'insert checks first',
    'of parallel inserts of one id exactly one wins',
    (store) => ({
      insert: async (key) => {
        const isNew = (await find(store, key.id)) === undefined
        await turn()
        await store.insert(key)
        return isNew
      },
    }),
  ],
  [
    'retire checks first',
    'of parallel retirements exactly one wins, and its time stays',
    (store) => ({
      retire: async (id, at) => {
        const isCurrent = (await find(store, id))?.retiredAt === null
        await turn()
        await store.retire(id, at)
        return isCurrent
      },
    }),
  ],
  [
    'remove is true for every caller that saw the key',
    'of parallel removes exactly one wins',
    (store) => ({
      remove: async (id) => {
        const isThere = (await find(store, id)) !== undefined
        await turn()
        await store.remove(id)
        return isThere
      },
    }),
  ],
]

test.each(brokenStores)('the kit for key stores finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryKeyStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeKeyStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'key stores',
  describeKit: describeKeyStore,
  createStore: createMemoryKeyStore,
  reads: ['list'],
  changes: ['insert', 'retire', 'remove'],
})
