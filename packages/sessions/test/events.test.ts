import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]

test('every decision is an event, and no event holds a credential, a secret or a digest', async () => {
  const clock = createClock()
  const events: SessionsEvent[] = []
  const records = createMemoryRecordStore({ now: clock.now })
  const common = { records, now: clock.now, onEvent: (event: SessionsEvent) => events.push(event) }
  const sessions = createSessions(common)
  const tokens = createRefreshTokens({ ...common, secrets: [{ id: 'a', bytes: randomBytes(32) }] })

  const old = (await sessions.create({ subject: 'acc_1', factors }))!
  const next = (await sessions.create({ subject: 'acc_1', factors, replaces: old.session }))!
  await sessions.create({ subject: 'acc_1', factors, replaces: old.session })
  const first = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  const second = await tokens.redeem(first.token, { clientId: 'web' })
  await tokens.redeem(first.token, { clientId: 'web' })
  await tokens.renew(first.family, { epoch: 1 })
  clock.advance(60)
  await tokens.redeem(first.token, { clientId: 'web' })
  await sessions.revoke('acc_1', next.session.key)
  const last = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  await tokens.revoke(last.family.key)
  await sessions.revokeAll('acc_1')

  expect(events.map(({ type }) => type)).toEqual([
    'session.created',
    'session.created',
    'session.replacement-refused',
    'family.created',
    'family.refreshed',
    'family.refreshed',
    'family.renewed',
    'family.reused',
    'session.ended',
    'family.created',
    'family.ended',
    'sessions.ended',
  ])
  const created = events.filter(({ type }) => type === 'session.created')
  expect(created).toMatchObject([{ replaced: null }, { replaced: old.session.key }])
  for (const event of events) {
    expect(event.accountId).toBe(event.type === 'family.ended' ? null : 'acc_1')
    expect(event.sessionKey).toEqual(event.type === 'sessions.ended' ? null : expect.any(String))
  }
  const said = JSON.stringify(events)
  for (const text of [old.credential, next.credential, first.token, second.ok ? second.token : '', last.token]) {
    expect(said).not.toContain(text.split('.')[1])
  }
  for (const { value } of (await records.listByOwner('acc_1')).items) expect(said).not.toContain(value)
  expect(said).not.toMatch(/hash|secret|salt/i)
})

test('a family that is revoked through the list is reported as a family', async () => {
  const events: SessionsEvent[] = []
  const records = createMemoryRecordStore()
  const sessions = createSessions({ records, onEvent: (event) => events.push(event) })
  const tokens = createRefreshTokens({ records, secrets: [{ id: 'a', bytes: randomBytes(32) }] })
  const { family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  await sessions.revoke('acc_1', family.key)
  expect(events).toMatchObject([{ type: 'family.ended', sessionKey: family.key, accountId: 'acc_1' }])
})
