import { readFileSync } from 'node:fs'
import { createMemoryFactorStore, type FactorStore, type StoredFactor } from '@latchkey/store'
import { expect, test } from 'vitest'
import { ada, createBench, registered, start } from './passkeys-bench.ts'

// What a passkey looked like in the first release: written by it, and never edited.
interface Golden {
  readonly factor: Omit<StoredFactor, 'version'>
}

const golden: Golden = JSON.parse(readFileSync(new URL('fixtures/passkey-version-1.json', import.meta.url), 'utf8'))

async function openGolden(members: object = {}): Promise<FactorStore> {
  const factors = createMemoryFactorStore()
  const value = JSON.stringify({ ...JSON.parse(golden.factor.value), ...members })
  await factors.insert({ ...golden.factor, value })
  return factors
}

test('a passkey of version 1 is read by this release', async () => {
  const { passkeys } = createBench({ factors: await openGolden() })
  expect(await passkeys.list(ada.id)).toEqual([
    {
      id: golden.factor.id,
      kind: 'passkey',
      name: 'Phone',
      createdAt: start,
      lastUsedAt: null,
      backedUp: true,
      category: 'know+have',
    },
  ])
})

test('a passkey is stored as in version 1', async () => {
  const bench = createBench()
  await registered(bench)
  const [stored] = await bench.factors.listByAccount(ada.id)
  const [now, then] = [JSON.parse(stored!.value), JSON.parse(golden.factor.value)]
  expect(Object.keys(now)).toEqual(Object.keys(then))
  expect(now.v).toBe(1)
  expect({ ...then, credentialId: now.credentialId, publicKey: now.publicKey }).toEqual(now)
})

test('a member that a newer release has added is kept by a new name', async () => {
  const factors = await openGolden({ color: 'green' })
  const { passkeys } = createBench({ factors })
  expect((await passkeys.rename(ada.id, golden.factor.id, 'Tablet')).ok).toBe(true)
  const [stored] = await factors.listByAccount(ada.id)
  expect(JSON.parse(stored!.value)).toEqual({ ...JSON.parse(golden.factor.value), color: 'green', name: 'Tablet' })
})

test.each<[code: string, members: object]>([
  ['STORE_DATA_NEWER', { v: 99 }],
  ['STORE_DATA_INVALID', { v: 'one' }],
  ['STORE_DATA_INVALID', { counter: -1 }],
  ['STORE_DATA_INVALID', { counter: '1' }],
  ['STORE_DATA_INVALID', { publicKey: null }],
  ['STORE_DATA_INVALID', { transports: 'usb' }],
  ['STORE_DATA_INVALID', { userVerified: 1 }],
  ['STORE_DATA_INVALID', { lastUsedAt: 'yesterday' }],
])('a passkey that cannot be read is an outage (%s: %j), and can be removed', async (code, members) => {
  const factors = await openGolden(members)
  const { passkeys } = createBench({ factors })
  await expect(passkeys.list(ada.id)).rejects.toMatchObject({ code })
  await expect(passkeys.rename(ada.id, golden.factor.id, 'Tablet')).rejects.toMatchObject({ code })
  expect(await passkeys.remove(ada.id, golden.factor.id)).toBe(true)
  expect(await passkeys.list(ada.id)).toEqual([])
})
