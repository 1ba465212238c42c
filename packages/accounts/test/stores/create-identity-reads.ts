import type { AccountStore, IdentityReads } from '@latchkey/accounts'

/** Reads both without a turn of the event loop in between, where the stores are in memory: as one statement does. */
export function createIdentityReads(
  stores: Pick<IdentityReads, 'records' | 'denials'> & { readonly accounts: AccountStore },
): IdentityReads {
  const { records, denials, accounts } = stores
  return {
    records,
    denials,
    async read(key, denialIds = []) {
      const record = await records.get(key)
      const [account, isDenied] = await Promise.all([
        record?.owner ? accounts.get(record.owner) : null,
        denials.isAnyDenied(denialIds),
      ])
      return record && account ? { record, account, isDenied } : null
    },
  }
}
