import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqliteDatabase, type SqlStores } from '@latchkey/sql'
import BetterSqlite from 'better-sqlite3'
import { afterAll, describe } from 'vitest'
import { describeKits } from './describe-kits.ts'

// The races of the kit wait for each other's writes, on a disk that may be slow.
const deadlineMs = 30_000

const drivers: readonly (readonly [name: string, open: (file: string) => SqliteDatabase])[] = [
  ['node:sqlite', (file) => new DatabaseSync(file)],
  ['better-sqlite3', (file) => new BetterSqlite(file)],
]

// Both drivers in memory: store-kits-in-memory.test.ts. How they are read does not depend on where the database is.
const isLong = process.env.TEST_TIER === '3'

describe.each(drivers.slice(0, isLong ? undefined : 1))('%s in a file, over two connections', (_driver, open) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
  const opened: SqlStores[] = []
  const connect = async (now?: () => number) => {
    const stores = createSqliteStores({ database: () => open(join(folder, 'app.db')), deadlineMs, ...(now && { now }) })
    opened.push(stores)
    await stores.migrate()
    return stores
  }
  afterAll(async () => {
    for (const stores of opened) await stores.close()
    rmSync(folder, { recursive: true })
  })
  const setVersion = async (key: string, version: number) => {
    const database = open(join(folder, 'app.db'))
    database.prepare('update latchkey_records set version = ? where key = ? returning key').all(version, key)
    database.close()
  }
  describeKits(connect, { setVersion })
})
