/** The used part of a `Pool` of `pg`. */
export interface PgPool {
  /** The time limit for opening a connection is set where there is none. */
  readonly options?: { connectionTimeoutMillis?: number | undefined }
  connect(): Promise<PgClient>
  on?(event: 'error', listener: (error: Error) => void): unknown
  end(): Promise<void>
}

/** A statement that the server parses once for each connection. */
export interface NamedQuery {
  readonly name: string
  readonly text: string
}

export interface PgClient {
  query(query: string | NamedQuery, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  on?(event: 'error', listener: (error: Error) => void): unknown
  on?(event: 'end', listener: () => void): unknown
  /** Where the socket is: a connection that is silently dead is cut, because it cannot be closed. */
  readonly connection?: { readonly stream?: { destroy(): unknown } }
  /** With `true` the connection is closed and not used again. */
  release(destroy?: boolean): void
}

/** The used part of the `sql` function of postgres.js. */
export interface PostgresJsSql {
  unsafe(text: string, values?: (string | number | null)[], options?: { prepare?: boolean }): PostgresJsQuery
  readonly options: { readonly connection: object }
  begin(work: (within: Pick<PostgresJsSql, 'unsafe'>) => Promise<unknown>): Promise<unknown>
  end(options?: { timeout?: number }): Promise<void>
}

/** A pending statement, which can be cancelled. */
export interface PostgresJsQuery extends PromiseLike<readonly unknown[]> {
  simple(): PromiseLike<unknown>
  cancel(): unknown
}

/** The used part of a `PGlite`. */
export interface PgliteDatabase {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  exec(script: string): Promise<unknown>
  transaction(work: (within: Pick<PgliteDatabase, 'query'>) => Promise<unknown>): Promise<unknown>
  close(): Promise<void>
  /** Its folder; omitted, or `memory://…`: it is kept in memory. */
  readonly dataDir?: string | undefined
}

/** A pool of connections to PostgreSQL, of one of the supported drivers. */
export type PostgresPool = PgPool | PostgresJsSql | PgliteDatabase

/** Returns whether the database is a `PGlite` without a folder. */
export function isInMemory(pool: PostgresPool): boolean {
  return 'exec' in pool && (pool.dataDir ?? 'memory://').startsWith('memory://')
}
