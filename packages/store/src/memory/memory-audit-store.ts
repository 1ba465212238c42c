import type { AuditStore, StoredAuditRow } from '../audit-store.ts'

/**
 * Creates an audit log in this process's memory, for tests and development: it is lost when the process ends.
 *
 * @example
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const audit = createMemoryAuditStore()
 * await audit.list({ accountId: 'acc_1' }) // { items: [] }
 */
export function createMemoryAuditStore(): AuditStore {
  let rows: readonly StoredAuditRow[] = []
  const holds = ({ chain, sequence }: StoredAuditRow, among: readonly StoredAuditRow[]) =>
    among.some((row) => row.chain === chain && row.sequence === sequence)
  return {
    async append(added) {
      if (added.some((row, index) => holds(row, rows) || holds(row, added.slice(0, index)))) return false
      rows = [...rows, ...added.map((row) => Object.freeze({ ...row }))]
      return true
    },
    async list({ accountId, kind, limit = 100, cursor } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const found = rows
        .filter((row) => (accountId === undefined || row.accountId === accountId) && (kind ?? row.kind) === row.kind)
        .map((row) => ({ row, name: nameOf(row) }))
        .filter(({ name }) => cursor === undefined || name < cursor)
        .sort((one, other) => (one.name < other.name ? 1 : -1))
      const items = found.slice(0, limit).map(({ row }) => row)
      const last = items.at(-1)
      return last && found.length > limit ? { items, cursor: nameOf(last) } : { items }
    },
    async readChain(chain, { after, limit }) {
      const found = rows.filter((row) => row.chain === chain && row.sequence > after)
      return found.sort((one, other) => one.sequence - other.sequence).slice(0, limit)
    },
    async listChains() {
      return [...Map.groupBy(rows, ({ chain }) => chain)].map(([chain, own]) => {
        const sequences = own.map(({ sequence }) => sequence)
        return { chain, first: Math.min(...sequences), last: Math.max(...sequences) }
      })
    },
    async erasePersonal(accountId) {
      const erased = rows.filter((row) => row.accountId === accountId && row.personal !== null)
      rows = rows.map((row) => (erased.includes(row) ? Object.freeze({ ...row, personal: null }) : row))
      return erased.length
    },
    async prune(chain, before) {
      const kept = rows.filter((row) => row.chain !== chain || row.sequence >= before)
      const count = rows.length - kept.length
      rows = kept
      return count
    },
  }
}

/** The order of a listing: by time, and among rows of one time by chain and sequence. */
function nameOf({ at, chain, sequence }: StoredAuditRow): string {
  return [String(at).padStart(16, '0'), chain, String(sequence).padStart(16, '0')].join(' ')
}
