import { DatabaseSync } from 'node:sqlite'
import { randomBytes } from '@latchkey/bytes'
import { createJwtSigner, createJwtVerifier, openKeyRing } from '@latchkey/jwt'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { afterEach, beforeEach, expect, test } from 'vitest'

let stores: SqlStores

beforeEach(async () => {
  stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await stores.migrate()
})

afterEach(() => stores.close())

test('a key ring in these documents: tokens of one process verify in another, before and after a rotation', async () => {
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
  expect(JSON.stringify(await stores.documents.list('signing-key'))).not.toContain('"d"')
})
