import type { AuthorizationParts } from '../../options/oauth/authorization-server.ts'
import type { ServerStores } from '../../options/server-stores.ts'

export type FamilyReads = Pick<AuthorizationParts, 'readFamily'>

/**
 * Returns the function that reads a family with its account in one statement. It bypasses the cache: a refresh token is
 * redeemed by the result, and a cached read could accept an old token, or answer for a revoked family.
 */
export function readFamilyOf({ records, accounts: { identities } }: ServerStores): FamilyReads {
  if (identities?.records !== records) return {}
  return {
    async readFamily(key) {
      const found = await identities.read(key)
      return found && { record: found.record, account: found.account.status === 'active' ? found.account : null }
    },
  }
}
