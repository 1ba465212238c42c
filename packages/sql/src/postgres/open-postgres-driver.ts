import type { SqlRow } from '../statements/sql-executor.ts'
import { openPg, type PgOptions } from './pg-driver.ts'
import type { PostgresDriver, PostgresQuery, PostgresWork } from './postgres-driver.ts'
import type { PgliteDatabase, PgPool, PostgresJsQuery, PostgresJsSql, PostgresPool } from './postgres-pool.ts'
import type { StatementSignal } from './statement-signal.ts'

/** How a driver sends statements. */
export interface DriverOptions {
  /** Whether `prepared` prepares. @default false */
  readonly prepares?: boolean
}

/**
 * @param timeoutMs the server's time limit for a statement. It frees the server; the statement itself prevents late
 *   changes, because a suspended server enforces no timeout.
 * @throws TypeError when it is not a pool of a supported driver.
 */
export function openPostgresDriver(
  pool: PostgresPool,
  timeoutMs: number,
  { prepares = false }: DriverOptions = {},
): PostgresDriver {
  if (isPgPool(pool)) return openPg(pool, { timeoutMs, prepares })
  if (isPostgresJs(pool)) return openPostgresJs(pool, { timeoutMs, prepares })
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

function openPostgresJs(sql: PostgresJsSql, { timeoutMs, prepares }: PgOptions): PostgresDriver {
  // The settings of new connections. A configured timeout is kept.
  const settings = sql.options.connection as { statement_timeout?: unknown }
  settings.statement_timeout ??= timeoutMs

  async function ask(query: PostgresJsQuery, signal: StatementSignal) {
    const cancel = () => {
      Promise.resolve(query.cancel()).catch(() => {})
    }
    signal.addEventListener('abort', cancel)
    try {
      return (await query) as readonly SqlRow[]
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  return {
    query: (text, values, signal) => ask(sql.unsafe(text, values as never), signal),
    // It names the statements itself, and does not where its own option says so.
    prepared: (text, values, signal) => ask(sql.unsafe(text, values as never, { prepare: prepares }), signal),
    script: async (text) => void (await sql.unsafe(text).simple()),
    transaction: <T>(work: PostgresWork<T>, limitMs: number, signal: AbortSignal) =>
      sql.begin(async (within) => {
        signal.throwIfAborted()
        await ask(within.unsafe(`set local statement_timeout = ${limitMs}`, []), signal)
        const result = await work((text, values) => ask(within.unsafe(text, values as never), signal))
        signal.throwIfAborted()
        return result
      }) as Promise<T>,
    // Without a limit it would wait for lost connections.
    end: () => sql.end({ timeout: 1 }),
  }
}

function openPglite(database: PgliteDatabase): PostgresDriver {
  const queryOn =
    (on: Pick<PgliteDatabase, 'query'>): PostgresQuery =>
    async (text, values) =>
      (await on.query(text, [...values])).rows as SqlRow[]
  return {
    query: (text, values) => queryOn(database)(text, values),
    prepared: (text, values) => queryOn(database)(text, values),
    script: async (text) => void (await database.exec(text)),
    transaction: <T>(work: PostgresWork<T>) => database.transaction((within) => work(queryOn(within))) as Promise<T>,
    end: () => database.close(),
  }
}
