import { StoreError } from '@latchkey/store'
import { latestVersion } from './migrations.ts'

/**
 * Returns the version of the tables when this code may use them.
 *
 * @throws StoreError `STORE_TOO_NEW`: writing to tables of a newer version could break it.
 */
export function refuseNewerVersion(version: number): number {
  if (version <= latestVersion) return version
  throw new StoreError(
    'STORE_TOO_NEW',
    `the database has version ${version}, and this code knows versions up to ${latestVersion}: it was migrated by a newer release of @latchkey/sql`,
  )
}

/** @throws StoreError `STORE_TOO_NEW` or `STORE_NOT_MIGRATED` unless the version is that of this code. */
export function refuseOtherVersion(version: number): void {
  if (refuseNewerVersion(version) === latestVersion) return
  const found = version === 0 ? 'has no tables of Latchkey' : `has version ${version} of ${latestVersion}`
  throw new StoreError('STORE_NOT_MIGRATED', `the database ${found}: call migrate()`)
}
