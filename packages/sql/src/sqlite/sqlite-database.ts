import type { SqlValue } from '../stores/sql-executor.ts'

/** The used part of a SQLite driver: `DatabaseSync` of `node:sqlite` fits. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): { all(...parameters: SqlValue[]): unknown[] }
  close(): unknown
}
