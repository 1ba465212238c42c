import type { AuditStore, StoredAuditRow } from '@latchkey/store'
import type { AuditEntry } from './audit-facts.ts'
import type { AuditLog } from './audit-log.ts'
import { readPersonal } from './personal-facts.ts'
import { readDetails } from './sealed-row.ts'

/** The number of reads for one page; after them the page is returned with fewer items than requested. */
const mostReads = 10

const decisions = ['intended', 'done', 'failed'] as const

/**
 * Returns each decision once, the newest first, at the place of its first row. An outcome that is written between two
 * pages moves no decision to another page. The item shows the row of the outcome, if there is one yet.
 *
 * @throws TypeError if `first` is not from 1 to 1000, or `after` is not a cursor.
 */
export async function listEntries(
  store: AuditStore,
  query: NonNullable<Parameters<AuditLog['list']>[0]>,
): ReturnType<AuditLog['list']> {
  const { first = 50, after, ...filter } = query
  if (!(Number.isSafeInteger(first) && first >= 1 && first <= 1000)) {
    throw new TypeError('"first" must be a whole number from 1 to 1000')
  }
  let cursor = readCursor(after)
  const items: AuditEntry[] = []
  for (let reads = 0; reads < mostReads && items.length < first; reads++) {
    const limit = first - items.length
    const page = await store.list({ ...filter, states: decisions, limit, ...(cursor !== undefined && { cursor }) })
    items.push(...(await toEntries(store, page.items, filter)))
    cursor = page.cursor
    if (cursor === undefined) return { items }
  }
  return cursor === undefined ? { items } : { items, cursor: `${cursorPrefix}${cursor}` }
}

/** The prefix that tells a cursor from other text before the store reads it. */
const cursorPrefix = 'entries:'

function readCursor(after: string | undefined): string | undefined {
  if (after === undefined) return undefined
  if (!after.startsWith(cursorPrefix)) throw new TypeError('"after" must be the cursor of a page')
  return after.slice(cursorPrefix.length)
}

type Filter = Pick<NonNullable<Parameters<AuditLog['list']>[0]>, 'accountId' | 'kind'>

async function toEntries(
  store: AuditStore,
  rows: readonly StoredAuditRow[],
  { accountId, kind }: Filter,
): Promise<readonly AuditEntry[]> {
  const isAskedFor = (row: StoredAuditRow): boolean =>
    (accountId ?? row.accountId) === row.accountId && (kind ?? row.kind) === row.kind
  const [intentions, outcomes] = [rows.filter(isIntention), rows.filter((row) => !isIntention(row))]
  const [comesOf, beginsWith] = await Promise.all([
    readOthers(store, intentions, ['done', 'failed']),
    readOthers(store, outcomes, ['intended']),
  ])
  return rows.flatMap((row) => {
    const other = (isIntention(row) ? comesOf : beginsWith).get(row.entry)
    if (other === undefined) return [toEntry(row)]
    // A decision that is not asked for by its other row stands where this one does, or nowhere.
    if (isIntention(row)) return isAskedFor(other) ? [toEntry(other)] : []
    return isAskedFor(other) ? [] : [toEntry(row)]
  })
}

function isIntention({ state }: StoredAuditRow): boolean {
  return state === 'intended'
}

/** Returns the rows of these decisions that have one of these states. */
async function readOthers(
  store: AuditStore,
  rows: readonly StoredAuditRow[],
  states: readonly StoredAuditRow['state'][],
): Promise<ReadonlyMap<string, StoredAuditRow>> {
  if (rows.length === 0) return new Map()
  const { items } = await store.list({ entries: rows.map(({ entry }) => entry), states, limit: rows.length })
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
