import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Environment } from '../support/start-quickstart.ts'

/** Everything that the stores of a publication hold, as text: by store. */
export async function dumpStores({
  DATABASE_URL,
  REDIS_URL,
  DATA_DIR = '',
}: Environment): Promise<ReadonlyMap<string, string>> {
  const dumps = new Map<string, string>()
  if (DATABASE_URL === undefined) dumps.set('the files of SQLite', await dumpFiles(DATA_DIR))
  else dumps.set('PostgreSQL', await dumpPostgres(DATABASE_URL))
  if (REDIS_URL !== undefined) dumps.set('Redis', await dumpRedis(REDIS_URL))
  return dumps
}

/** The database, and what lies beside it: what is written ahead, and what shares it. */
async function dumpFiles(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('publication.db'))
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), 'latin1')))
  return files.join('\n')
}

async function dumpPostgres(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows: tables } = await client.query("select tablename from pg_tables where schemaname = 'public'")
  const dumps: string[] = []
  for (const { tablename } of tables) {
    // As text: bytes are hexadecimal in it.
    const { rows } = await client.query(`select t::text as row from ${tablename} t`)
    dumps.push(tablename, ...rows.map(({ row }) => row))
  }
  await client.end()
  return dumps.join('\n')
}

async function dumpRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  const dumps: string[] = []
  for (const key of await redis.keys('*')) {
    const value = await readKey(redis, key)
    dumps.push(key, value)
  }
  redis.disconnect()
  return dumps.join('\n')
}

async function readKey(redis: Redis, key: string): Promise<string> {
  const kind = await redis.type(key)
  if (kind === 'hash') return JSON.stringify(await redis.hgetall(key))
  if (kind === 'set') return JSON.stringify(await redis.smembers(key))
  if (kind === 'zset') return JSON.stringify(await redis.zrange(key, '0', '-1', 'WITHSCORES'))
  if (kind === 'list') return JSON.stringify(await redis.lrange(key, 0, -1))
  return (await redis.get(key)) ?? ''
}
