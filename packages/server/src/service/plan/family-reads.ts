import type { AuthorizationParts } from '../../options/oauth/authorization-server.ts'
import type { ServerStores } from '../../options/server-stores.ts'

export type FamilyReads = Pick<AuthorizationParts, 'readFamily'>

/**
 * Returns how a family is read with its account in one statement. A refresh token is redeemed from what it reads, so these are
 * the stores themselves: a kept read could take the newest token for an old copy, or respond for a revoked family.
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
