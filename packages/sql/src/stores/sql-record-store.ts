import { pause } from '@latchkey/core/internal'
import type { RecordStore, StoredRecord } from '@latchkey/store'
import { readPage } from '../statements/read-page.ts'
import { removeChosen } from '../statements/remove-chosen.ts'
import { type SqlExecutor, type SqlRow, storeTime } from '../statements/sql-executor.ts'

const insert = `insert into latchkey_records (key, owner, version, expires_at, value) values ($1, $2, 1, $3, $4)
on conflict (key) do update
set owner = excluded.owner, version = 1, expires_at = excluded.expires_at, value = excluded.value
where latchkey_records.expires_at <= $5 returning key`
const recordColumns = 'key, owner, version, expires_at, value'

const get = `select ${recordColumns} from latchkey_records where key = $1 and expires_at > $2`
const replace = `update latchkey_records set value = $1, expires_at = $2, version = version + 1
where key = $3 and version = $4 and expires_at > $5 returning key`
const touch = 'update latchkey_records set expires_at = $1 where key = $2 and expires_at > $3 returning key'
// Removal asks for no expiry: what it acknowledges holds on every process, whatever the clocks say.
const remove = 'delete from latchkey_records where key = $1 returning key'
const listByOwner = `select ${recordColumns} from latchkey_records
where owner = $1 and key > $2 and expires_at > $3 order by key limit $4`
const someByOwner = `select key from latchkey_records
where owner = $1 and key <> $2 order by key limit $3`
const expired = 'select key from latchkey_records where expires_at <= $1 order by expires_at limit $2'

/** The number of records of an owner that one statement removes: each has its own deadline. */
const batch = 1000

export function createSqlRecordStore({
  run,
  now,
  clock,
  rowLocks,
}: SqlExecutor): RecordStore & Required<Pick<RecordStore, 'sweep'>> {
  const removeByOwner = removeChosen('latchkey_records', 'key', someByOwner + rowLocks.wait)
  const sweep = removeChosen('latchkey_records', 'key', expired + rowLocks.skip)
  return {
    capabilities: {
      contract: 1,
      consistency: 'strong',
      nativeExpiry: false,
      expiryGranularityMs: 1,
      ...(clock && { clock }),
    },
    now,
    async insert({ key, owner, expiresAt, value }) {
      return (await run(insert, [key, owner, expiresAt, value, storeTime])).length === 1
    },
    async get(key) {
      const [row] = await run(get, [key, storeTime])
      return row ? readRecord(row) : null
    },
    async replace({ key, version }, { value, expiresAt }) {
      return (await run(replace, [value, expiresAt, key, version, storeTime])).length === 1
    },
    async touch({ key }, expiresAt) {
      return (await run(touch, [expiresAt, key, storeTime])).length === 1
    },
    async remove(key) {
      return (await run(remove, [key])).length === 1
    },
    async listByOwner(owner, page) {
      return readPage(
        page,
        readRecord,
        ({ key }) => key,
        (after, limit) => run(listByOwner, [owner, after, storeTime, limit]),
      )
    },
    async removeByOwner(owner, { except = '' } = {}) {
      // Yields the event loop, which SQLite blocks during a statement.
      for (let count = 0; ; await pause(0)) {
        const removed = (await run(removeByOwner, [owner, except, batch])).length
        count += removed
        if (removed === batch) continue
        // Another call may have removed what this one selected, so a query finds out whether any are left.
        if ((await run(someByOwner, [owner, except, 1])).length === 0) return count
      }
    },
    async sweep(limit) {
      return (await run(sweep, [storeTime, limit])).length
    },
  }
}

function readRecord(row: SqlRow): StoredRecord {
  return {
    key: String(row.key),
    owner: row.owner === null ? null : String(row.owner),
    version: Number(row.version),
    expiresAt: Number(row.expires_at),
    value: String(row.value),
  }
}
