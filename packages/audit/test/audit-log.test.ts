import { createMemoryAuditStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { facts, openLog } from './open-log.ts'

describe('an intention', () => {
  test('is listed as unknown until it is known what came of it, and then once with its outcome', async () => {
    const { audit, store } = openLog()
    const intent = await audit.intend(facts)
    expect((await audit.list()).items).toMatchObject([{ ...facts, state: 'unknown' }])
    await intent.done({ details: { sessions: 3 } })
    expect((await audit.list()).items).toMatchObject([{ ...facts, state: 'done', details: { sessions: 3 } }])
    expect((await store.list({ states: ['intended', 'done'] })).items).toHaveLength(2)
  })

  test('that failed is listed as failed, and what is said of it afterwards is ignored', async () => {
    const { audit, store } = openLog()
    const intent = await audit.intend(facts)
    await intent.failed()
    await intent.done()
    expect((await audit.list()).items).toMatchObject([{ ...facts, state: 'failed' }])
    expect((await store.list({ states: ['done'] })).items).toEqual([])
  })

  test('that cannot be written rejects, so that nothing is done', async () => {
    const { audit, store } = openLog({
      store: { ...createMemoryAuditStore(), append: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) },
    })
    await expect(audit.intend(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect((await store.list()).items).toEqual([])
  })
})
