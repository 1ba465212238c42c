import type { IdentitySources, IdentityStore } from '@latchkey/accounts'

/** Reads both without a turn of the event loop in between, where the stores are in memory: as one statement does. */
export function createIdentitiesOver(reads: IdentitySources): IdentityStore {
  const { records, accounts, documents } = reads
  return {
    reads,
    async readIdentity(key, denialIds = []) {
      const record = await records.get(key)
      const [account, denials] = await Promise.all([
        record?.owner ? accounts.get(record.owner) : null,
        Promise.all(denialIds.map((id) => documents.get('denials', id))),
      ])
      return record && account ? { record, account, isDenied: denials.some((denial) => denial !== null) } : null
    },
  }
}
