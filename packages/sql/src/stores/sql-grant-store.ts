import { firstVersion, type GrantStore, type StoredGrant } from '@latchkey/store'
import { removeChosen } from '../statements/remove-chosen.ts'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const columns = 'id, account_id, client_id, version, value'
const insert = `insert into latchkey_grants (${columns}) values ($1, $2, $3, $4, $5)
on conflict do nothing returning id`
const get = `select ${columns} from latchkey_grants where id = $1`
const getByClient = `select ${columns} from latchkey_grants where account_id = $1 and client_id = $2`
const replace =
  'update latchkey_grants set value = $1, version = version + 1 where id = $2 and version = $3 returning id'
const remove = 'delete from latchkey_grants where id = $1 returning id'
const listByAccount = `select ${columns} from latchkey_grants where account_id = $1`
const ofAccount = 'select id from latchkey_grants where account_id = $1 order by id'

export function createSqlGrantStore({ run, rowLocks }: SqlExecutor): GrantStore {
  const removeByAccount = removeChosen('latchkey_grants', 'id', ofAccount + rowLocks.wait)
  return {
    async insert({ id, accountId, clientId, value }) {
      return (await run(insert, [id, accountId, clientId, firstVersion(), value])).length === 1
    },
    async get(id) {
      const [row] = await run(get, [id])
      return row ? readGrant(row) : null
    },
    async getByClient(accountId, clientId) {
      const [row] = await run(getByClient, [accountId, clientId])
      return row ? readGrant(row) : null
    },
    async replace(id, version, value) {
      return (await run(replace, [value, id, version])).length === 1
    },
    async remove(id) {
      return (await run(remove, [id])).length === 1
    },
    async listByAccount(accountId) {
      return (await run(listByAccount, [accountId])).map(readGrant)
    },
    async removeByAccount(accountId) {
      return (await run(removeByAccount, [accountId])).length
    },
  }
}

function readGrant(row: SqlRow): StoredGrant {
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    clientId: String(row.client_id),
    version: Number(row.version),
    value: String(row.value),
  }
}
