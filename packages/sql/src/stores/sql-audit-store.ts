import type { AuditQuery, AuditStore, StoredAuditRow } from '@latchkey/store'
import type { SqlExecutor, SqlRow, SqlValue } from './sql-executor.ts'

const names = ['chain', 'sequence', 'at', 'entry', 'state', 'kind', 'account_id', 'value', 'personal']
const columns = names.join(', ')
const readChain = `select ${columns} from latchkey_audit where chain = $1 and sequence > $2 order by sequence limit $3`
const listChains = `select chain, min(sequence) as first, max(sequence) as last from latchkey_audit
group by chain`
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
      const { limit = 100 } = query
      if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('"limit" must be an integer of at least 1')
      const rows = await run(...writeList(query, limit + 1))
      const items = rows.slice(0, limit).map(readRow)
      const last = items.at(-1)
      return rows.length > limit && last ? { items, cursor: cursorOf(last) } : { items }
    },
    async readChain(chain, { after, limit }) {
      return (await run(readChain, [chain, after, limit])).map(readRow)
    },
    async listChains() {
      const rows = await run(listChains, [])
      return rows.map((row) => ({ chain: String(row.chain), first: Number(row.first), last: Number(row.last) }))
    },
    async erasePersonal(accountId) {
      return (await run(erase, [accountId])).length
    },
    async prune(chain, before) {
      return (await run(prune, [chain, before])).length
    },
  }
}

function writeRow(row: StoredAuditRow): readonly SqlValue[] {
  const { chain, sequence, at, entry, state, kind, accountId, value, personal } = row
  return [chain, sequence, at, entry, state, kind, accountId, value, personal]
}

function writeList({ accountId, kind, cursor }: AuditQuery, limit: number): readonly [string, readonly SqlValue[]] {
  const values: SqlValue[] = []
  const place = (value: SqlValue): string => `$${values.push(value)}`
  const conditions: string[] = []
  if (accountId !== undefined) conditions.push(`account_id = ${place(accountId)}`)
  if (kind !== undefined) conditions.push(`kind = ${place(kind)}`)
  if (cursor !== undefined) {
    const [at, sequence, ...chain] = cursor.split(' ')
    const places = [place(Number(at)), place(chain.join(' ')), place(Number(sequence))]
    conditions.push(`(at, chain, sequence) < (${places})`)
  }
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')} ` : ''
  const order = 'order by at desc, chain desc, sequence desc'
  return [`select ${columns} from latchkey_audit ${where}${order} limit ${place(limit)}`, values]
}

function cursorOf({ at, chain, sequence }: StoredAuditRow): string {
  return `${at} ${sequence} ${chain}`
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
