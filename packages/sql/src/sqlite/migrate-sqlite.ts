import { latestVersion, type MigrationReport, upgradeFrom } from '../migrations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { refuseNewer } from './sqlite-version.ts'

/**
 * Brings the tables to the version of this code, in one transaction. It takes the write lock before it looks, so that of
 * several processes that start together one migrates and the others find everything done.
 *
 * @throws StoreError `STORE_TOO_NEW`.
 */
export function migrateSqlite(database: SqliteDatabase): MigrationReport {
  database.exec('begin immediate')
  try {
    const from = refuseNewer(database)
    database.exec(upgradeFrom(from))
    database.exec('commit')
    return { from, to: latestVersion }
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {
    // Some failures, a full disk for one, have rolled back already. The one that counts is the failure itself.
  }
}

/** Gives the same as a script, for those who apply SQL by hand: for a database that has no table of ours yet. */
export function writeMigrationScript(): string {
  return `begin immediate;\n${upgradeFrom(0)}\ncommit;\n`
}
