import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock, createDelayedRecordStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const

function setUp(clock = createClock()) {
  const records = createMemoryRecordStore({ now: clock.now })
  const events: SessionsEvent[] = []
  const sessions = createSessions({ records, onEvent: (event) => events.push(event) })
  return { records, sessions, tokens: createRefreshTokens({ records, secrets }), events }
}

describe('a session that is renewed', () => {
  test('has the new epoch under the same credential, with one event', async () => {
    const { sessions, events } = setUp()
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors, epoch: 2 }))!
    expect(await sessions.renew('acc_1', session.key, { epoch: 3 })).toBe(true)
    expect(await sessions.renew('acc_1', session.key, { epoch: 3 })).toBe(true)
    expect(await sessions.read(credential)).toEqual({ ...session, epoch: 3 })
    expect(events.slice(1)).toMatchObject([
      { type: 'session.renewed', sessionKey: session.key, accountId: 'acc_1', epoch: 3 },
    ])
  })

  test('loses the proofs that count no longer, at the epoch that it has, too', async () => {
    const { sessions } = setUp()
    const code = { kind: 'recovery-code', at: 2 }
    const { credential, session } = (await sessions.create({
      subject: 'acc_1',
      factors: [...factors, code],
      epoch: 2,
    }))!
    expect(await sessions.renew('acc_1', session.key, { epoch: 2, without: ['recovery-code'] })).toBe(true)
    expect((await sessions.read(credential))?.factors).toEqual(factors)
  })

  test('lives no longer for it: a renewal is not a use', async () => {
    const clock = createClock()
    const { sessions, tokens, records } = setUp(clock)
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    const { family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    const expiry = async (key: string) => (await records.get(key))?.expiresAt
    const before = await expiry(family.key)
    clock.advance(3599)
    expect(await sessions.renew('acc_1', session.key, { epoch: 1 })).toBe(true)
    expect(await tokens.renew(family, { epoch: 1 })).toBe(true)
    expect(await expiry(family.key)).toBe(before)
    expect(await sessions.peek(credential)).toEqual({ ...session, epoch: 1 })
    clock.advance(1)
    expect(await sessions.peek(credential)).toBeNull()
  })

  test('never goes back to an earlier epoch', async () => {
    const { sessions } = setUp()
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors, epoch: 2 }))!
    expect(await sessions.renew('acc_1', session.key, { epoch: 1 })).toBe(false)
    expect(await sessions.read(credential)).toEqual(session)
  })

  test('is not restored, and is not found for another account', async () => {
    const { sessions, tokens } = setUp()
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    const { family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    expect(await sessions.renew('acc_2', session.key, { epoch: 1 })).toBe(false)
    expect(await sessions.renew('acc_1', family.key, { epoch: 1 })).toBe(false)
    expect(await sessions.read(credential)).toEqual(session)
    expect(await tokens.read(family.key)).toEqual(family)
    await sessions.revoke('acc_1', session.key)
    expect(await sessions.renew('acc_1', session.key, { epoch: 1 })).toBe(false)
    expect(await sessions.read(credential)).toBeNull()
  })

  test('by several callers at once has the greatest epoch, and a use in between delays none', async () => {
    for (let round = 0; round < 10; round++) {
      const records = createDelayedRecordStore()
      const sessions = createSessions({ records, touchIntervalSeconds: 0 })
      const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
      const renewals = [1, 2, 3].map((epoch) => sessions.renew('acc_1', session.key, { epoch }))
      const outcomes = await Promise.all([...renewals, sessions.read(credential)])
      expect(outcomes[2]).toBe(true)
      await sessions.settled()
      expect((await sessions.peek(credential))?.epoch).toBe(3)
    }
  })
})

test('a session or family is found only by its key and its subject', async () => {
  const { sessions, tokens, records } = setUp()
  const { session } = (await sessions.create({ subject: 'acc_1', factors, epoch: 2 }))!
  const { family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  await records.insert({ key: 'reset_1', owner: 'acc_1', expiresAt: records.now() + 1000, value: '{}' })
  expect(await sessions.find('acc_1', session.key)).toMatchObject({ kind: 'session', key: session.key, epoch: 2 })
  expect(await sessions.find('acc_1', family.key)).toMatchObject({ kind: 'refresh', key: family.key })
  for (const [subject, key] of [
    ['acc_2', session.key],
    ['acc_1', 'reset_1'],
    ['acc_1', 'se_unknown'],
    ['acc_1', ''],
  ] as const) {
    expect(await sessions.find(subject, key)).toBeNull()
  }
})
