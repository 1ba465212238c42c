import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The path of a database that does not exist yet, in a folder of its own that goes with the test. */
export function newDatabaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'app.db')
}
