import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { type AuditStore, createMemoryAuditStore } from '@latchkey/store'
import { startPostgres } from '@latchkey/test-services'
import pg from 'pg'

/** An audit store of the measurement's own. */
export interface OpenAuditStore {
  readonly store: AuditStore
  close(): Promise<void>
}

/** A long deadline, because the benchmark measures durations, not the first failure. */
const deadlineMs = 5000

/** Stores by name; one that this machine does not have opens as `null`. */
export const auditStores: Readonly<Record<string, () => Promise<OpenAuditStore | null>>> = {
  memory: async () => ({ store: createMemoryAuditStore(), close: async () => {} }),

  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-benchmark-'))
    const opened = createSqliteStores({ database: () => new DatabaseSync(join(folder, 'app.db')), deadlineMs })
    await opened.migrate()
    return {
      store: opened.audit,
      async close() {
        await opened.close()
        rmSync(folder, { recursive: true })
      },
    }
  },

  async PostgreSQL() {
    const server = await startPostgres()
    if (!server) return null
    const opened = createPostgresStores({ pool: new pg.Pool({ connectionString: server.url }), deadlineMs })
    await opened.migrate()
    return {
      store: opened.audit,
      async close() {
        await opened.close()
        await server.stop()
      },
    }
  },
}
