import type { Filter } from '@latchkey/rbac'

/** An SQL condition with `?` for each value. Texts of users are values and never part of the SQL. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly string[]
}

/**
 * Returns the ownership of rows that name their owner in a column: one rule for a loaded row and for a list.
 *
 * The column must compare texts byte by byte, as SQLite and PostgreSQL do by default: with `collate nocase` the list would
 * have rows that the check refuses.
 *
 * @param property the property of a loaded row that has the owner.
 * @param column the column of the owner. It becomes part of the SQL: never pass a user's text.
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

/** Returns the SQL condition of a filter: for all rows, for no rows, or for the rows that the identity owns. */
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
