import type { LinkStore, StoredLink } from '@latchkey/store'
import type { SqlExecutor, SqlRow } from '../statements/sql-executor.ts'

const columns = 'issuer, subject, account_id, created_at'
const insert = `insert into latchkey_links (${columns}) values ($1, $2, $3, $4)
on conflict (issuer, subject) do nothing returning issuer`
const get = `select ${columns} from latchkey_links where issuer = $1 and subject = $2`
const listByAccount = `select ${columns} from latchkey_links where account_id = $1`
const remove = 'delete from latchkey_links where issuer = $1 and subject = $2 and account_id = $3 returning issuer'

export function createSqlLinkStore({ run }: SqlExecutor): LinkStore {
  return {
    async insert({ issuer, subject, accountId, createdAt }) {
      return (await run(insert, [issuer, subject, accountId, createdAt])).length === 1
    },
    async get(issuer, subject) {
      const [row] = await run(get, [issuer, subject])
      return row ? readLink(row) : null
    },
    async listByAccount(accountId) {
      return (await run(listByAccount, [accountId])).map(readLink)
    },
    async remove({ issuer, subject, accountId }) {
      return (await run(remove, [issuer, subject, accountId])).length === 1
    },
  }
}

function readLink(row: SqlRow): StoredLink {
  return {
    issuer: String(row.issuer),
    subject: String(row.subject),
    accountId: String(row.account_id),
    createdAt: Number(row.created_at),
  }
}
