export type { MigrationReport } from './migrate-sqlite.ts'
export {
  createPostgresBroadcast,
  type PostgresBroadcastOptions,
  type PostgresListener,
} from './postgres-broadcast.ts'
export type { PgClient, PgliteDatabase, PgPool, PostgresJsQuery, PostgresJsSql, PostgresPool } from './postgres-pool.ts'
export { createPostgresStores, type PostgresStoresOptions } from './postgres-stores.ts'
export type { SqlValue } from './sql-executor.ts'
export type { SqlStores } from './sql-stores.ts'
export type { SqliteDatabase } from './sqlite-database.ts'
export { createSqliteStores, type SqliteStoresOptions } from './sqlite-stores.ts'
