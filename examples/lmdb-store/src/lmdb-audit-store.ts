// An audit log on LMDB: one transaction adds rows, moves the heads of their chains, and writes their entries of each index.
import type { AuditQuery, AuditStore, StoredAuditRow } from '@latchkey/store'
import { type AuditPlace, hash, type LmdbDatabase, type LmdbTables } from './lmdb-database.ts'

/** Creates an audit store on a database. */
export function createLmdbAuditStore({ read, change }: LmdbDatabase): AuditStore {
  return {
    capabilities: { contract: 1 },
    append: (rows) =>
      change((tables) => {
        const places = new Set(rows.map(({ chain, sequence }) => `${sequence} ${chain}`))
        const isTaken = ({ chain, sequence }: StoredAuditRow) => tables.audit.doesExist([chain, sequence])
        if (places.size < rows.length || rows.some(isTaken)) return false
        for (const row of rows) put(tables, row)
        return true
      }),
    list: (query = {}) =>
      read((tables) => {
        const items: StoredAuditRow[] = []
        for (const row of newest(tables, query)) {
          if (!isAskedFor(row, query)) continue
          const before = items.at(-1)
          if (before && items.length === (query.limit ?? 100)) return { items, cursor: JSON.stringify(timeOf(before)) }
          items.push(row)
        }
        return { items }
      }),
    readChain: (chain, { after, limit }) =>
      read(({ audit }) => {
        const range = { start: [chain, after], exclusiveStart: true, end: [chain, Number.POSITIVE_INFINITY], limit }
        return [...audit.getRange(range)].map(({ value }) => value)
      }),
    listChains: ({ after, limit }) =>
      read(({ audit, auditHeads }) => {
        const range = after === null ? { limit } : { start: after, exclusiveStart: true, limit }
        return [...auditHeads.getRange(range)].map(({ key: chain, value: { sequence, value } }) => {
          const [low, high] = [0, Number.POSITIVE_INFINITY]
          const [first] = [...audit.getKeys({ start: [chain, low], end: [chain, high], limit: 1 })]
          const [last] = [...audit.getKeys({ start: [chain, high], end: [chain, low], reverse: true, limit: 1 })]
          return { chain, first: first?.[1] ?? null, last: last?.[1] ?? null, head: { chain, sequence, value } }
        })
      }),
    latestHeads: (limit) =>
      read(({ auditHeads, auditHeadTimes }) =>
        [...auditHeadTimes.getKeys({ reverse: true, limit })].flatMap(([, chain]) => {
          const head = auditHeads.get(chain)
          return head ? [{ chain, sequence: head.sequence, value: head.value }] : []
        }),
      ),
    erasePersonal: (accountId) =>
      change((tables) => {
        const rows = [...newest(tables, { accountId })].filter(({ personal }) => personal !== null)
        for (const row of rows) tables.audit.put([row.chain, row.sequence], { ...row, personal: null })
        return rows.length
      }),
    prune: (chain, before) =>
      change((tables) => {
        const rows = [...tables.audit.getRange({ start: [chain, 0], end: [chain, before] })].map(({ value }) => value)
        for (const row of rows) drop(tables, row)
        const head = tables.auditHeads.get(chain)
        if (head && head.sequence < before) {
          tables.auditHeads.remove(chain)
          tables.auditHeadTimes.remove([head.at, chain])
        }
        return rows.length
      }),
  }
}

function isAskedFor(row: StoredAuditRow, { accountId, kind, states }: AuditQuery): boolean {
  if (accountId !== undefined && row.accountId !== accountId) return false
  return (kind === undefined || row.kind === kind) && (states?.includes(row.state) ?? true)
}

type Time = [at: number, ...AuditPlace]

function timeOf({ at, chain, sequence }: StoredAuditRow): Time {
  return [at, chain, sequence]
}

/** Yields rows after the cursor, the newest first, by the index that has the fewest others. */
function* newest(tables: LmdbTables, { accountId, entries, cursor }: AuditQuery): Iterable<StoredAuditRow> {
  const after = cursor === undefined ? undefined : (JSON.parse(cursor) as Time)
  if (entries) {
    const rows = entries.flatMap((entry) => [...rowsOf(tables, entry)])
    const isLater = (row: StoredAuditRow) => after === undefined || compare(timeOf(row), after) < 0
    yield* rows.filter(isLater).sort((one, other) => compare(timeOf(other), timeOf(one)))
    return
  }
  const name = accountId === undefined ? '' : hash(accountId)
  const start: [string, ...Time] = after ? [name, ...after] : [name, Number.POSITIVE_INFINITY, '', 0]
  const range = { start, exclusiveStart: true, end: [name, 0, '', 0] as [string, ...Time], reverse: true }
  for (const [, , chain, sequence] of tables.auditTimes.getKeys(range)) {
    const row = tables.audit.get([chain, sequence])
    if (row) yield row
  }
}

function* rowsOf({ audit, auditEntries }: LmdbTables, entry: string): Iterable<StoredAuditRow> {
  const end: [string, ...AuditPlace] = [hash(entry), '\uffff', 0]
  for (const [, chain, sequence] of auditEntries.getKeys({ start: [hash(entry), '', 0], end })) {
    const row = audit.get([chain, sequence])
    if (row) yield row
  }
}

function compare([at, chain, sequence]: Time, [otherAt, otherChain, otherSequence]: Time): number {
  if (at !== otherAt) return at - otherAt
  if (chain !== otherChain) return chain < otherChain ? -1 : 1
  return sequence - otherSequence
}

function put(tables: LmdbTables, row: StoredAuditRow): void {
  const { chain, sequence, at, value } = row
  tables.audit.put([chain, sequence], row)
  for (const name of namesOf(row)) tables.auditTimes.put([name, at, chain, sequence], true)
  tables.auditEntries.put([hash(row.entry), chain, sequence], true)
  const head = tables.auditHeads.get(chain)
  if (head && head.sequence > sequence) return
  if (head) tables.auditHeadTimes.remove([head.at, chain])
  tables.auditHeads.put(chain, { sequence, at, value })
  tables.auditHeadTimes.put([at, chain], true)
}

function drop(tables: LmdbTables, row: StoredAuditRow): void {
  const { chain, sequence, at, entry } = row
  tables.audit.remove([chain, sequence])
  for (const name of namesOf(row)) tables.auditTimes.remove([name, at, chain, sequence])
  tables.auditEntries.remove([hash(entry), chain, sequence])
}

function namesOf({ accountId }: StoredAuditRow): readonly string[] {
  return accountId === null ? [''] : ['', hash(accountId)]
}
