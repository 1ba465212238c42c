import { DatabaseSync } from 'node:sqlite'
import { randomBytes } from '@latchkey/bytes'
import { createJwtSigner, createJwtVerifier, openKeyRing, type StoredKey } from '@latchkey/jwt'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { afterEach, beforeEach, expect, test } from 'vitest'

const key: StoredKey = {
  id: 'k1',
  purpose: 'access-token',
  algorithm: 'ES256',
  sealed: '2026-01.box',
  createdAt: Date.UTC(2026, 0, 1),
  retiredAt: null,
}

let stores: SqlStores

beforeEach(async () => {
  stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await stores.migrate()
})

afterEach(() => stores.close())

test('keys of all purposes are returned as they were stored', async () => {
  const other: StoredKey = { ...key, id: 'k2', purpose: 'id-token', algorithm: 'HS256', retiredAt: key.createdAt + 1 }
  expect([await stores.keys.insert(other), await stores.keys.insert(key)]).toEqual([true, true])
  expect(await stores.keys.list()).toEqual([key, other])
})

test('a key is never overwritten', async () => {
  await stores.keys.insert(key)
  expect(await stores.keys.insert({ ...key, sealed: 'another' })).toBe(false)
  expect(await stores.keys.list()).toEqual([key])
})

test('a key is retired by exactly one caller, and the first instant stays', async () => {
  await stores.keys.insert(key)
  const outcomes = await Promise.all([1, 2, 3].map((at) => stores.keys.retire('k1', key.createdAt + at)))
  expect(outcomes).toEqual([true, false, false])
  expect(await stores.keys.list()).toEqual([{ ...key, retiredAt: key.createdAt + 1 }])
  expect(await stores.keys.retire('k9', 1)).toBe(false)
})

test('a key is removed by exactly one caller', async () => {
  await stores.keys.insert(key)
  expect(await Promise.all([stores.keys.remove('k1'), stores.keys.remove('k1')])).toEqual([true, false])
  expect(await stores.keys.list()).toEqual([])
})

test('a key ring uses these keys: tokens of one process verify in another, before and after a rotation', async () => {
  const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
  let time = 1_800_000_000_000
  const now = () => time
  const ring = { ...stores, secrets, algorithm: 'ES256', now } as const
  const [one, two] = [await openKeyRing(ring), await openKeyRing(ring)]
  const api = { issuer: 'https://id.example.com', audience: 'https://api.example.com' }
  const verifier = createJwtVerifier({ ...api, keys: two, algorithms: ['ES256'], now })
  for (let round = 0; round < 2; round++) {
    const { token } = await createJwtSigner({ ...api, keys: one, now }).sign({ sub: 'acc_1' })
    expect(await verifier.verify(token)).toMatchObject({ ok: true, claims: { sub: 'acc_1' } })
    time += 901_000
    await one.rotate()
  }
  expect(JSON.stringify(await stores.keys.list())).not.toContain('"d"')
})
