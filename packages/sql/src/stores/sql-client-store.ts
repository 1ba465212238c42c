import { type ClientStore, firstVersion, type StoredClient } from '@latchkey/store'
import { readPage } from '../statements/read-page.ts'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const insert = `insert into latchkey_clients (id, version, value) values ($1, $2, $3)
on conflict (id) do nothing returning id`
const get = 'select id, version, value from latchkey_clients where id = $1'
const replace =
  'update latchkey_clients set value = $1, version = version + 1 where id = $2 and version = $3 returning id'
const remove = 'delete from latchkey_clients where id = $1 returning id'
const list = 'select id, version, value from latchkey_clients where id > $1 order by id limit $2'

export function createSqlClientStore({ run }: SqlExecutor): ClientStore {
  return {
    async insert({ id, value }) {
      return (await run(insert, [id, firstVersion(), value])).length === 1
    },
    async get(id) {
      const [row] = await run(get, [id])
      return row ? readClient(row) : null
    },
    async replace(id, version, value) {
      return (await run(replace, [value, id, version])).length === 1
    },
    async remove(id) {
      return (await run(remove, [id])).length === 1
    },
    list: (page) =>
      readPage(
        page,
        readClient,
        ({ id }) => id,
        (after, limit) => run(list, [after, limit]),
      ),
  }
}

function readClient(row: SqlRow): StoredClient {
  return { id: String(row.id), version: Number(row.version), value: String(row.value) }
}
