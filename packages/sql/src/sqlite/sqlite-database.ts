/** The used part of a SQLite driver: `DatabaseSync` of `node:sqlite` and the `Database` of better-sqlite3 fit. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): { all(...parameters: (string | number | null)[]): unknown[] }
  close(): unknown
}

/** Returns whether the database has no file: it is in memory, or temporary. */
export function isInMemory(database: SqliteDatabase): boolean {
  const rows = database.prepare('pragma database_list').all() as { readonly name?: unknown; readonly file?: unknown }[]
  return rows.some(({ name, file }) => name === 'main' && !file)
}
