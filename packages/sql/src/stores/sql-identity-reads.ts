import type { IdentityReads, StoredIdentity } from '@latchkey/accounts'
import { type SqlExecutor, type SqlRow, storeTime } from '../statements/sql-executor.ts'
import { readList } from './sql-account-store.ts'

/** The columns of an identity: no column of one table has the name of one of the other. The owner is the account's id. */
export const identityColumns = 'version, expires_at, value, owner, roles, status, epoch, kept_key, enrolled'

/** Returns the query of the denials that exist of some ids. */
export function denialOf(ids: string): string {
  return `select 1 from latchkey_documents denial where denial.collection = 'denials' and denial.id in (${ids})`
}

/**
 * The parameters have the order of the statement.
 *
 * @param count the number of denial ids before the key.
 */
function writeRead(count: number): string {
  const places = Array.from({ length: count }, (_id, index) => `$${index + 1}`).join(', ')
  const denied = count === 0 ? '0' : `case when exists (${denialOf(places)}) then 1 else 0 end`
  return `select ${identityColumns}, ${denied} as denied
from latchkey_records join latchkey_accounts on id = owner where key = $${count + 1} and expires_at > $${count + 2}`
}

/** A session has no denial ids, a token has two: its own and the id of its session. */
const reads: readonly string[] = [writeRead(0), writeRead(1), writeRead(2)]

export function createSqlIdentityReads(
  { run }: SqlExecutor,
  sources: Pick<IdentityReads, 'records' | 'documents'>,
): IdentityReads {
  return {
    ...sources,
    async read(key, denialIds = []) {
      const [row] = await run(reads[denialIds.length] ?? writeRead(denialIds.length), [...denialIds, key, storeTime])
      return row ? readIdentityRow(key, row) : null
    },
  }
}

/** Returns the identity of a row with these columns. */
export function readIdentityRow(key: string, row: SqlRow): StoredIdentity {
  const id = String(row.owner)
  const expiresAt = Number(row.expires_at)
  return {
    record: { key, owner: id, version: Number(row.version), expiresAt, value: String(row.value) },
    account: {
      id,
      roles: readList(row.roles),
      // The table allows no other value.
      status: String(row.status) as StoredIdentity['account']['status'],
      epoch: Number(row.epoch),
      keptKey: row.kept_key === null ? null : String(row.kept_key),
      enrolled: readList(row.enrolled),
    },
    isDenied: Number(row.denied) > 0,
  }
}
