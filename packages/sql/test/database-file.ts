import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { onTestFinished } from 'vitest'

/** The path of a database that does not exist yet, in a folder of its own that goes with the test. */
export function newDatabaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'app.db')
}

/** The version of the tables of this code. */
export const latestVersion = await readLatestVersion()

async function readLatestVersion(): Promise<number> {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  const { to } = await stores.migrate()
  await stores.close()
  return to
}
