import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRedisStores } from '@latchkey/redis'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { startPostgres, startRedis } from '@latchkey/test-services'
import { Redis } from 'ioredis'
import pg from 'pg'

/** A store of the measurement's own. */
export interface OpenStore {
  readonly records: RecordStore
  /** Returns its size in its own unit; `null` if it cannot be measured from outside. */
  size(): Promise<string | null>
  close(): Promise<void>
}

/**
 * A long deadline, because the benchmark measures durations, not the first failure: 200 simultaneous writes wait for
 * one another.
 */
const deadlineMs = 5000

/** Stores by name; one that this machine does not have opens as `null`. */
export const stores: Readonly<Record<string, () => Promise<OpenStore | null>>> = {
  memory: async () => ({
    records: createMemoryRecordStore(),
    size: async () => null,
    close: async () => {},
  }),
  'SQLite (node:sqlite, a file)': openSqlite,
  'PostgreSQL (pg)': openPostgres,
  'Redis (ioredis)': openRedis,
}

export async function openSqliteAt(file: string): Promise<RecordStore> {
  const opened = createSqliteStores({ database: () => new DatabaseSync(file) })
  await opened.migrate()
  return opened.records
}

async function openSqlite(): Promise<OpenStore> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-benchmark-'))
  const file = join(folder, 'app.db')
  const opened = createSqliteStores({ database: () => new DatabaseSync(file) })
  await opened.migrate()
  const look = new DatabaseSync(file)
  return {
    records: opened.records,
    async size() {
      const rows = look.prepare('select count(*) as rows from latchkey_records').get()?.rows
      const pages = look.prepare('pragma page_count').get()?.page_count
      return `${rows} rows, ${pages} pages`
    },
    async close() {
      look.close()
      await opened.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Opens a store on a running server, for the servers under load. */
export async function openPostgresAt(url: string): Promise<RecordStore> {
  const opened = createPostgresStores({ pool: new pg.Pool({ connectionString: url }), deadlineMs })
  await opened.migrate()
  return opened.records
}

async function openPostgres(): Promise<OpenStore | null> {
  const server = await startPostgres()
  if (!server) return null
  const look = new pg.Pool({ connectionString: server.url, max: 1 })
  const opened = createPostgresStores({ pool: new pg.Pool({ connectionString: server.url }), deadlineMs })
  await opened.migrate()
  return {
    records: opened.records,
    async size() {
      const { rows } = await look.query(
        `select count(*) as rows, pg_relation_size('latchkey_records') as bytes from latchkey_records`,
      )
      return `${rows[0]?.rows} rows, ${rows[0]?.bytes} bytes`
    },
    async close() {
      await look.end()
      await opened.close()
      await server.stop()
    },
  }
}

async function openRedis(): Promise<OpenStore | null> {
  const server = await startRedis()
  if (!server) return null
  const client = new Redis(server.url)
  const { records } = createRedisStores({ client, waitReplicas: 0, deadlineMs })
  return {
    records,
    size: async () => `${await client.dbsize()} keys`,
    async close() {
      client.disconnect()
      await server.stop()
    },
  }
}
