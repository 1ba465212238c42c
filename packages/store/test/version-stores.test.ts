import { createMemoryVersionStore, storedVersion } from '@latchkey/store'
import { describeVersionStore } from '@latchkey/store/testing'
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
