// An audit log on MariaDB: rows are only added, and a trigger moves the head of their chain in the same statement.
import type { AuditQuery, AuditStore, StoredAuditRow } from '@latchkey/store'
import type { MariadbClient, Value } from './mariadb-client.ts'

type Head = Awaited<ReturnType<AuditStore['latestHeads']>>[number]
type Chain = Awaited<ReturnType<AuditStore['listChains']>>[number]

const text = 'character set utf8mb4 collate utf8mb4_nopad_bin'

export const mariadbAuditSchema = `create table if not exists latchkey_audit (
  chain varchar(512) ${text} not null,
  sequence bigint not null,
  at bigint not null,
  entry varchar(512) ${text} not null,
  state enum ('intended', 'done', 'failed', 'checkpoint') not null,
  kind varchar(512) ${text} not null,
  account_id varchar(512) ${text},
  value mediumtext ${text} not null,
  personal mediumtext ${text},
  primary key (chain, sequence),
  index latchkey_audit_by_time (at),
  index latchkey_audit_by_account (account_id, at),
  index latchkey_audit_by_entry (entry)
) engine = InnoDB;
create table if not exists latchkey_audit_heads (
  chain varchar(512) ${text} not null primary key,
  sequence bigint not null,
  at bigint not null,
  value mediumtext ${text} not null,
  index latchkey_audit_heads_by_time (at)
) engine = InnoDB;
create trigger if not exists latchkey_audit_head after insert on latchkey_audit for each row
  insert into latchkey_audit_heads (chain, sequence, at, value) values (new.chain, new.sequence, new.at, new.value)
  on duplicate key update
    at = if(new.sequence > latchkey_audit_heads.sequence, new.at, latchkey_audit_heads.at),
    value = if(new.sequence > latchkey_audit_heads.sequence, new.value, latchkey_audit_heads.value),
    sequence = greatest(latchkey_audit_heads.sequence, new.sequence)`

const columns = 'chain, sequence, at, entry, state, kind, account_id, value, personal'
// MariaDB refuses the name `value` here.
const addedColumns = columns.replace('value', 'content')
const selected = 'chain, sequence, at, entry, state, kind, account_id as accountId, value, personal'

const statements = {
  readChain: `select ${selected} from latchkey_audit where chain = ? and sequence > ? order by sequence limit ?`,
  listChains: `select known.chain,
      (select min(sequence) from latchkey_audit where chain = known.chain) as first,
      (select max(sequence) from latchkey_audit where chain = known.chain) as last, head.sequence, head.value
    from (
      (select distinct chain from latchkey_audit where chain > ? order by chain limit ?)
      union (select chain from latchkey_audit_heads where chain > ? order by chain limit ?) order by chain limit ?
    ) as known left join latchkey_audit_heads as head on head.chain = known.chain order by known.chain`,
  latestHeads: 'select chain, sequence, value from latchkey_audit_heads order by at desc, chain desc limit ?',
  erasePersonal: 'update latchkey_audit set personal = null where account_id = ? and personal is not null',
  prune: 'delete from latchkey_audit where chain = ? and sequence < ?',
  pruneHead: 'delete from latchkey_audit_heads where chain = ? and sequence < ?',
}

/** Creates an audit store on the tables of `mariadbAuditSchema`. */
export function createMariadbAuditStore({ read, change }: MariadbClient): AuditStore {
  return {
    capabilities: { contract: 1 },
    async append(rows) {
      if (rows.length === 0) return true
      const tuples = rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
      const sql = `insert into latchkey_audit (${columns})
        with added (${addedColumns}) as (values ${tuples}) select * from added where true`
      return (await change(sql, rows.flatMap(valuesOf))) !== null
    },
    async list(query = {}) {
      const { limit = 100, states, entries } = query
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      if (states?.length === 0 || entries?.length === 0) return { items: [] }
      const rows = await read<StoredAuditRow>(...writeList(query, limit + 1))
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      if (!last || rows.length <= limit) return { items }
      return { items, cursor: JSON.stringify([last.at, last.chain, last.sequence]) }
    },
    readChain: (chain, { after, limit }) => read<StoredAuditRow>(statements.readChain, [chain, after, limit]),
    async listChains({ after, limit }) {
      const from = after ?? ''
      const rows = await read<Head & Chain>(statements.listChains, [from, limit, from, limit, limit])
      return rows.map(({ chain, first, last, sequence, value }) => {
        return { chain, first, last, head: sequence === null ? null : { chain, sequence, value } }
      })
    },
    latestHeads: (limit) => read<Head>(statements.latestHeads, [limit]),
    async erasePersonal(accountId) {
      return (await change(statements.erasePersonal, [accountId])) ?? 0
    },
    async prune(chain, before) {
      const removed = await change(statements.prune, [chain, before])
      await change(statements.pruneHead, [chain, before])
      return removed ?? 0
    },
  }
}

function valuesOf(row: StoredAuditRow): readonly Value[] {
  const { chain, sequence, at, entry, state, kind, accountId, value, personal } = row
  return [chain, sequence, at, entry, state, kind, accountId, value, personal]
}

function writeList(
  { accountId, kind, states, entries, cursor }: AuditQuery,
  limit: number,
): [string, readonly Value[]] {
  const [at, chain, sequence] = cursor === undefined ? [] : (JSON.parse(cursor) as [number, string, number])
  const conditions: readonly (readonly [sql: string, values: readonly (Value | undefined)[]])[] = [
    ['account_id = ?', [accountId]],
    ['kind = ?', [kind]],
    ['state in (?)', [states]],
    ['entry in (?)', [entries]],
    ['(at, chain, sequence) < (?, ?, ?)', [at, chain, sequence]],
  ]
  const asked = conditions.flatMap(([sql, values]) => {
    const given = values.filter((value) => value !== undefined)
    return given.length === values.length ? [[sql, given] as const] : []
  })
  const where = ['true', ...asked.map(([sql]) => sql)].join(' and ')
  const sql = `select ${selected} from latchkey_audit where ${where} order by at desc, chain desc, sequence desc limit ?`
  return [sql, [...asked.flatMap(([, values]) => values), limit]]
}
