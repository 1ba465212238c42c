import { type AuditEvent, type AuditFacts, createAuditLog } from '@latchkey/audit'
import { type AuditStore, createMemoryAuditStore, type StoredAuditRow } from '@latchkey/store'
import type { AuditChain, AuditHead } from '@latchkey/store/internal'

export const secrets = [{ id: 'k1', bytes: new Uint8Array(32).fill(7) }] as const

/** When the tests begin. */
export const start = 1_790_000_000_000

export const facts: AuditFacts = {
  kind: 'password.changed',
  accountId: 'acc_1',
  actorId: 'acc_1',
  address: '203.0.113.7',
  userAgent: 'Firefox',
  requestId: 'req_1',
  details: { channel: 'graphql' },
}

/** A log in memory whose clock goes on by a millisecond with each look at it. */
export function openLog(options: Partial<Parameters<typeof createAuditLog>[0]> = {}) {
  const { store = createMemoryAuditStore() } = options
  const events: AuditEvent[] = []
  const checkpoints: string[] = []
  const time = { now: start }
  const audit = createAuditLog({
    secrets,
    onEvent: (event) => void events.push(event),
    onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
    now: () => time.now++,
    ...options,
    store,
  })
  return { store, audit, events, checkpoints, time }
}

/** Returns the chains in the order of their heads. */
export async function chainsOf(store: AuditStore): Promise<readonly AuditChain[]> {
  const chains = await store.listChains({ after: null, limit: 1000 })
  const timeOf = ({ head }: AuditChain) => Number(/"at":(\d+)/.exec(head?.value ?? '')?.[1])
  return chains.toSorted((one, other) => timeOf(one) - timeOf(other))
}

/** Everything that a database holds of a log, as who writes to it sees it. */
export interface Database {
  rows: StoredAuditRow[]
  heads: readonly AuditHead[]
}

export async function readDatabase(store: AuditStore): Promise<Database> {
  const chains = await chainsOf(store)
  const rows = await Promise.all(chains.map(({ chain }) => store.readChain(chain, { after: 0, limit: 100_000 })))
  const heads = chains.flatMap(({ head }) => head ?? [])
  return { rows: rows.flat(), heads }
}

/** Returns a store that reads what a database holds, whatever was done to it. */
export function storeOf({ rows, heads }: Database): AuditStore {
  const writable = createMemoryAuditStore()
  return {
    ...writable,
    async readChain(chain, { after, limit }) {
      const own = rows.filter((row) => row.chain === chain && row.sequence > after)
      return own.sort((one, other) => one.sequence - other.sequence).slice(0, limit)
    },
    async listChains() {
      const names = new Set([...rows, ...heads].map(({ chain }) => chain))
      return [...names].map((chain) => {
        const sequences = rows.filter((row) => row.chain === chain).map(({ sequence }) => sequence)
        return {
          chain,
          first: sequences.length > 0 ? Math.min(...sequences) : null,
          last: sequences.length > 0 ? Math.max(...sequences) : null,
          head: heads.find((each) => each.chain === chain) ?? null,
        }
      })
    },
    list: async ({ entries = [], states = [] } = {}) => ({
      items: rows.filter((row) => entries.includes(row.entry) && states.includes(row.state)),
    }),
  }
}
