import type { Page } from '@latchkey/store'
import type { SqlRow } from './sql-executor.ts'

/**
 * Returns one page of rows that are ordered by a unique name. It reads one row more than the limit, to know whether
 * there are more; the cursor is the last name of the page, so that removals and inserts do not shift pages.
 */
export async function readPage<T>(
  { limit = 100, cursor = '' }: Page = {},
  read: (row: SqlRow) => T,
  nameOf: (item: T) => string,
  query: (after: string, limit: number) => Promise<readonly SqlRow[]>,
): Promise<{ readonly items: readonly T[]; readonly cursor?: string }> {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('"limit" must be an integer of at least 1')
  const rows = await query(cursor, limit + 1)
  const items = rows.slice(0, limit).map(read)
  const last = items.at(-1)
  return rows.length > limit && last !== undefined ? { items, cursor: nameOf(last) } : { items }
}
