import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Environment } from './start-quickstart.ts'

/**
 * Lets time pass for the counts of attempts of a publication, by the clock of whichever store has them: every window that is
 * open ends so many milliseconds sooner.
 */
export async function passTime({ DATABASE_URL, REDIS_URL, DATA_DIR = '' }: Environment, ms: number): Promise<void> {
  if (REDIS_URL !== undefined) await passInRedis(REDIS_URL, ms)
  else if (DATABASE_URL !== undefined) await passInPostgres(DATABASE_URL, ms)
  else passInSqlite(join(DATA_DIR, 'publication.db'), ms)
}

function passInSqlite(path: string, ms: number): void {
  const database = new DatabaseSync(path)
  database.exec('pragma busy_timeout = 10000')
  database.prepare('update latchkey_counters set reset_at = reset_at - ?').run(ms)
  database.close()
}

async function passInPostgres(connectionString: string, ms: number): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('update latchkey_counters set reset_at = reset_at - $1', [ms])
  await client.end()
}

async function passInRedis(url: string, ms: number): Promise<void> {
  const redis = new Redis(url)
  for (const key of await redis.keys('latchkey:counter:*')) await redis.hincrby(key, 'e', -ms)
  redis.disconnect()
}
