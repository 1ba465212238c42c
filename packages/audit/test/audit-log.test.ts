import { type AuditEvent, type AuditFacts, createAuditLog } from '@latchkey/audit'
import { createMemoryAuditStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const secrets = [{ id: 'k1', bytes: new Uint8Array(32).fill(7) }] as const
const facts: AuditFacts = {
  kind: 'password.changed',
  accountId: 'acc_1',
  actorId: 'acc_1',
  address: '203.0.113.7',
  userAgent: 'Firefox',
  requestId: 'req_1',
  details: { channel: 'graphql' },
}

function openLog(options: Partial<Parameters<typeof createAuditLog>[0]> = {}) {
  const store = createMemoryAuditStore()
  const events: AuditEvent[] = []
  const time = { now: 1_790_000_000_000 }
  const onEvent = (event: AuditEvent) => void events.push(event)
  const audit = createAuditLog({ store, secrets, onEvent, now: () => time.now++, ...options })
  return { store, audit, events, time }
}

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
