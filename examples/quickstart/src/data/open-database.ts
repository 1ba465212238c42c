import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Opens the embedded database of a data directory, or one in memory for `:memory:`. Other users cannot read its file. */
export function openDatabase(dataDirectory: string): DatabaseSync {
  if (dataDirectory === ':memory:') return new DatabaseSync(':memory:')
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = join(dataDirectory, 'publication.db')
  const database = new DatabaseSync(path)
  // Before the first write: SQLite creates the files beside it with the same mode.
  chmodSync(path, 0o600)
  return database
}
