import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLmdbStores } from '../src/lmdb-stores.ts'

function openStores() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lmdb-'))
  const clock = { time: 1000 }
  const stores = createLmdbStores({ path: join(folder, 'database'), now: () => clock.time, deadlineMs: 20_000 })
  onTestFinished(async () => {
    await stores.close()
    rmSync(folder, { recursive: true })
  })
  return { ...stores, clock }
}

test('a sweep keeps records whose expiry a touch or a replace has extended', async () => {
  const { records, clock } = openStores()
  for (const key of ['touched', 'replaced']) await records.insert({ key, owner: null, expiresAt: 2000, value: '1' })
  await records.touch({ key: 'touched', owner: null }, 9000)
  await records.replace({ key: 'replaced', owner: null, version: 1 }, { value: '2', expiresAt: 9000 })
  clock.time = 3000
  expect(await records.sweep?.(10)).toBe(0)
  expect(await records.get('touched')).toMatchObject({ expiresAt: 9000 })
  expect(await records.get('replaced')).toMatchObject({ expiresAt: 9000 })
})

test('a window that opens after a reset outlives the end of the one before', async () => {
  const { counters, clock } = openStores()
  await counters.hit('reset', 1000)
  await counters.reset('reset')
  await counters.hit('reset', 8000, 3)
  clock.time = 3000
  await counters.hit('other', 1000)
  expect(await counters.hit('reset', 1000, 0)).toEqual({ count: 3, resetAt: 9000 })
})
