import type { SqlRow, SqlValue } from '../stores/sql-executor.ts'
import type { PgClient, PgliteDatabase, PgPool, PostgresJsSql, PostgresPool } from './postgres-pool.ts'

/**
 * One interface for all drivers. When the signal is aborted, the running statement is dropped together with its
 * connection.
 */
export interface PostgresDriver {
  query(text: string, values: readonly SqlValue[], signal: AbortSignal): Promise<readonly SqlRow[]>
  /** Runs several statements in one transaction. */
  script(text: string, signal: AbortSignal): Promise<void>
  end(): Promise<void>
}

/**
 * @param timeoutMs the server's time limit for a statement. It frees the server; the statement itself prevents late
 *   changes, because a suspended server enforces no timeout.
 * @throws TypeError when it is not a pool of a supported driver.
 */
export function openPostgresDriver(pool: PostgresPool, timeoutMs: number): PostgresDriver {
  if (isPgPool(pool)) return openPg(pool, timeoutMs)
  if (isPostgresJs(pool)) return openPostgresJs(pool, timeoutMs)
  if (isPglite(pool)) return openPglite(pool)
  throw new TypeError('"pool" must be a Pool of pg, the sql function of postgres.js, or a PGlite')
}

function isPgPool(pool: PostgresPool): pool is PgPool {
  return has(pool, 'connect') && has(pool, 'end')
}

function isPostgresJs(pool: PostgresPool): pool is PostgresJsSql {
  return has(pool, 'unsafe') && has(pool, 'end')
}

function isPglite(pool: PostgresPool): pool is PgliteDatabase {
  return has(pool, 'query') && has(pool, 'exec') && has(pool, 'close')
}

function has(pool: unknown, method: string): boolean {
  return pool != null && typeof (pool as Readonly<Record<string, unknown>>)[method] === 'function'
}

function openPg(pool: PgPool, timeoutMs: number): PostgresDriver {
  const prepared = new WeakSet<PgClient>()
  // A broken connection rejects the pending query and emits an `error`, which without a listener ends the process. The
  // pool listens to idle connections only.
  pool.on?.('error', () => {})

  async function prepare(client: PgClient): Promise<void> {
    if (prepared.has(client)) return
    client.on?.('error', () => {})
    prepared.add(client)
    await client.query(`set statement_timeout = ${timeoutMs}`)
  }

  async function use<T>(signal: AbortSignal, action: (client: PgClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    if (signal.aborted) return release(client, false)
    const abandon = () => client.release(true)
    signal.addEventListener('abort', abandon)
    let isSound = false
    try {
      await prepare(client)
      const result = await action(client)
      isSound = true
      return result
    } finally {
      signal.removeEventListener('abort', abandon)
      if (!signal.aborted) client.release(!isSound)
    }
  }

  return {
    query: (text, values, signal) =>
      use(signal, async (client) => (await client.query(text, [...values])).rows as SqlRow[]),
    script: (text, signal) => use(signal, async (client) => void (await client.query(text))),
    end: () => pool.end(),
  }
}

/** A connection that arrived after the deadline is returned unused. */
function release(client: PgClient, destroy: boolean): never {
  client.release(destroy)
  throw new Error('the connection came after the deadline')
}

function openPostgresJs(sql: PostgresJsSql, timeoutMs: number): PostgresDriver {
  // The settings of new connections. A configured timeout is kept.
  const settings = sql.options.connection as { statement_timeout?: unknown }
  settings.statement_timeout ??= timeoutMs
  return {
    async query(text, values, signal) {
      const query = sql.unsafe(text, [...values])
      const cancel = () => {
        Promise.resolve(query.cancel()).catch(() => null)
      }
      signal.addEventListener('abort', cancel)
      try {
        return (await query) as readonly SqlRow[]
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    script: async (text) => void (await sql.unsafe(text).simple()),
    // Without a limit it would wait for lost connections.
    end: () => sql.end({ timeout: 1 }),
  }
}

function openPglite(database: PgliteDatabase): PostgresDriver {
  return {
    query: async (text, values) => (await database.query(text, [...values])).rows as SqlRow[],
    script: async (text) => void (await database.exec(text)),
    end: () => database.close(),
  }
}
