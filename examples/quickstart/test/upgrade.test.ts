import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { describe } from 'vitest'
import { describeUpgrade } from './support/describe-upgrade.ts'
import { firstDatabase } from './support/first-database.ts'

describe('on SQLite', () => {
  describeUpgrade(async (now) => {
    const file = join(mkdtempSync(join(tmpdir(), 'latchkey-')), 'app.db')
    const database = new DatabaseSync(file)
    database.exec(firstDatabase)
    database.close()
    return () => createSqliteStores({ database: () => new DatabaseSync(file), now, deadlineMs: 2000 })
  })
})
