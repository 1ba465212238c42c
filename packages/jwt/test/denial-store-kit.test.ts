import { createMemoryDenialStore, type DenialStore } from '@latchkey/jwt'
import { describeDenialStore } from '@latchkey/jwt/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryDenialStore()
  describeDenialStore({ describe, test, createStore: () => store })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Mistake = (store: DenialStore) => Partial<DenialStore>

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'nothing is denied',
    'what is denied is denied to every client, and nothing else is',
    () => ({ deny: async () => {} }),
  ],
  [
    'everything is denied once something is',
    'what is denied is denied to every client, and nothing else is',
    (store) => {
      let isAny = false
      return {
        deny: async (id, until) => {
          isAny = true
          return store.deny(id, until)
        },
        isAnyDenied: async () => isAny,
      }
    },
  ],
  [
    'ids are compared without case',
    'ids are told apart letter by letter',
    (store) => ({
      deny: (id, until) => store.deny(id.toLowerCase(), until),
      isAnyDenied: (ids) => store.isAnyDenied(ids.map((id) => id.toLowerCase())),
    }),
  ],
  [
    'only the first id is looked at',
    'one denied id of several is enough, at every place',
    (store) => ({ isAnyDenied: ([id]) => store.isAnyDenied(id === undefined ? [] : [id]) }),
  ],
  [
    'all ids must be denied',
    'one denied id of several is enough, at every place',
    (store) => ({
      isAnyDenied: async (ids) => (await Promise.all(ids.map((id) => store.isAnyDenied([id])))).every(Boolean),
    }),
  ],
  [
    'no ids are denied ids',
    'one denied id of several is enough, at every place',
    (store) => ({ isAnyDenied: async (ids) => ids.length === 0 || store.isAnyDenied(ids) }),
  ],
  [
    'long ids are cut off',
    'ids may have 100 characters',
    (store) => ({
      deny: (id, until) => store.deny(id.slice(0, 64), until),
      isAnyDenied: (ids) => store.isAnyDenied(ids.map((id) => id.slice(0, 64))),
    }),
  ],
  [
    'the last time counts, and what has expired is not denied',
    'of several times the latest counts, whatever their order',
    () => {
      const denied = new Map<string, number>()
      return {
        deny: async (id, until) => void denied.set(id, until),
        isAnyDenied: async (ids) => ids.some((id) => (denied.get(id) ?? 0) > Date.now()),
      }
    },
  ],
  [
    'the first time counts',
    'of several times the latest counts, whatever their order',
    () => {
      const denied = new Map<string, number>()
      return {
        deny: async (id, until) => void denied.set(id, denied.get(id) ?? until),
        isAnyDenied: async (ids) => ids.some((id) => (denied.get(id) ?? 0) > Date.now()),
      }
    },
  ],
  [
    'the oldest are forgotten when there are many',
    'what is denied stays so for its time, however many others come and go',
    () => {
      const denied = new Set<string>()
      return {
        async deny(id) {
          denied.add(id)
          if (denied.size > 100) for (const oldest of [...denied].slice(0, 50)) denied.delete(oldest)
        },
        isAnyDenied: async (ids) => ids.some((id) => denied.has(id)),
      }
    },
  ],
  [
    'a denial is a read and a write',
    'of parallel denials of one id none fails, and the latest time counts',
    () => {
      const denied = new Map<string, number>()
      return {
        async deny(id, until) {
          const known = denied.get(id) ?? until
          await turn()
          denied.set(id, Math.max(known, until))
        },
        isAnyDenied: async (ids) => ids.some((id) => (denied.get(id) ?? 0) > Date.now()),
      }
    },
  ],
  [
    'a second denial fails',
    'of parallel denials of one id none fails, and the latest time counts',
    (store) => {
      const denied = new Set<string>()
      return {
        async deny(id, until) {
          if (denied.has(id)) throw new Error('unique constraint')
          denied.add(id)
          return store.deny(id, until)
        },
      }
    },
  ],
]

test.each(brokenStores)('the kit for stores of denials finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryDenialStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeDenialStore({ ...runner, createStore: () => store }))).toContain(fails)
})

describeOutageMistakes({
  name: 'stores of denials',
  describeKit: describeDenialStore,
  createStore: createMemoryDenialStore,
  reads: ['isAnyDenied'],
  changes: ['deny'],
})

test('the memory store does not grow by what has expired', async () => {
  let time = 1_800_000_000_000
  const store = createMemoryDenialStore({ now: () => time })
  const old = Array.from({ length: 100 }, (_none, index) => `old ${index}`)
  for (const id of old) await store.deny(id, time + 1000)
  time += 1000
  for (let count = 0; count < 60; count++) await store.deny(`new ${count}`, time + 1000)
  expect(await store.isAnyDenied(old)).toBe(false)
})
