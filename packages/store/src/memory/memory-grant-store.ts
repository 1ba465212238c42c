import { firstVersion } from '../first-version.ts'
import type { GrantStore, StoredGrant } from '../grant-store.ts'

/**
 * Creates consents in this process's memory, for tests and development: they are lost when the process ends.
 *
 * @example
 * import { createMemoryGrantStore } from '@latchkey/store'
 * const grants = createMemoryGrantStore()
 * await grants.insert({ id: 'gr_1', accountId: 'acc_1', clientId: 'web', value: '{}' }) // true
 */
export function createMemoryGrantStore(): GrantStore {
  const grants = new Map<string, StoredGrant>()
  const find = (accountId: string, clientId: string) =>
    [...grants.values()].find((grant) => grant.accountId === accountId && grant.clientId === clientId) ?? null
  return {
    async insert({ id, accountId, clientId, value }) {
      if (grants.has(id) || find(accountId, clientId)) return false
      grants.set(id, Object.freeze({ id, accountId, clientId, version: firstVersion(), value }))
      return true
    },
    async get(id) {
      return grants.get(id) ?? null
    },
    async getByClient(accountId, clientId) {
      return find(accountId, clientId)
    },
    async replace(id, version, value) {
      const grant = grants.get(id)
      if (grant?.version !== version) return false
      grants.set(id, Object.freeze({ ...grant, version: version + 1, value }))
      return true
    },
    async remove(id) {
      return grants.delete(id)
    },
    async listByAccount(accountId) {
      return [...grants.values()].filter((grant) => grant.accountId === accountId)
    },
    async removeByAccount(accountId) {
      const own = [...grants.values()].filter((grant) => grant.accountId === accountId)
      return own.filter(({ id }) => grants.delete(id)).length
    },
  }
}
