import type { IdentitySources, IdentityStore, StoredIdentity } from '@latchkey/accounts'
import { accountColumns, readAccount } from './sql-account-store.ts'
import { type SqlExecutor, type SqlRow, storeTime } from './sql-executor.ts'
import { readRecord, recordColumns } from './sql-record-store.ts'

// No column of one table has the name of one of the other.
const columns = `${recordColumns}, ${accountColumns}`

/** @param count how many ids of denials follow the key. */
function writeRead(count: number): string {
  const places = Array.from({ length: count }, (_id, index) => `$${index + 3}`).join(', ')
  const denied = count === 0 ? '0' : `(select count(*) from latchkey_denials where latchkey_denials.id in (${places}))`
  return `select ${columns}, ${denied} as denied
from latchkey_records join latchkey_accounts on latchkey_accounts.id = owner where key = $1 and expires_at > $2`
}

/** A session asks for no denial, a token for two: itself and its session. */
const reads: readonly string[] = [writeRead(0), writeRead(1), writeRead(2)]

export function createSqlIdentityStore({ run }: SqlExecutor, sources: IdentitySources): IdentityStore {
  return {
    reads: sources,
    async readIdentity(key, denialIds = []) {
      const statement = reads[denialIds.length] ?? writeRead(denialIds.length)
      const [row] = await run(statement, [key, storeTime, ...denialIds])
      return row ? readIdentityRow(row) : null
    },
  }
}

/** Returns the identity of a row with the columns of both. */
export function readIdentityRow(row: SqlRow): StoredIdentity {
  return { record: readRecord(row), account: readAccount(row), isDenied: Number(row.denied) > 0 }
}
