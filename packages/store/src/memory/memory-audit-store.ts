import type { AuditChain, AuditHead, AuditQuery, AuditStore, StoredAuditRow } from '../audit-store.ts'

/** The rows of a chain by their sequence, and its last appended row. */
interface MemoryChain {
  readonly rows: ReadonlyMap<number, StoredAuditRow>
  readonly head: StoredAuditRow
}

/**
 * Creates an audit log in this process's memory, for tests and development: it is lost when the process exits.
 *
 * @example
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const audit = createMemoryAuditStore()
 * await audit.list({ accountId: 'acc_1' }) // { items: [] }
 */
export function createMemoryAuditStore(): AuditStore {
  const chains = new Map<string, { rows: Map<number, StoredAuditRow>; head: StoredAuditRow }>()
  const allRows = (): readonly StoredAuditRow[] => [...chains.values()].flatMap(({ rows }) => [...rows.values()])
  const exists = ({ chain, sequence }: StoredAuditRow): boolean => chains.get(chain)?.rows.has(sequence) ?? false

  function add(given: StoredAuditRow): void {
    const row = Object.freeze({ ...given })
    const chain = chains.get(row.chain) ?? { rows: new Map(), head: row }
    chain.rows.set(row.sequence, row)
    if (row.sequence > chain.head.sequence) chain.head = row
    chains.set(row.chain, chain)
  }

  return {
    async append(added) {
      const places = new Set(added.map(({ chain, sequence }) => `${sequence} ${chain}`))
      if (places.size < added.length || added.some(exists)) return false
      for (const row of added) add(row)
      return true
    },
    async list(query = {}) {
      const { limit = 100, cursor } = query
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const found = allRows()
        .filter((row) => isAskedFor(row, query))
        .map((row) => ({ row, name: nameOf(row) }))
        .filter(({ name }) => cursor === undefined || name < cursor)
        .sort((one, other) => (one.name < other.name ? 1 : -1))
      const items = found.slice(0, limit).map(({ row }) => row)
      const last = items.at(-1)
      return last && found.length > limit ? { items, cursor: nameOf(last) } : { items }
    },
    async readChain(chain, { after, limit }) {
      const found = [...(chains.get(chain)?.rows.values() ?? [])].filter(({ sequence }) => sequence > after)
      return found.sort((one, other) => one.sequence - other.sequence).slice(0, limit)
    },
    async listChains({ after, limit }) {
      const names = [...chains.keys()].filter((name) => after === null || name > after).sort()
      return names.slice(0, limit).flatMap((name) => {
        const chain = chains.get(name)
        return chain ? [toChain(chain)] : []
      })
    },
    async latestHeads(limit) {
      const heads = [...chains.values()].map(({ head }) => head)
      return heads
        .sort((one, other) => (nameOf(one) < nameOf(other) ? 1 : -1))
        .slice(0, limit)
        .map(toHead)
    },
    async erasePersonal(accountId) {
      const erased = allRows().filter((row) => row.accountId === accountId && row.personal !== null)
      for (const row of erased) {
        chains.get(row.chain)?.rows.set(row.sequence, Object.freeze({ ...row, personal: null }))
      }
      return erased.length
    },
    async prune(name, before) {
      const chain = chains.get(name)
      if (!chain) return 0
      const removed = [...chain.rows.keys()].filter((sequence) => sequence < before)
      for (const sequence of removed) chain.rows.delete(sequence)
      if (chain.head.sequence < before) chains.delete(name)
      return removed.length
    },
  }
}

function isAskedFor(row: StoredAuditRow, { accountId, kind, states, entries }: AuditQuery): boolean {
  if (accountId !== undefined && row.accountId !== accountId) return false
  if (kind !== undefined && row.kind !== kind) return false
  return (states?.includes(row.state) ?? true) && (entries?.includes(row.entry) ?? true)
}

function toChain({ rows, head }: MemoryChain): AuditChain {
  const sequences = [...rows.keys()].sort((one, other) => one - other)
  return { chain: head.chain, first: sequences.at(0) ?? null, last: sequences.at(-1) ?? null, head: toHead(head) }
}

function toHead({ chain, sequence, value }: StoredAuditRow): AuditHead {
  return { chain, sequence, value }
}

/** The order of a listing: by time, and among rows of one time by chain and sequence. */
function nameOf({ at, chain, sequence }: StoredAuditRow): string {
  return [String(at).padStart(16, '0'), chain, String(sequence).padStart(16, '0')].join(' ')
}
