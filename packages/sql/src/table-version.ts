import { StoreError } from '@latchkey/store'
import { latestVersion, type TablesVersion } from './migrations.ts'

/**
 * Returns the version of the tables if this code may use them, which a newer version permits or not.
 *
 * @throws StoreError `STORE_TOO_NEW`: writing to other tables of a newer version could break it.
 */
export function refuseNewerVersion({ version, usableBy }: TablesVersion): number {
  if (usableBy <= latestVersion) return version
  throw new StoreError(
    'STORE_TOO_NEW',
    `the database has version ${version}, and this code knows versions up to ${latestVersion}: it was migrated by a newer release of @latchkey/sql`,
  )
}

/** @throws StoreError `STORE_TOO_NEW` or `STORE_NOT_MIGRATED` unless this code may use the tables. */
export function refuseOtherVersion(tables: TablesVersion): void {
  const version = refuseNewerVersion(tables)
  if (version >= latestVersion) return
  const found = version === 0 ? 'has no tables of Latchkey' : `has version ${version} of ${latestVersion}`
  throw new StoreError('STORE_NOT_MIGRATED', `the database ${found}: call migrate()`)
}
