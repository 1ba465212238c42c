import type { AuditQuery, AuditStore, StoredAuditRow } from '@latchkey/store'
import type { AuditChain, AuditHead } from '@latchkey/store/internal'
import type { SqlExecutor, SqlRow, SqlValue } from '../statements/sql-executor.ts'

const names = ['chain', 'sequence', 'at', 'entry', 'state', 'kind', 'account_id', 'value', 'personal']
const columns = names.join(', ')
const readChain = `select ${columns} from latchkey_audit where chain = $1 and sequence > $2 order by sequence limit $3`
// A trigger moves the heads. The names are read one by one from the index of the rows, of which there may be millions.
const listChains = (after: string): string => `select known.chain, head.sequence as head, head.value,
(select min(sequence) from latchkey_audit where chain = known.chain) as first,
(select max(sequence) from latchkey_audit where chain = known.chain) as last
from (with recursive names (chain, place) as (select min(chain), 1 from latchkey_audit${after}
union all select (select min(chain) from latchkey_audit where chain > names.chain), place + 1 from names
where chain is not null and place < $1),
headed as (select chain from latchkey_audit_heads${after} order by chain limit $1)
select chain from names where chain is not null union select chain from headed order by chain limit $1) known
left join latchkey_audit_heads head on head.chain = known.chain order by known.chain`
const [listAll, listAfter] = [listChains(''), listChains(' where chain > $2')]
const latestHeads = `select chain, sequence as head, value from latchkey_audit_heads
order by at desc, chain desc limit $1`
const removeHead = 'delete from latchkey_audit_heads where chain = $1 and sequence < $2 returning chain'
const personalRows = `select chain, sequence from latchkey_audit where account_id = $1 and personal is not null
order by chain, sequence`
const earlierRows = 'select sequence from latchkey_audit where chain = $1 and sequence < $2 order by sequence'

export function createSqlAuditStore({ run, rowLocks }: SqlExecutor): AuditStore {
  const erase = `with chosen as (${personalRows}${rowLocks.wait}) update latchkey_audit set personal = null
where (chain, sequence) in (select chain, sequence from chosen) returning chain`
  const prune = `with chosen as (${earlierRows}${rowLocks.wait}) delete from latchkey_audit
where chain = $1 and sequence in (select sequence from chosen) returning chain`
  return {
    async append(rows) {
      if (rows.length === 0) return true
      const values = rows.flatMap(writeRow)
      const tuples = rows.map(
        (_row, index) => `(${names.map((_name, column) => `$${index * names.length + column + 1}`)})`,
      )
      const added = await run(`insert into latchkey_audit (${columns}) values ${tuples} returning chain`, values)
      return added.length === rows.length
    },
    async list(query = {}) {
      const { limit = 100, states, entries } = query
      if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('"limit" must be an integer of at least 1')
      if (states?.length === 0 || entries?.length === 0) return { items: [] }
      const rows = await run(...writeList(query, limit + 1))
      const items = rows.slice(0, limit).map(readRow)
      const last = items.at(-1)
      return rows.length > limit && last ? { items, cursor: cursorOf(last) } : { items }
    },
    async readChain(chain, { after, limit }) {
      return (await run(readChain, [chain, after, limit])).map(readRow)
    },
    async listChains({ after, limit }) {
      return (await (after === null ? run(listAll, [limit]) : run(listAfter, [limit, after]))).map(readChainRow)
    },
    async latestHeads(limit) {
      return (await run(latestHeads, [limit])).map(readHead)
    },
    async erasePersonal(accountId) {
      return (await run(erase, [accountId])).length
    },
    async prune(chain, before) {
      const removed = await run(prune, [chain, before])
      await run(removeHead, [chain, before])
      return removed.length
    },
  }
}

function writeRow(row: StoredAuditRow): readonly SqlValue[] {
  const { chain, sequence, at, entry, state, kind, accountId, value, personal } = row
  return [chain, sequence, at, entry, state, kind, accountId, value, personal]
}

function writeList(
  { accountId, kind, states, entries, cursor }: AuditQuery,
  limit: number,
): readonly [string, readonly SqlValue[]] {
  const values: SqlValue[] = []
  const place = (value: SqlValue): string => `$${values.push(value)}`
  // A list is filled with its last member up to a power of two, so that there are few statements to prepare.
  const places = (list: readonly string[]): string =>
    Array.from({ length: 2 ** Math.ceil(Math.log2(list.length)) }, (_none, index) =>
      place(list[Math.min(index, list.length - 1)] ?? null),
    ).join(', ')
  const conditions: string[] = []
  if (accountId !== undefined) conditions.push(`account_id = ${place(accountId)}`)
  if (kind !== undefined) conditions.push(`kind = ${place(kind)}`)
  if (states !== undefined) conditions.push(`state in (${places(states)})`)
  if (entries !== undefined) conditions.push(`entry in (${places(entries)})`)
  if (cursor !== undefined) {
    const [, at, sequence, chain = ''] = cursorFormat.exec(cursor) ?? []
    if (at === undefined) throw new TypeError('"cursor" must be that of a page')
    const end = [place(Number(at)), place(chain), place(Number(sequence))]
    conditions.push(`(at, chain, sequence) < (${end})`)
  }
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')} ` : ''
  const order = 'order by at desc, chain desc, sequence desc'
  return [`select ${columns} from latchkey_audit ${where}${order} limit ${place(limit)}`, values]
}

const cursorFormat = /^(\d{1,16}) (\d{1,16}) (.*)$/s

function cursorOf({ at, chain, sequence }: StoredAuditRow): string {
  return `${at} ${sequence} ${chain}`
}

function readChainRow(row: SqlRow): AuditChain {
  const { chain, first, last, head } = row
  return {
    chain: String(chain),
    first: first === null ? null : Number(first),
    last: last === null ? null : Number(last),
    head: head === null ? null : readHead(row),
  }
}

function readHead({ chain, head, value }: SqlRow): AuditHead {
  return { chain: String(chain), sequence: Number(head), value: String(value) }
}

function readRow(row: SqlRow): StoredAuditRow {
  return {
    chain: String(row.chain),
    sequence: Number(row.sequence),
    at: Number(row.at),
    entry: String(row.entry),
    state: String(row.state) as StoredAuditRow['state'],
    kind: String(row.kind),
    accountId: textOrNull(row.account_id),
    value: String(row.value),
    personal: textOrNull(row.personal),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}
