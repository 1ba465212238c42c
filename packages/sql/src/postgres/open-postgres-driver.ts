import { createSemaphore } from '@latchkey/core/internal'
import type { SqlRow } from '../statements/sql-executor.ts'
import { openPg } from './pg-driver.ts'
import type { PostgresDriver, PostgresQuery, PostgresWork } from './postgres-driver.ts'
import { isPreparedElsewhere } from './postgres-error.ts'
import type { PgliteDatabase, PgPool, PostgresJsQuery, PostgresJsSql, PostgresPool } from './postgres-pool.ts'
import type { StatementSignal } from './statement-signal.ts'

/**
 * @param prepares whether `prepared` prepares.
 * @throws TypeError when it is not a pool of a supported driver.
 */
export function openPostgresDriver(pool: PostgresPool, prepares = false): PostgresDriver {
  const driver = openDriver(pool)
  let isPreparing = prepares
  return {
    ...driver,
    async prepared(text, values, signal) {
      if (!isPreparing) return driver.query(text, values, signal)
      try {
        return await driver.prepared(text, values, signal)
      } catch (error) {
        if (!isPreparedElsewhere(error)) throw error
        // Behind a pooler: neither this one nor those that follow.
        isPreparing = false
        signal.throwIfAborted()
        return driver.query(text, values, signal)
      }
    },
  }
}

function openDriver(pool: PostgresPool): PostgresDriver {
  if (isPgPool(pool)) return openPg(pool)
  if (isPostgresJs(pool)) return openPostgresJs(pool)
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

function openPostgresJs(sql: PostgresJsSql): PostgresDriver {
  let isShared: boolean | null = null

  /**
   * Whether the connection leads to a pooler: its key names no process of the server. postgres.js must not prepare statements
   * there: it repeats a missing statement beside other statements, and may assign their rows to it.
   */
  async function readIsShared(signal: StatementSignal): Promise<boolean> {
    return alone(async () => {
      const query = sql.unsafe('select pg_backend_pid() as pid')
      const [row] = await ask(query, signal)
      return row?.pid !== query.state?.pid
    })
  }

  const places = sql.options?.max ?? 10
  const semaphore = createSemaphore({ atOnce: places, waiting: Number.POSITIVE_INFINITY })

  /**
   * Runs the work on a free connection. With more statements than connections, postgres.js would send several on one
   * connection: a cancel request could cancel the wrong statement, and a pooler could release the connection between them.
   */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    await semaphore.enter()
    return work().finally(() => semaphore.leave())
  }

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

  const send = (text: string, values: readonly unknown[], signal: StatementSignal, options = {}) =>
    alone(async () => {
      signal.throwIfAborted()
      return ask(sql.unsafe(text, values as never, options), signal)
    })

  return {
    places,
    query: send,
    // It names the statements itself, and does not where its own option says so.
    async prepared(text, values, signal) {
      isShared ??= await readIsShared(signal)
      return send(text, values, signal, { prepare: !isShared })
    },
    script: (text, signal) =>
      alone(async () => {
        signal.throwIfAborted()
        await sql.unsafe(text).simple()
      }),
    transaction: <T>(work: PostgresWork<T>, limitMs: number, signal: AbortSignal) =>
      alone(async () =>
        sql.begin(async (within) => {
          signal.throwIfAborted()
          await ask(within.unsafe(`set local statement_timeout = ${limitMs}`, []), signal)
          const result = await work((text, values) => ask(within.unsafe(text, values as never), signal))
          signal.throwIfAborted()
          return result
        }),
      ) as Promise<T>,
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
    // It has a queue of its own.
    places: Number.POSITIVE_INFINITY,
    query: (text, values) => queryOn(database)(text, values),
    prepared: (text, values) => queryOn(database)(text, values),
    script: async (text) => void (await database.exec(text)),
    transaction: <T>(work: PostgresWork<T>) => database.transaction((within) => work(queryOn(within))) as Promise<T>,
    end: () => database.close(),
  }
}
