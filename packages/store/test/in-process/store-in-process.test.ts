import type { CounterStore, DocumentStore, RecordStore } from '@latchkey/store'
import { createStoreInProcess } from '@latchkey/store/node'
import { expect, test } from 'vitest'

const at = (name: string) => new URL(`../fixtures/${name}`, import.meta.url)
const document = { collection: 'note', id: '1', owner: null, version: 'v1', value: 'first' }

test('a store in another process is called there, and answers as it does here', async () => {
  const store = await createStoreInProcess<DocumentStore>(at('per-process-store.ts'))
  expect(store.capabilities).toEqual({ contract: 1, consistency: 'strong' })
  expect(await store.get('note', '1')).toBeNull()
  expect(await store.insert(document)).toBe(true)
  expect(await store.insert(document)).toBe(false)
  expect(await store.get('note', '1')).toEqual(document)
  await expect(store.list('note', { limit: 0 })).rejects.toThrow('"limit" must be at least 1')
})

test('an outage in another process is a StoreError here, and its clock is read at once', async () => {
  const store = await createStoreInProcess<RecordStore>(at('failing-record-store.ts'))
  await expect(store.get('se_1')).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  expect(Math.abs(store.now() - Date.now() - 3_600_000)).toBeLessThan(60_000)
})

test('a module that throws rejects, and does not wait', async () => {
  await expect(createStoreInProcess(at('no-such-store.ts'))).rejects.toThrow(
    'the process of the store ended with code 1',
  )
})

test('a window of Infinity is also infinite in another process', async () => {
  const store = await createStoreInProcess<CounterStore>(at('per-process-counters.ts'))
  const counter = { count: 1, resetAt: Number.MAX_SAFE_INTEGER }
  expect(await store.hit('failures:totp:acc_1', Number.POSITIVE_INFINITY)).toEqual(counter)
})
