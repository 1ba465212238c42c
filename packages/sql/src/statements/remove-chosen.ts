/**
 * Returns a statement that removes the rows whose keys a query returns. The query is a common table expression: inside
 * the condition of the removal it could be executed more than once, and lock more rows than it returns.
 */
export function removeChosen(table: string, key: string, chosen: string): string {
  return `with chosen as (${chosen}) delete from ${table} where ${key} in (select ${key} from chosen) returning ${key}`
}
