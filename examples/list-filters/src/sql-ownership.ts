import type { Filter } from '@latchkey/rbac'

/** A condition of SQL with `?` where a value belongs. Texts of users are values and never part of the SQL. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly string[]
}

/**
 * The ownership of rows that name their owner in a column: one rule, asked of a row in hand and of a list.
 *
 * The column must compare texts byte by byte, as SQLite and PostgreSQL do by default: with
 * `collate nocase` the list would have rows that the check refuses.
 *
 * @param property where the owner stands in a row in hand.
 * @param column where it stands in the table. It becomes part of the SQL: yours, never a user's.
 */
export function ownedByColumn<const Property extends string>(property: Property, column: string): Ownership<Property> {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/i.test(column))
    throw new TypeError('"column" must be the name of a column')
  return {
    ownerOf: (row) => row[property],
    ownedBy: (subject) => ({ sql: `${column} = ?`, values: [subject] }),
  }
}

interface Ownership<Property extends string> {
  ownerOf(row: { readonly [name in Property]: string | null }): string | null
  ownedBy(subject: string): SqlCondition
}

/** The condition of a filter: everything, nothing, or what the identity owns. */
export function toCondition(filter: Filter<SqlCondition>): SqlCondition {
  if (filter.scope === 'all') return { sql: '1 = 1', values: [] }
  return filter.scope === 'owned' ? filter.where : { sql: '1 = 0', values: [] }
}

/** Both must hold. */
export function both(left: SqlCondition, right: SqlCondition): SqlCondition {
  return { sql: `(${left.sql}) and (${right.sql})`, values: [...left.values, ...right.values] }
}

/** For PostgreSQL, which numbers its values: `$1`, `$2`. */
export function numbered(
  { sql, values }: SqlCondition,
  first = 1,
): { readonly text: string; readonly values: string[] } {
  let number = first
  return { text: sql.replace(/\?/g, () => `$${number++}`), values: [...values] }
}
