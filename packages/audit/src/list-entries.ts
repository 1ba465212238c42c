import type { AuditStore, StoredAuditRow } from '@latchkey/store'
import type { AuditEntry } from './audit-facts.ts'
import { readPersonal } from './personal-facts.ts'
import { readDetails } from './sealed-row.ts'

/** Which decisions to list. */
export interface AuditListQuery {
  readonly accountId?: string
  readonly kind?: string
  /**
   * How many, from 1 to 1000.
   * @default 50
   */
  readonly first?: number
  /** The `cursor` of the page before; omitted for the first page. */
  readonly after?: string
}

export interface AuditPage {
  /** The newest first. */
  readonly items: readonly AuditEntry[]
  /** For `after`, while there may be more. */
  readonly cursor?: string
}

/** A page is given back with fewer items than asked for, rather than that so many pages of rows are read for it. */
const mostReads = 10

const decisions = ['intended', 'done', 'failed'] as const

/**
 * Returns decisions with the newest first, each once: by the row that says what came of it, and by the one that says that it
 * was about to happen only while there is no other.
 *
 * @throws TypeError when `first` is not from 1 to 1000.
 */
export async function listEntries(store: AuditStore, query: AuditListQuery): Promise<AuditPage> {
  const { first = 50, after, ...filter } = query
  if (!(Number.isSafeInteger(first) && first >= 1 && first <= 1000)) {
    throw new TypeError('"first" must be a whole number from 1 to 1000')
  }
  let { begunAt, cursor } = readCursor(after)
  const items: AuditEntry[] = []
  for (let reads = 0; reads < mostReads && items.length < first; reads++) {
    const limit = first - items.length
    const page = await store.list({ ...filter, states: decisions, limit, ...(cursor !== undefined && { cursor }) })
    begunAt ??= page.items[0]?.at
    items.push(...(await toEntries(store, page.items, { ...filter, begunAt: begunAt ?? 0 })))
    cursor = page.cursor
    if (cursor === undefined) return { items }
  }
  return cursor === undefined ? { items } : { items, cursor: `${begunAt ?? 0}:${cursor}` }
}

/** A listing knows when it began, so that what was decided since then is not left out on a later page. */
function readCursor(after: string | undefined): { begunAt: number | undefined; cursor: string | undefined } {
  if (after === undefined) return { begunAt: undefined, cursor: undefined }
  const [, begunAt, cursor] = /^(\d{1,16}):(.+)$/s.exec(after) ?? []
  if (cursor === undefined) throw new TypeError('"after" must be the cursor of a page')
  return { begunAt: Number(begunAt), cursor }
}

async function toEntries(
  store: AuditStore,
  rows: readonly StoredAuditRow[],
  { accountId, kind, begunAt }: Pick<AuditListQuery, 'accountId' | 'kind'> & { readonly begunAt: number },
): Promise<readonly AuditEntry[]> {
  const outcomes = await readOutcomes(store, rows)
  return rows.flatMap((row) => {
    const outcome = row.state === 'intended' ? outcomes.get(row.entry) : undefined
    if (outcome === undefined) return [toEntry(row)]
    const isAskedFor = (accountId ?? outcome.accountId) === outcome.accountId && (kind ?? outcome.kind) === outcome.kind
    return isAskedFor && outcome.at > begunAt ? [toEntry(outcome)] : []
  })
}

async function readOutcomes(
  store: AuditStore,
  rows: readonly StoredAuditRow[],
): Promise<ReadonlyMap<string, StoredAuditRow>> {
  const entries = rows.filter(({ state }) => state === 'intended').map(({ entry }) => entry)
  if (entries.length === 0) return new Map()
  const { items } = await store.list({ entries, states: ['done', 'failed'], limit: entries.length })
  return new Map(items.map((row) => [row.entry, row]))
}

function toEntry(row: StoredAuditRow): AuditEntry {
  const { entry: id, at, kind, accountId, state } = row
  const said = readDetails(row.value)
  return {
    ...{ id, at, kind, accountId },
    state: state === 'done' || state === 'failed' ? state : 'unknown',
    ...said,
    ...readPersonal(row.personal),
  }
}
