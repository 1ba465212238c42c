import type { LinkStore, StoredLink } from '../link-store.ts'

/**
 * Creates links in this process's memory, for tests and development: they are lost when the process ends.
 *
 * @example
 * import { createMemoryLinkStore } from '@latchkey/store'
 * const links = createMemoryLinkStore()
 * await links.get('https://id.example', '42') // null
 */
export function createMemoryLinkStore(): LinkStore {
  const links = new Map<string, StoredLink>()
  const keyOf = (issuer: string, subject: string) => JSON.stringify([issuer, subject])
  return {
    async insert({ issuer, subject, accountId, createdAt }) {
      const key = keyOf(issuer, subject)
      if (links.has(key)) return false
      links.set(key, Object.freeze({ issuer, subject, accountId, createdAt }))
      return true
    },
    async get(issuer, subject) {
      return links.get(keyOf(issuer, subject)) ?? null
    },
    async listByAccount(accountId) {
      return [...links.values()].filter((link) => link.accountId === accountId)
    },
    async remove({ issuer, subject, accountId }) {
      const key = keyOf(issuer, subject)
      return links.get(key)?.accountId === accountId && links.delete(key)
    },
  }
}
