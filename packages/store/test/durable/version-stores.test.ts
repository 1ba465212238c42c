import { createMemoryVersionStore, storedVersion, type VersionStore } from '@latchkey/store'
import { describeVersionStore } from '@latchkey/store/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryVersionStore()
  describeVersionStore({ describe, test, createStore: () => store })

  test('begins with the version of this release, because it has nothing from an earlier one', async () => {
    expect(await createMemoryVersionStore().get()).toBe(storedVersion)
  })

  test('may begin with an earlier version, for tests of an upgrade', async () => {
    const earlier = createMemoryVersionStore({ version: 0 })
    expect(await earlier.get()).toBe(0)
    expect(await earlier.raise(1)).toBe(1)
    expect(await earlier.get()).toBe(1)
  })

  test('has no other option', () => {
    expect(() => createMemoryVersionStore({ versions: 1 } as never)).toThrow(
      'createMemoryVersionStore has no option "versions". Did you mean "version"?',
    )
  })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Connect = () => VersionStore

/** The way to a store that makes the new version of the one before and the one that is asked for. */
function raisingBy(raise: (before: number, to: number) => number | Promise<number>): Connect {
  let version = 2
  const store: VersionStore = {
    get: async () => version,
    async raise(to) {
      version = await raise(version, to)
      return version
    },
  }
  return () => store
}

const sound = createMemoryVersionStore()
const returningBefore: VersionStore = {
  ...sound,
  async raise(to) {
    const before = await sound.get()
    await sound.raise(to)
    return before
  },
}

const brokenStores: readonly [mistake: string, fails: string, connect: Connect][] = [
  ['a version is lowered', 'a version never falls', raisingBy((_before, to) => to)],
  [
    'a raise is a read and a write',
    'of several raises at once the highest stays',
    raisingBy(async (before, to) => {
      await turn()
      return Math.max(before, to)
    }),
  ],
  ['a raise returns the version before', 'of several raises at once the highest stays', () => returningBefore],
  [
    'versions are compared as texts',
    'versions are compared as numbers',
    raisingBy((before, to) => (String(to) > String(before) ? to : before)),
  ],
  [
    'each client has a version of its own',
    'a raised version is read by every client',
    () => createMemoryVersionStore(),
  ],
]

test.each(brokenStores)('the kit for version stores finds that %s', async (_mistake, fails, createStore) => {
  expect(await failedTitles((runner) => describeVersionStore({ ...runner, createStore }))).toContain(fails)
})

describeOutageMistakes({
  name: 'version stores',
  describeKit: describeVersionStore,
  createStore: createMemoryVersionStore,
  reads: ['get'],
  changes: ['raise'],
})
