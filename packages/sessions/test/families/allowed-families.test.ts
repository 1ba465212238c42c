import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens } from '@latchkey/sessions'
import { expect, test, vi } from 'vitest'
import { createClock, createRecordedStore } from '../test-stores.ts'

const web = { clientId: 'web' }

async function setUp() {
  const clock = createClock()
  const { records, changes } = createRecordedStore(clock.now)
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const tokens = createRefreshTokens({ records, secrets, now: clock.now, graceSeconds: 10, onEvent: () => undefined })
  const { token, family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors: [] })
  return { clock, records, changes, tokens, token, family }
}

test('a family that is not allowed gives no successor, and its token stays valid', async () => {
  const { tokens, token, family, records } = await setUp()
  const before = await records.get(family.key)
  const isAllowed = vi.fn(async () => false)
  expect(await tokens.redeem(token, { ...web, isAllowed })).toEqual({ ok: false, reason: 'not-allowed' })
  expect(isAllowed).toHaveBeenCalledExactlyOnceWith(family)
  expect(await records.get(family.key)).toEqual(before)
  expect(await tokens.redeem(token, { ...web, isAllowed: async () => true })).toMatchObject({ ok: true })
})

test.each([
  ['within its grace', 0],
  ['after its grace', 11],
])('a previous token of a family that is not allowed does not revoke it %s', async (_when, seconds) => {
  const { clock, tokens, token, family } = await setUp()
  await tokens.redeem(token, web)
  clock.advance(seconds)
  expect(await tokens.redeem(token, { ...web, isAllowed: async () => false })).toMatchObject({ reason: 'not-allowed' })
  expect(await tokens.read(family.key)).not.toBeNull()
})

test('an older token revokes its family without a call of isAllowed', async () => {
  const { tokens, token, family } = await setUp()
  const second = await tokens.redeem(token, web)
  await tokens.redeem(second.ok ? second.token : null, web)
  const isAllowed = vi.fn(async () => false)
  expect(await tokens.redeem(token, { ...web, isAllowed })).toMatchObject({ reason: 'reused' })
  expect(isAllowed).not.toHaveBeenCalled()
  expect(await tokens.read(family.key)).toBeNull()
})

test('a presenter who is not the client is refused without a question', async () => {
  const { tokens, token } = await setUp()
  const isAllowed = vi.fn(async () => true)
  expect(await tokens.redeem(token, { clientId: 'other', isAllowed })).toEqual({ ok: false, reason: 'client' })
  expect(isAllowed).not.toHaveBeenCalled()
})

test('a family is read by "readRecord" alone', async () => {
  const { tokens, token, family, records } = await setUp()
  const get = vi.spyOn(records, 'get')
  const record = await records.get(family.key)
  get.mockClear()
  expect(await tokens.redeem(token, { ...web, readRecord: async () => record })).toMatchObject({ ok: true })
  expect(get).not.toHaveBeenCalled()
})
