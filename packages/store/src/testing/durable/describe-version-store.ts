import type { VersionStore } from '../../values/version-store.ts'
import { same } from '../assertions.ts'
import { pairOnce, runTables, type TestRunner, type TestTable } from '../test-runner.ts'

export interface VersionStoreKit extends TestRunner {
  /**
   * Creates a client of the backend under test. It is called twice, when the first test runs. The version that is stored
   * there rises: use a database of its own.
   */
  readonly createStore: () => VersionStore | Promise<VersionStore>
}

interface VersionBench {
  readonly store: VersionStore
  readonly other: VersionStore
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
export function describeVersionStore({ describe, test, createStore }: VersionStoreKit): void {
  const connect = pairOnce(createStore)
  const openBench = async (): Promise<VersionBench> => {
    const [store, other] = await connect()
    return { store, other }
  }
  describe('version store', () => runTables({ describe, test }, { contract: versionContract }, openBench))
}

const versionContract: TestTable<VersionBench> = {
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

  'of several raises at once the highest stays': async ({ store, other }) => {
    const version = await store.get()
    const raises = [3, 1, 5, 2, 4].map((by, index) => (index % 2 ? store : other).raise(version + by))
    await Promise.all(raises)
    same([await store.get(), await other.get()], [version + 5, version + 5], 'the version')
  },
}
