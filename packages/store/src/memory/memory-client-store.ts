import type { ClientStore, StoredClient } from '../client-store.ts'
import { firstVersion } from '../first-version.ts'

/**
 * Creates OAuth clients in this process's memory, for tests and development: they are lost when the process ends.
 *
 * @example
 * import { createMemoryClientStore } from '@latchkey/store'
 * const clients = createMemoryClientStore()
 * await clients.insert({ id: 'web', value: '{}' }) // true
 */
export function createMemoryClientStore(): ClientStore {
  const clients = new Map<string, StoredClient>()
  return {
    async insert({ id, value }) {
      if (clients.has(id)) return false
      clients.set(id, Object.freeze({ id, version: firstVersion(), value }))
      return true
    },
    async get(id) {
      return clients.get(id) ?? null
    },
    async replace(id, version, value) {
      const client = clients.get(id)
      if (client?.version !== version) return false
      clients.set(id, Object.freeze({ id, version: version + 1, value }))
      return true
    },
    async remove(id) {
      return clients.delete(id)
    },
    async list({ limit = 100, cursor = '' } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const rest = [...clients.values()]
        .filter(({ id }) => id > cursor)
        .sort((one, other) => (one.id < other.id ? -1 : 1))
      const items = rest.slice(0, limit)
      const last = items.at(-1)
      return last && rest.length > limit ? { items, cursor: last.id } : { items }
    },
  }
}
