/** A pool of connections to PostgreSQL, by the part that is used: a `Pool` of `pg`, the `sql` of postgres.js, or a `PGlite`. */
export type PostgresPool =
  | {
      /** A missing time limit for opening a connection is set. */
      readonly options?: { connectionTimeoutMillis?: number | undefined; readonly max?: number | undefined }
      connect(): Promise<{
        query(
          query: string | { readonly name: string; readonly text: string },
          values?: unknown[],
        ): Promise<{ readonly rows: readonly unknown[] }>
        on?(event: 'error', listener: (error: Error) => void): unknown
        on?(event: 'end', listener: () => void): unknown
        /** The socket: a connection that is silently dead is cut, because it cannot be closed. */
        readonly connection?: {
          readonly stream?: {
            destroy(): unknown
            /** `true` with TLS. */
            readonly encrypted?: unknown
            readonly remoteAddress?: string | undefined
            readonly remotePort?: number | undefined
          }
          /** The options of TLS. */
          readonly ssl?: unknown
          readonly sslNegotiation?: unknown
        }
        /** The address and the key by which its statement is cancelled. */
        readonly host?: string
        readonly port?: number
        readonly processID?: unknown
        readonly secretKey?: unknown
        /** With `true` the connection is closed and not used again. */
        release(destroy?: boolean): void
      }>
      on?(event: 'error', listener: (error: Error) => void): unknown
      end(): Promise<void>
    }
  | {
      unsafe(
        text: string,
        values?: (string | number | null)[],
        options?: { prepare?: boolean },
      ): PromiseLike<readonly unknown[]> & {
        simple(): PromiseLike<unknown>
        cancel(): unknown
        /** Its connection, once it was sent. */
        readonly state?: { readonly pid?: number | null }
      }
      readonly options?: { readonly max?: number }
      begin(
        work: (within: {
          unsafe(
            text: string,
            values?: (string | number | null)[],
            options?: { prepare?: boolean },
          ): PromiseLike<readonly unknown[]> & { simple(): PromiseLike<unknown>; cancel(): unknown }
        }) => Promise<unknown>,
      ): Promise<unknown>
      end(options?: { timeout?: number }): Promise<void>
    }
  | {
      query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
      exec(script: string): Promise<unknown>
      transaction(
        work: (within: {
          query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
        }) => Promise<unknown>,
      ): Promise<unknown>
      close(): Promise<void>
      /** Its folder; omitted, or `memory://…`: it is kept in memory. */
      readonly dataDir?: string | undefined
    }

export type PgPool = Extract<PostgresPool, { connect: unknown }>
export type PgClient = Awaited<ReturnType<PgPool['connect']>>
/** A statement that the server parses once for each connection. */
export type NamedQuery = Exclude<Parameters<PgClient['query']>[0], string>
export type PostgresJsSql = Extract<PostgresPool, { unsafe: unknown }>
/** A pending statement, which can be cancelled. */
export type PostgresJsQuery = ReturnType<PostgresJsSql['unsafe']>
export type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>

/** Returns whether the database is a `PGlite` without a folder. */
export function isInMemory(pool: PostgresPool): boolean {
  return 'exec' in pool && (pool.dataDir ?? 'memory://').startsWith('memory://')
}
