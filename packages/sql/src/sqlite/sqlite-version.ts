import { refuseNewerVersion } from '../table-version.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Returns the version of the tables; 0 when there are none. */
export function readVersion(database: SqliteDatabase): number {
  const tables = database.prepare(
    "select name from sqlite_master where type = 'table' and name = 'latchkey_migrations'",
  )
  if (tables.all().length === 0) return 0
  const [row] = database.prepare('select max(version) as version from latchkey_migrations').all()
  return Number((row as { readonly version: unknown }).version)
}

/** @throws StoreError `STORE_TOO_NEW`. */
export function refuseNewer(database: SqliteDatabase): number {
  return refuseNewerVersion(readVersion(database))
}
