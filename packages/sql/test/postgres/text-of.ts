import type { PgClient } from '@latchkey/sql'

/** Returns the text of a statement, whether or not it is prepared under a name. */
export function textOf(query: Parameters<PgClient['query']>[0]): string {
  return typeof query === 'string' ? query : query.text
}
