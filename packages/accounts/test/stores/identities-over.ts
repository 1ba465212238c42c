import type { IdentitySources, IdentityStore } from '@latchkey/accounts'

/** Reads both without a turn of the event loop in between, where the stores are in memory: as one statement does. */
export function createIdentitiesOver(reads: IdentitySources): IdentityStore {
  const { records, accounts, denials } = reads
  return {
    reads,
    async readIdentity(key, denialIds = []) {
      const record = await records.get(key)
      const [account, isDenied] = await Promise.all([
        record?.owner ? accounts.get(record.owner) : null,
        denials.isAnyDenied(denialIds),
      ])
      return record && account ? { record, account, isDenied } : null
    },
  }
}
