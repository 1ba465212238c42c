// A record store on MariaDB, for any number of processes on any number of machines. Each method is one statement whose
// condition has one winner. (MySQL 8: the collation is utf8mb4_0900_bin, and the timeout of a statement is a hint.)
import type { RecordStore, StoredRecord } from '@latchkey/store'
import { type MariadbClient, storeTime } from './mariadb-client.ts'

/**
 * The table. `nopad_bin` compares bytes, white space at the end included; 512 characters hold 512 bytes of any text, and
 * `mediumtext` 16 MB. Instants are numbers: a DATETIME is local time, in which an hour of each autumn is there twice.
 */
export const mariadbRecordSchema = `create table if not exists latchkey_records (
  record_key varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin not null primary key,
  owner varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin,
  version bigint not null,
  expires_at bigint not null,
  value mediumtext character set utf8mb4 collate utf8mb4_nopad_bin not null,
  index latchkey_records_by_owner (owner),
  index latchkey_records_by_expiry (expires_at)
) engine = InnoDB`

const columns = 'record_key as `key`, owner, version, expires_at as expiresAt, value'

const statements = {
  create:
    'insert into latchkey_records (record_key, owner, version, expires_at, value) select ?, ?, 1, ?, ? where true',
  // The row of an expired record is taken over; nothing of it stays.
  takeOver: `update latchkey_records set owner = ?, version = 1, expires_at = ?, value = ?
    where record_key = ? and expires_at <= ?`,
  get: `select ${columns} from latchkey_records where record_key = ? and expires_at > ?`,
  replace: `update latchkey_records set value = ?, expires_at = ?, version = version + 1
    where record_key = ? and version = ? and expires_at > ?`,
  touch: 'update latchkey_records set expires_at = ? where record_key = ? and expires_at > ?',
  remove: 'delete from latchkey_records where record_key = ?',
  list: `select ${columns} from latchkey_records
    where owner = ? and record_key > ? and expires_at > ? order by record_key limit ?`,
  removeByOwner: 'delete from latchkey_records where owner = ? and record_key <> ?',
  sweep: 'delete from latchkey_records where expires_at <= ?',
}

/** Creates a record store on the table of `mariadbRecordSchema`. */
export function createMariadbRecordStore({ read, change, now }: MariadbClient): RecordStore {
  const isOne = (count: number | null) => count === 1
  return {
    capabilities: { contract: 1, consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    now,
    async insert({ key, owner, expiresAt, value }) {
      const isNew = isOne(await change(statements.create, [key, owner, expiresAt, value]))
      return isNew || isOne(await change(statements.takeOver, [owner, expiresAt, value, key, storeTime]))
    },
    async get(key) {
      const [record] = await read<StoredRecord>(statements.get, [key, storeTime])
      return record ?? null
    },
    async replace({ key, version }, { value, expiresAt }) {
      return isOne(await change(statements.replace, [value, expiresAt, key, version, storeTime]))
    },
    async touch({ key }, expiresAt) {
      return isOne(await change(statements.touch, [expiresAt, key, storeTime]))
    },
    async remove(key) {
      return isOne(await change(statements.remove, [key]))
    },
    async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
      const rows = await read<StoredRecord>(statements.list, [owner, cursor, storeTime, limit + 1])
      const items = rows.slice(0, limit)
      return rows.length > limit ? { items, cursor: items.at(-1)?.key ?? '' } : { items }
    },
    async removeByOwner(owner, { except = '' } = {}) {
      return (await change(statements.removeByOwner, [owner, except])) ?? 0
    },
    async sweep(limit) {
      return (await change(statements.sweep, [storeTime], limit)) ?? 0
    },
  }
}
