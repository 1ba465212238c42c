import type { FactorStore, StoredFactor } from '../factor-store.ts'
import { firstVersion } from '../first-version.ts'

/**
 * Creates a factor store in this process's memory, for tests and development: factors are durable data, and these are
 * lost when the process ends. What it returns is frozen.
 *
 * @example
 * import { createMemoryFactorStore } from '@latchkey/store'
 * const factors = createMemoryFactorStore()
 * await factors.insert({ id: 'totp_1', accountId: 'acc_1', kind: 'totp', value: '{}' }) // true
 */
export function createMemoryFactorStore(): FactorStore {
  const factors = new Map<string, StoredFactor>()
  const idsByAccount = new Map<string, Set<string>>()
  const idsOf = (accountId: string): Set<string> => idsByAccount.get(accountId) ?? new Set()
  const listOf = (accountId: string): readonly StoredFactor[] =>
    [...idsOf(accountId)].flatMap((id) => factors.get(id) ?? [])
  const drop = (id: string): boolean => {
    const factor = factors.get(id)
    if (!factor) return false
    const ids = idsOf(factor.accountId)
    ids.delete(id)
    if (ids.size === 0) idsByAccount.delete(factor.accountId)
    return factors.delete(id)
  }
  return {
    async insert({ id, accountId, kind, value }) {
      if (factors.has(id)) return false
      factors.set(id, Object.freeze({ id, accountId, kind, version: firstVersion(), value }))
      idsByAccount.set(accountId, idsOf(accountId).add(id))
      return true
    },
    async get(id) {
      return factors.get(id) ?? null
    },
    async replace(id, version, value) {
      const factor = factors.get(id)
      if (factor?.version !== version) return false
      factors.set(id, Object.freeze({ ...factor, value, version: version + 1 }))
      return true
    },
    async remove(id) {
      return drop(id)
    },
    async removeUnlessLast(id) {
      const factor = factors.get(id)
      if (!factor) return false
      const isOther = (other: StoredFactor): boolean => other !== factor && other.kind === factor.kind
      return listOf(factor.accountId).some(isOther) && drop(id)
    },
    async listByAccount(accountId) {
      return listOf(accountId)
    },
  }
}
