import { DatabaseSync } from 'node:sqlite'
import { randomBytes } from '@latchkey/bytes'
import { openKeyRing } from '@latchkey/jwt'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import {
  createPostgresBroadcast,
  createPostgresExecutor,
  createPostgresStores,
  createSqliteStores,
} from '@latchkey/sql'
import { createOneTimeCredentials } from '@latchkey/store'
import { expect, test } from 'vitest'

const openExecutor = () =>
  createPostgresExecutor({ pool: { connect: async () => Promise.reject(), end: async () => {} } })
const database = () => new DatabaseSync(':memory:')

test.each<[message: string, create: () => unknown]>([
  [
    'createSqliteStores has no option "deadline". Did you mean "deadlineMs"?',
    () => createSqliteStores({ database, deadline: 50 } as never),
  ],
  [
    'createSqliteStores has no option "filename", only "database", "now", "deadlineMs"',
    () => createSqliteStores({ database, filename: 'app.db' } as never),
  ],
  ['createSqliteStores takes an object with "database"', () => createSqliteStores(undefined as never)],
  [
    'createPostgresStores has no option "pools". Did you mean "pool"?',
    () => createPostgresStores({ pools: {} } as never),
  ],
  [
    'createPostgresStores has no option "deadlineMS". Did you mean "deadlineMs"?',
    () => createPostgresStores({ pool: {}, deadlineMS: 50 } as never),
  ],
  [
    'createPostgresStores takes an object with "pool", "now", "deadlineMs"',
    () => createPostgresStores(undefined as never),
  ],
  [
    'createPostgresExecutor has no option "deadline". Did you mean "deadlineMs"?',
    () => createPostgresExecutor({ pool: {}, deadline: 50 } as never),
  ],
  [
    'the limit of a transaction has no option "deadline". Did you mean "deadlineMs"?',
    () => openExecutor().transaction(async () => null, { deadline: 50 } as never),
  ],
  [
    'createPostgresBroadcast has no option "heartbeat". Did you mean "heartbeatMs"?',
    () => createPostgresBroadcast({ connect: () => {}, heartbeat: 50 } as never),
  ],
  [
    'createPostgresBroadcast takes an object with "connect", "unreadAtMost", "deadlineMs", "heartbeatMs"',
    () => createPostgresBroadcast(undefined as never),
  ],
])('nothing is created with a misspelt option: %s', (message, create) => {
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('factories that take one store accept the whole set', async () => {
  const stores = createSqliteStores({ database })
  await stores.migrate()
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  expect(() => createSessions(stores)).not.toThrow()
  expect(() => createRefreshTokens({ ...stores, secrets })).not.toThrow()
  expect(() => createOneTimeCredentials({ ...stores, kind: 'reset', ttlSeconds: 60 })).not.toThrow()
  await expect(openKeyRing({ ...stores, secrets, algorithm: 'ES256' })).resolves.toHaveProperty('rotate')
  await stores.close()
})
