import { checkOptionNames } from '@latchkey/core/internal'
import { storedVersion } from './stored-shape.ts'
import type { VersionStore } from './version-store.ts'

/**
 * Creates the version of stored values in this process's memory, for stores that live there too: no other release shares
 * them, so it begins with the newest.
 *
 * @param options `version`: the one to begin with, for tests. Default: `storedVersion`.
 *
 * @example
 * import { createMemoryVersionStore, storedVersion } from '@latchkey/store'
 * (await createMemoryVersionStore().get()) === storedVersion // true
 */
export function createMemoryVersionStore(options: { readonly version?: number } = {}): VersionStore {
  let { version = storedVersion } = checkOptionNames('createMemoryVersionStore', options, { version: true })
  return {
    get: async () => version,
    async raise(to) {
      version = Math.max(version, to)
      return version
    },
  }
}
