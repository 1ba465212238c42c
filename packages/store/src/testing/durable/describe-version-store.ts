import type { VersionStore } from '../../values/version-store.ts'
import { holds, same } from '../assertions.ts'
import type { OutageCalls } from '../describe-outages.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable } from './kit-bench.ts'

export interface VersionStoreKit extends DurableKit<VersionStore> {
  /**
   * Creates a client of the backend under test. It is called twice, when the first test runs. The version that is stored
   * there rises: use a database of its own.
   */
  readonly createStore: () => VersionStore | Promise<VersionStore>
}

/**
 * Describes the whole contract of `VersionStore` as tests of a runner: one number for all clients, which only rises.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryVersionStore } from '@latchkey/store'
 * import { describeVersionStore } from '@latchkey/store/testing'
 * const store = createMemoryVersionStore()
 * describeVersionStore({ describe, test, createStore: () => store })
 */
export function describeVersionStore(kit: VersionStoreKit): void {
  const tables = { contract: versionContract }
  describeDurable('version store', kit, { tables, prepareOutages, probe: (client) => client.get() })
}

async function prepareOutages({ store, other }: DurableBench<VersionStore>): Promise<OutageCalls<VersionStore>> {
  const version = await store.get()
  return {
    callsOf: (client) => ({ get: () => client.get(), raise: () => client.raise(version) }),
    changes: {
      raise: {
        call: () => store.raise(version + 1),
        checkUndone: async () => same(await other.get(), version, 'the version after the failed raise'),
      },
    },
  }
}

const versionContract: TestTable<DurableBench<VersionStore>> = {
  'a raised version is read by every client': async ({ store, other }) => {
    const next = (await store.get()) + 1
    same(await store.raise(next), next, 'raise to the next version')
    same([await store.get(), await other.get()], [next, next], 'the version')
  },

  'a version never falls': async ({ store, other }) => {
    const version = await store.raise((await store.get()) + 2)
    same(await other.raise(version - 1), version, 'raise to the version before')
    same(await other.raise(version), version, 'raise to the same version')
    same(await store.get(), version, 'the version')
  },

  'versions are compared as numbers': async ({ store, other }) => {
    const digits = String(await store.get()).length
    // Every run adds a digit.
    if (digits > 12) return
    const ten = 10 ** digits
    same([await store.raise(ten - 1), await other.raise(ten)], [ten - 1, ten], 'the version, with a digit more')
    same(await store.raise(ten - 1), ten, 'raise to the version before')
  },

  'of several raises at once the highest stays': async ({ store, other }) => {
    const version = await store.get()
    const raises = [3, 1, 5, 2, 4].map((by, index) => (index % 2 ? store : other).raise(version + by))
    const answers = await Promise.all(raises)
    for (const [index, by] of [3, 1, 5, 2, 4].entries()) {
      holds((answers[index] ?? 0) >= version + by, 'a raise must return the version that is stored then')
    }
    same([await store.get(), await other.get()], [version + 5, version + 5], 'the version')
  },
}
