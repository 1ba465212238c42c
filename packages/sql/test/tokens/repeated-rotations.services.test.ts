import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { createRedisStores } from '@latchkey/redis'
import { createRefreshTokens } from '@latchkey/sessions'
import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { useService } from '@latchkey/test-services'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'
import { createPostgresDatabase } from '../postgres/postgres-database.ts'

const [postgres, redis] = [useService('postgres'), useService('redis')]
const factors = [{ kind: 'password', at: 0 }]
const secrets = [{ id: 'one', bytes: new Uint8Array(randomBytes(32)) }] as const
const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

const storesOf: Readonly<Record<string, () => Promise<RecordStore>>> = {
  memory: async () => createMemoryRecordStore(),
  async SQLite() {
    const path = newDatabaseFile()
    const { migrate, records } = createSqliteStores({ database: () => new DatabaseSync(path) })
    await migrate()
    return records
  },
  async PostgreSQL() {
    const pool = new pg.Pool({ connectionString: await createPostgresDatabase(postgres), max: 8 })
    const { migrate, records, close } = createPostgresStores({ pool, deadlineMs: 30_000 })
    closing.push(close)
    await migrate()
    return records
  },
  async Redis() {
    const client = new Redis(redis)
    closing.push(() => client.disconnect())
    return createRedisStores({ client, deadlineMs: 30_000, waitReplicas: 0 }).records
  },
}

describe.each(Object.keys(storesOf))('twenty requests at once with one refresh token on %s', (name) => {
  async function rotate(keyOf: (index: number) => string) {
    const records = await storesOf[name]?.()
    if (!records) throw new Error(`no store ${name}`)
    const tokens = createRefreshTokens({ records, secrets, graceSeconds: 0, onEvent: () => undefined })
    const { token, family } = await tokens.issue({
      subject: `acc_${randomBytes(8).toString('hex')}`,
      clientId: 'web',
      factors,
    })
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        tokens.redeem(token, { clientId: 'web', idempotencyKey: keyOf(index) }),
      ),
    )
    const said = verdicts.map((verdict) => (verdict.ok ? verdict.token : verdict.reason))
    return { said, first: verdicts.filter((verdict) => verdict.ok && !verdict.replayed), tokens, family }
  }

  test('get one successor with the same idempotency key, without a grace', async () => {
    const { said, first, tokens, family } = await rotate(() => 'one-request-and-no-other')
    expect([new Set(said).size, first.length]).toEqual([1, 1])
    expect(await tokens.redeem(said[0] ?? null, { clientId: 'web' })).toMatchObject({
      ok: true,
      family: { key: family.key },
    })
  })

  test('have one winner with a key each, and the others revoke the family', async () => {
    const { said, first, tokens, family } = await rotate((index) => `another-request-with-no-${index}`)
    expect([said.filter((one) => one.startsWith('rt_')).length, first.length]).toEqual([1, 1])
    expect(await tokens.read(family.key)).toBeNull()
  })
})
