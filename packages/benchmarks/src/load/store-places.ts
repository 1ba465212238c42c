import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@latchkey/test-services'

/** The places for the stores of the servers under load. */
export interface StorePlaces {
  readonly postgresUrl: string | null
  /** Returns a new file for an SQLite database. */
  file(): string
  close(): Promise<void>
}

/** The reason why rows on PostgreSQL are missing. */
export const noPostgres = 'no PostgreSQL on this machine'

/** Makes a folder for files, and starts PostgreSQL if it is installed. */
export async function openStorePlaces(): Promise<StorePlaces> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-benchmark-'))
  const postgres = await startPostgres()
  let files = 0
  return {
    postgresUrl: postgres?.url ?? null,
    file: () => join(folder, `${++files}.db`),
    async close() {
      await postgres?.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
