import { type FactorStore, firstVersion, type StoredFactor } from '@latchkey/store'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const insert = `insert into latchkey_factors (id, account_id, kind, version, value) values ($1, $2, $3, $4, $5)
on conflict (id) do nothing returning id`
const get = 'select id, account_id, kind, version, value from latchkey_factors where id = $1'
const replace =
  'update latchkey_factors set value = $1, version = version + 1 where id = $2 and version = $3 returning id'
const remove = 'delete from latchkey_factors where id = $1 returning id'
/** Whichever factor goes, the same rows are locked in the same order: of two removals the second counts what the first has left. */
const removeUnlessLast = (
  lock: string,
): string => `with alike as (select id from latchkey_factors where (account_id, kind) in (
  select account_id, kind from latchkey_factors where id = $1
) order by id${lock})
delete from latchkey_factors where id = $1 and (select count(*) from alike) > 1 returning id`
const listByAccount =
  'select id, account_id, kind, version, value from latchkey_factors where account_id = $1 order by id'

export function createSqlFactorStore({ run, rowLocks }: SqlExecutor): FactorStore {
  const unlessLast = removeUnlessLast(rowLocks.wait)
  return {
    async insert({ id, accountId, kind, value }) {
      return (await run(insert, [id, accountId, kind, firstVersion(), value])).length === 1
    },
    async get(id) {
      const [row] = await run(get, [id])
      return row ? readFactor(row) : null
    },
    async replace(id, version, value) {
      return (await run(replace, [value, id, version])).length === 1
    },
    async remove(id) {
      return (await run(remove, [id])).length === 1
    },
    async removeUnlessLast(id) {
      return (await run(unlessLast, [id])).length === 1
    },
    async listByAccount(accountId) {
      return (await run(listByAccount, [accountId])).map(readFactor)
    },
  }
}

function readFactor(row: SqlRow): StoredFactor {
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    kind: String(row.kind),
    version: Number(row.version),
    value: String(row.value),
  }
}
