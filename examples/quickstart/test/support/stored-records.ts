import { Redis } from 'ioredis'
import pg from 'pg'
import type { Environment } from './start-quickstart.ts'

/** The records of a publication, as its store has them. */
export interface StoredRecords {
  /** Lets a record expire so many milliseconds from now, by the clock of the store. */
  setLifetime(key: string, milliseconds: number): Promise<void>
  /** Returns how many milliseconds a record has left, negative when it has expired; `null`: there is none. */
  lifetimeOf(key: string): Promise<number | null>
  /** Drops the index of what an account has opened, as a Redis that is short of memory may; nothing without Redis. */
  dropIndex(accountId: string): Promise<void>
  close(): Promise<void>
}

/** Opens the store that a publication with these variables has its records in. */
export function openStoredRecords({ DATABASE_URL, REDIS_URL }: Environment): StoredRecords {
  return REDIS_URL === undefined ? onPostgres(DATABASE_URL ?? '') : onRedis(REDIS_URL)
}

function onPostgres(connectionString: string): StoredRecords {
  const pool = new pg.Pool({ connectionString, max: 1 })
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
  return {
    async setLifetime(key, milliseconds) {
      await pool.query(`update latchkey_records set expires_at = ${now} + $2 where key = $1`, [key, milliseconds])
    },
    async lifetimeOf(key) {
      const { rows } = await pool.query(`select expires_at - ${now} as left from latchkey_records where key = $1`, [
        key,
      ])
      return rows[0] ? Number(rows[0].left) : null
    },
    dropIndex: async () => {},
    close: () => pool.end(),
  }
}

function onRedis(url: string): StoredRecords {
  const redis = new Redis(url)
  const nameOf = (key: string) => `latchkey:record:${key}`
  const now = async () => {
    const [seconds, microseconds] = await redis.time()
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
  }
  return {
    async setLifetime(key, milliseconds) {
      await redis.hset(nameOf(key), 'e', String((await now()) + milliseconds))
    },
    async lifetimeOf(key) {
      const expiresAt = await redis.hget(nameOf(key), 'e')
      return expiresAt === null ? null : Number(expiresAt) - (await now())
    },
    dropIndex: async (accountId) => void (await redis.del(`latchkey:owner:${accountId}`)),
    close: async () => redis.disconnect(),
  }
}
