/** What a parameter of a statement may be. Instants are epoch milliseconds, lists are JSON. */
export type SqlValue = string | number | null

/** A row by column name. Drivers differ in what they give for a bigint, so the stores convert what they read. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * All that the stores need of a database. Every statement is in the subset that SQLite and PostgreSQL share, has `$1`,
 * `$2`, … for its parameters, is atomic by itself, and gives rows, so that their number tells what was changed.
 */
export interface SqlExecutor {
  /**
   * Gives the rows. A statement that a unique constraint refuses has changed nothing and gives none.
   *
   * @throws StoreError when the database failed or did not answer before the deadline.
   */
  run(statement: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]>
}
