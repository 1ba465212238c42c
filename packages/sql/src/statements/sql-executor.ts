/** A parameter of a statement. Instants are epoch milliseconds, lists are JSON. */
export type SqlValue = string | number | null

/** In place of a parameter: the time of the store's clock when the statement is executed. */
export const storeTime: unique symbol = Symbol('the time of the store')

/** A parameter of a statement. */
export type SqlParameter = SqlValue | typeof storeTime

/** Returns the values for a driver. */
export function fillTime(parameters: readonly SqlParameter[], now: () => number): readonly SqlValue[] {
  return parameters.map((parameter) => (parameter === storeTime ? now() : parameter))
}

/** A row by column name. Drivers differ in how they return a bigint, so the stores convert what they read. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * The clauses at the end of a query whose rows are removed. Rows are locked in its order before the first is removed,
 * so that two such statements do not deadlock, and are checked again once they are locked: a row that was renewed
 * meanwhile stays.
 */
export interface RowLocks {
  /** Waits for rows that another statement has locked. */
  readonly wait: string
  /** Leaves out rows that another statement has locked. */
  readonly skip: string
}

/**
 * The database interface of the stores. Every statement uses the SQL that SQLite and PostgreSQL share, has `$1`, `$2`,
 * … for its parameters, is atomic, and returns rows, whose number is the number of changes.
 */
export interface SqlExecutor {
  readonly rowLocks: RowLocks
  /** The suffix of a text column that orders it by bytes, with any collation of the database. */
  readonly byBytes: string
  /** A query of the texts in the JSON list `$1`. */
  readonly listed: string
  /** Returns the time of the store's clock, in whole epoch milliseconds. */
  now(): number
  /** Whether the stores were given that clock. */
  readonly clock?: 'given'
  /**
   * Returns the rows. A statement that a unique constraint refuses changes and returns no rows.
   *
   * @throws StoreError if the database failed or did not answer before the deadline.
   */
  run(statement: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>
}
