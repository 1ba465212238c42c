import type { AccountStore, IdentityReads } from '@latchkey/accounts'

/** Reads both without a turn of the event loop in between, where the stores are in memory: as one statement does. */
export function createIdentityReads(
  stores: Pick<IdentityReads, 'records' | 'documents'> & { readonly accounts: AccountStore },
): IdentityReads {
  const { records, documents, accounts } = stores
  return {
    records,
    documents,
    async read(key, denialIds = []) {
      const record = await records.get(key)
      const [account, denials] = await Promise.all([
        record?.owner ? accounts.get(record.owner) : null,
        Promise.all(denialIds.map((id) => documents.get('denials', id))),
      ])
      return record && account ? { record, account, isDenied: denials.some((denial) => denial !== null) } : null
    },
  }
}
