import { type Attempt, createAttemptLimits, type StoredAccount, unknownAttempt } from '@latchkey/accounts'
import { type AuditEntry, type AuditEvent, type AuditLog, createAuditLog } from '@latchkey/audit'
import {
  type AuditStore,
  createMemoryAuditStore,
  createMemoryCounterStore,
  type DocumentStore,
  type StoredAuditRow,
  StoreError,
} from '@latchkey/store'
import { joinOptions } from '../bench.ts'
import {
  createFactorsBench,
  type FactorsBench,
  type FactorsBenchOptions,
  storedFactors,
} from '../factors/factors-bench.ts'

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(9) }] as const

export interface AuditedBench extends FactorsBench {
  readonly log: AuditLog
  readonly auditEvents: AuditEvent[]
  /** Lets the append that is the n-th from now on fail, and no other one. */
  readonly failAppend: (nth: number) => void
  /** Whether the append that was to fail has. */
  readonly hasFailed: () => boolean
  /** All rows, the oldest first. */
  readonly rows: () => Promise<readonly StoredAuditRow[]>
  /** `<kind> <state>` of each row since the last call. */
  readonly written: () => Promise<readonly string[]>
  /** All decisions, the newest first. */
  readonly entries: () => Promise<readonly AuditEntry[]>
}

/** The bench of accounts with every kind of factor and limit, where every decision is audited. */
export function createAuditedBench(options: FactorsBenchOptions = {}): AuditedBench {
  let clock = (): number => 0
  const now = () => clock()
  const stored = createMemoryAuditStore()
  let left = Number.POSITIVE_INFINITY
  const store: AuditStore = {
    ...stored,
    async append(rows) {
      left -= 1
      if (left === 0) throw new StoreError('STORE_UNAVAILABLE', 'the audit store does not answer')
      return stored.append(rows)
    },
  }
  const auditEvents: AuditEvent[] = []
  const log = createAuditLog({ store, secrets, now, onEvent: (event) => auditEvents.push(event) })
  const counters = createMemoryCounterStore({ now })
  const attemptLimits = createAttemptLimits({ counters, lockouts: createMemoryCounterStore(), secrets, now })
  const bench = createFactorsBench({
    ...options,
    options: joinOptions({ signIn: { attemptLimits }, audit: { log, secrets } }, options.options),
  })
  clock = bench.now
  let seen = 0
  const rows = async () => [...(await stored.list({ limit: 1000 })).items].reverse().filter(isOfDecision)
  return {
    ...bench,
    log,
    auditEvents,
    failAppend: (nth) => {
      left = nth
    },
    hasFailed: () => left <= 0,
    rows,
    async written() {
      const all = await rows()
      const since = all.slice(seen)
      seen = all.length
      return since.map(({ kind, state }) => `${kind} ${state}`)
    },
    entries: async () => (await log.list({ first: 1000 })).items,
  }
}

function isOfDecision({ kind }: StoredAuditRow): boolean {
  return !kind.startsWith('audit.')
}

export const origin: Attempt = {
  ...unknownAttempt,
  address: '203.0.113.9',
  channel: 'page',
  requestId: 'r-1',
  userAgent: 'Mozilla/5.0',
}

/** What must be the same where nothing has happened. */
export async function stateOf(bench: AuditedBench, { id }: StoredAccount, documents: DocumentStore = bench.documents) {
  return {
    account: await bench.store.get(id),
    sessions: (await bench.sessions.list(id)).map(({ key }) => key),
    factors: (await storedFactors({ documents }, id))
      .map(({ kind }) => kind)
      .filter((kind) => !kind.endsWith('-enrollment')),
  }
}
