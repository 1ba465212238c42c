import { type ServerStores, serverStoreNames } from './server-stores.ts'

/**
 * Joins the stores of two backends into the stores of one service, for example sessions and counters in Redis and
 * accounts in PostgreSQL. If both have a store, `second` is used. If counters of `second` are not durable, give `first`
 * its own `lockouts`, as `createPostgresStores` and `createSqliteStores` do.
 *
 * Both are migrated, checked and closed: `first` is migrated before `second` and closed after it, even if closing
 * `second` fails.
 *
 * @throws TypeError for a member that is no store of a service.
 *
 * @example
 * import { createRedisStores, type RedisClient } from '@latchkey/redis'
 * import { joinStores } from '@latchkey/server'
 * import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
 * declare const pool: PostgresPool // of pg, postgres.js or PGlite
 * declare const client: RedisClient // of ioredis or node-redis
 * const stores = joinStores(createPostgresStores({ pool }), createRedisStores({ client, waitReplicas: 0 }))
 */
export function joinStores<First extends Partial<ServerStores>, Second extends Partial<ServerStores>>(
  first: First,
  second: Second,
): Omit<Omit<First, keyof Second> & Second, 'check' | 'close' | 'isInMemory' | 'migrate' | 'migrationSql'> &
  Pick<ServerStores, 'check' | 'close' | 'isInMemory' | 'migrate' | 'migrationSql'> {
  for (const stores of [first, second]) requireKnownNames(stores)
  const functions = Object.entries(joinFunctions(first, second))
  const joined = {
    ...storesOf(first),
    ...storesOf(second),
    ...Object.fromEntries(
      functions.filter(([name]) => Boolean(first[name as StoreFunction] ?? second[name as StoreFunction])),
    ),
  }
  return joined as unknown as ReturnType<typeof joinStores<First, Second>>
}

type StoreFunction = keyof ReturnType<typeof joinFunctions>

function requireKnownNames(stores: Partial<ServerStores>): void {
  const unknown = Object.keys(stores).find((name) => !Object.hasOwn(serverStoreNames, name))
  if (unknown !== undefined) throw new TypeError(`joinStores: "${unknown}" is no store of a service`)
}

/** Each by its name: a spread loses what a class defines. */
function storesOf(stores: Partial<ServerStores>): Partial<ServerStores> {
  const names = Object.keys(serverStoreNames) as (keyof ServerStores)[]
  return Object.fromEntries(names.flatMap((name) => (stores[name] === undefined ? [] : [[name, stores[name]]])))
}

function joinFunctions(
  first: Partial<ServerStores>,
  second: Partial<ServerStores>,
): Required<Pick<ServerStores, 'check' | 'close' | 'isInMemory' | 'migrate' | 'migrationSql'>> {
  return {
    async migrate() {
      const report = await first.migrate?.()
      return (await second.migrate?.()) ?? report
    },
    migrationSql: () => [first.migrationSql?.(), second.migrationSql?.()].filter(Boolean).join('\n'),
    check: async () => void (await Promise.all([first.check?.(), second.check?.()])),
    async isInMemory() {
      const answers = await Promise.all([first.isInMemory?.() ?? false, second.isInMemory?.() ?? false])
      return answers.every(Boolean)
    },
    async close() {
      try {
        await second.close?.()
      } finally {
        await first.close?.()
      }
    },
  }
}
