import type { SqlValue } from '../stores/sql-executor.ts'

/** What is needed of a SQLite driver: `DatabaseSync` of `node:sqlite` fits as it is. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): { all(...parameters: SqlValue[]): unknown[] }
  close(): unknown
}
