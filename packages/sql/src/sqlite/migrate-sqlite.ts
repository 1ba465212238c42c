import { latestVersion, upgradeFrom } from '../migrations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { refuseNewer } from './sqlite-version.ts'

/**
 * Migrates the tables to the version of this code, in one transaction. It takes the write lock before it reads the
 * version, so that of several processes that start together one migrates and the others find the tables ready.
 *
 * @throws StoreError `STORE_TOO_NEW`.
 */
export function migrateSqlite(database: SqliteDatabase): { readonly from: number; readonly to: number } {
  database.exec('begin immediate')
  try {
    const from = refuseNewer(database)
    if (from < latestVersion) database.exec(upgradeFrom(from, 'sqlite'))
    database.exec('commit')
    return { from, to: Math.max(from, latestVersion) }
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {
    // Some failures, such as a full disk, have rolled back already. The failure itself is reported.
  }
}

/** Returns the same as a script to be applied by hand, for a database without these tables. */
export function writeMigrationScript(): string {
  return `begin immediate;\n${upgradeFrom(0, 'sqlite')}\ncommit;\n`
}
