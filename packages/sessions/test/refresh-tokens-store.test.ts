import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, type RefreshTokensOptions } from '@latchkey/sessions'
import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock, wrapRecordStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const web = { clientId: 'web' }

describe('a store', () => {
  test('is an outage if it keeps refusing the swap, after three more attempts', async () => {
    let swaps = 0
    const clock = createClock()
    const memory = createMemoryRecordStore({ now: clock.now })
    const records = wrapRecordStore(memory, async (method, run) => {
      if (method !== 'replace') return run()
      swaps++
      return false
    })
    const tokens = createRefreshTokens({ records, secrets, now: clock.now })
    const { token } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    await expect(tokens.redeem(token, web)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(swaps).toBe(4)
    const later = createRefreshTokens({ records: memory, secrets, now: clock.now })
    expect(await later.redeem(token, web)).toMatchObject({ ok: true })
  })

  test('does not revoke the family if it loses the response to a successful swap', async () => {
    const clock = createClock()
    const memory = createMemoryRecordStore({ now: clock.now })
    let losing = true
    const records = wrapRecordStore(memory, async (method, run) => {
      const result = await run()
      if (method === 'replace' && losing) throw new StoreError('STORE_UNAVAILABLE', 'no answer in time')
      return result
    })
    const tokens = createRefreshTokens({ records, secrets, now: clock.now })
    const { token } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    await expect(tokens.redeem(token, web)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    losing = false
    expect(await tokens.redeem(token, web)).toMatchObject({ ok: true, replayed: true })
  })

  test('is an outage if it refuses a new family: no token is issued', async () => {
    const records = { ...createMemoryRecordStore(), insert: async () => false }
    const issued = createRefreshTokens({ records, secrets }).issue({ subject: 'acc_1', clientId: 'web', factors })
    await expect(issued).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('is refused if it is only eventually consistent', () => {
    const memory = createMemoryRecordStore()
    const records = { ...memory, capabilities: { ...memory.capabilities, consistency: 'eventual' as const } }
    expect(() => createRefreshTokens({ records, secrets })).toThrow(TypeError)
  })
})

test.each<[Partial<RefreshTokensOptions>, string]>([
  [{ ttlSeconds: 0 }, '"ttlSeconds"'],
  [{ familyTtlSeconds: -1 }, '"familyTtlSeconds"'],
  [{ graceSeconds: -1 }, '"graceSeconds"'],
  [{ graceSeconds: 61 }, '"graceSeconds"'],
  [{ secrets: [] as unknown as SecretKeys }, '"secrets"'],
])('%j are refused by name when refresh tokens are created', (options, name) => {
  const make = () => createRefreshTokens({ records: createMemoryRecordStore(), secrets, ...options })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(name)
})
