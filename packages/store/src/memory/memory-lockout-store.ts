import type { LockoutStore } from '../lockout-store.ts'

/**
 * Creates counts of failures in this process's memory, for tests and development: they are lost when the process ends.
 *
 * @example
 * import { createMemoryLockoutStore } from '@latchkey/store'
 * const lockouts = createMemoryLockoutStore()
 * await lockouts.fail('acc_1', 'password') // 1
 */
export function createMemoryLockoutStore(): LockoutStore {
  const counts = new Map<string, number>()
  const keyOf = (accountId: string, factor: string) => JSON.stringify([accountId, factor])
  return {
    async fail(accountId, factor) {
      const key = keyOf(accountId, factor)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count
    },
    async count(accountId, factor) {
      return counts.get(keyOf(accountId, factor)) ?? 0
    },
    async clear(accountId, factor) {
      counts.delete(keyOf(accountId, factor))
    },
  }
}
