import type { IdentityStore } from '@latchkey/accounts'
import { accountColumns, readAccount } from './sql-account-store.ts'
import { type SqlExecutor, storeTime } from './sql-executor.ts'
import { readRecord, recordColumns } from './sql-record-store.ts'

// No column of one table has the name of one of the other.
const read = `select ${recordColumns}, ${accountColumns}
from latchkey_records join latchkey_accounts on id = owner where key = $1 and expires_at > $2`

export function createSqlIdentityStore({ run }: SqlExecutor): IdentityStore {
  return {
    async readIdentity(key) {
      const [row] = await run(read, [key, storeTime])
      return row ? { record: readRecord(row), account: readAccount(row) } : null
    },
  }
}
