import { DatabaseSync } from 'node:sqlite'
import { randomBytes } from '@latchkey/bytes'
import { createSqliteStores } from '@latchkey/sql'
import { StoreError } from '@latchkey/store'
import type { Bench, BenchOptions } from './bench.ts'
import { createFactorBench } from './factor-bench.ts'
import type { Visitor } from './visitor.ts'

export interface AuditedBench extends Bench {
  readonly database: DatabaseSync
  /** Lets the append that is the n-th from now on fail, and no other one. */
  readonly failAppend: (nth: number) => void
  /** `<kind> <state>` of each row since the last call. */
  readonly written: () => readonly string[]
}

/** A service with every second factor on SQLite, where every decision is audited. */
export async function createAuditedBench(options: BenchOptions['options'] = {}): Promise<AuditedBench> {
  const database = new DatabaseSync(':memory:')
  const clock = { time: 1_800_000_000_000 }
  const stores = createSqliteStores({ database: () => database, now: () => clock.time })
  await stores.migrate()
  let left = Number.POSITIVE_INFINITY
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const bench = createFactorBench({
    beside: { stores, secrets, clock, outbox: [] },
    async around(call, run) {
      if (call === 'audit.append' && --left === 0) throw new StoreError('STORE_UNAVAILABLE', 'no answer')
      return run()
    },
    options,
  })
  let seen = 0
  return {
    ...bench,
    database,
    failAppend: (nth) => {
      left = nth
    },
    written() {
      const rows = database
        .prepare(
          "select kind, state from latchkey_audit where kind not like 'audit.%' order by rowid limit -1 offset ?",
        )
        .all(seen)
      seen += rows.length
      return rows.map(({ kind, state }) => `${kind} ${state}`)
    },
  }
}

export interface ListedEntry {
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly state: string
  readonly accountId: string | null
  readonly actorId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

export interface ListedPage {
  readonly nodes: readonly ListedEntry[]
  readonly endCursor: string | null
  readonly hasNextPage: boolean
}

const auditQuery = `query ($accountId: ID, $kind: String, $first: Int, $after: ID) {
  auditEntries(accountId: $accountId, kind: $kind, first: $first, after: $after) {
    nodes { id at kind state accountId actorId address userAgent requestId } endCursor hasNextPage
  }
}`

export function askEntries(visitor: Visitor, variables: object = {}) {
  return visitor.ask(auditQuery, variables)
}

export async function listEntries(visitor: Visitor, variables: object = {}): Promise<ListedPage> {
  const { status, data, text } = await askEntries(visitor, variables)
  if (status !== 200) throw new Error(`it was answered ${status}: ${text}`)
  return data.auditEntries
}
