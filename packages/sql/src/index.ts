export type { MigrationReport } from './migrations.ts'
export {
  createPostgresBroadcast,
  type PostgresBroadcastOptions,
  type PostgresListener,
} from './postgres/postgres-broadcast.ts'
export {
  createPostgresExecutor,
  type PostgresExecutor,
  type PostgresExecutorOptions,
  type PostgresLimit,
  type PostgresStatement,
} from './postgres/postgres-executor.ts'
export type {
  NamedQuery,
  PgClient,
  PgliteDatabase,
  PgPool,
  PostgresJsQuery,
  PostgresJsSql,
  PostgresPool,
} from './postgres/postgres-pool.ts'
export { createPostgresStores, type PostgresStoresOptions } from './postgres/postgres-stores.ts'
export type { SqlStores } from './sql-stores.ts'
export type { SqliteDatabase } from './sqlite/sqlite-database.ts'
export { createSqliteStores, type SqliteStoresOptions } from './sqlite/sqlite-stores.ts'
export type { SqlRow, SqlValue } from './statements/sql-executor.ts'
