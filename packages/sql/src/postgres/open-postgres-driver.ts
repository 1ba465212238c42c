import type { SqlRow } from '../statements/sql-executor.ts'
import { openPg } from './pg-driver.ts'
import type { PgliteDatabase, PgPool, PostgresJsSql, PostgresPool } from './pools/postgres-pool.ts'
import type { PostgresDriver, PostgresQuery, PostgresWork } from './postgres-driver.ts'
import { isPreparedElsewhere } from './postgres-error.ts'
import { openPostgresJs } from './postgres-js-driver.ts'

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
