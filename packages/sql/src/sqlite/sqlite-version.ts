import { readTables, type TablesVersion, toTablesVersion } from '../migrations.ts'
import { refuseNewerVersion } from '../table-version.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Returns the version of the tables. */
export function readVersion(database: SqliteDatabase): TablesVersion {
  const tables = database.prepare(
    "select name from sqlite_master where type = 'table' and name = 'latchkey_migrations'",
  )
  if (tables.all().length === 0) return toTablesVersion(undefined)
  const [row] = database.prepare(readTables).all()
  return toTablesVersion(row as Readonly<Record<string, unknown>> | undefined)
}

/** @throws StoreError `STORE_TOO_NEW`. */
export function refuseNewer(database: SqliteDatabase): number {
  return refuseNewerVersion(readVersion(database))
}
