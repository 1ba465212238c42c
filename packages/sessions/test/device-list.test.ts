import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, createOneTimeCredentials, type RecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]

function setUp() {
  const clock = createClock()
  const records = createMemoryRecordStore({ now: clock.now })
  const sessions = createSessions({ records, now: clock.now })
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const refreshTokens = createRefreshTokens({ records, secrets, now: clock.now })
  const links = createOneTimeCredentials({ records, kind: 'reset', ttlSeconds: 600, now: clock.now })
  return { clock, records, sessions, refreshTokens, links }
}

describe('the device list', () => {
  test('names no client of a family that the service itself was given', async () => {
    const { sessions, refreshTokens } = setUp()
    await refreshTokens.issue({ subject: 'acc_1', clientId: 'first-party', factors })
    expect(await sessions.list('acc_1')).toMatchObject([{ kind: 'refresh', clientId: null }])
  })

  test('shows sessions and refresh families of one account, the last used first', async () => {
    const { sessions, refreshTokens, links, clock } = setUp()
    const device = { userAgent: 'Firefox', address: '203.0.113.7' }
    const first = (await sessions.create({ subject: 'acc_1', epoch: 2, factors, device }))!
    clock.advance(1)
    const second = await refreshTokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    await sessions.create({ subject: 'acc_2', factors })
    await links.create({ owner: 'acc_1', value: 'not a device' })
    expect(await sessions.list('acc_1')).toEqual([
      {
        key: second.family.key,
        kind: 'refresh',
        lineage: second.family.key,
        createdAt: clock.now(),
        lastUsedAt: clock.now(),
        expiresAt: clock.now() + 2_592_000_000,
        endsAt: clock.now() + 7_776_000_000,
        session: null,
        device: { userAgent: null, address: null },
        epoch: 0,
        clientId: 'web',
        impersonation: null,
      },
      {
        key: first.session.key,
        kind: 'session',
        lineage: first.session.key,
        createdAt: clock.now() - 1000,
        lastUsedAt: clock.now() - 1000,
        expiresAt: clock.now() + 3_599_000,
        endsAt: clock.now() + 28_799_000,
        session: null,
        device,
        epoch: 2,
        clientId: null,
        impersonation: null,
      },
    ])
  })

  test('is complete however long it is', async () => {
    const { sessions } = setUp()
    await Promise.all(Array.from({ length: 250 }, () => sessions.create({ subject: 'acc_1', factors })))
    const keys = (await sessions.list('acc_1')).map(({ key }) => key)
    expect(new Set(keys).size).toBe(250)
  })

  test.each(['', 'reset_AAAAAAAAAAAAAAAAAAAAAA', '__proto__', '\0'])(
    'asks the store for no record under %j, which names neither a session nor a family',
    async (key) => {
      const { records } = setUp()
      const asked: string[] = []
      const get: RecordStore['get'] = (name) => {
        asked.push(name)
        return records.get(name)
      }
      const sessions = createSessions({ records: { ...records, get } })
      expect(await sessions.find('acc_1', key)).toBeNull()
      expect(await sessions.revoke('acc_1', key)).toBe(false)
      expect(asked).toEqual([])
    },
  )

  test('is empty for an unknown account', async () => {
    expect(await setUp().sessions.list('__proto__')).toEqual([])
  })
})

describe('revocation', () => {
  test('revokes a session or a family of that account by its key', async () => {
    const { sessions, refreshTokens } = setUp()
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    const { token, family } = await refreshTokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    expect(await sessions.revoke('acc_1', session.key)).toBe(true)
    expect(await sessions.revoke('acc_1', family.key)).toBe(true)
    expect(await sessions.revoke('acc_1', session.key)).toBe(false)
    expect(await sessions.read(credential)).toBeNull()
    expect(await refreshTokens.redeem(token, { clientId: 'web' })).toEqual({ ok: false, reason: 'unknown' })
  })

  test('does not end the session of another account, even with its key', async () => {
    const { sessions } = setUp()
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    expect(await sessions.revoke('acc_2', session.key)).toBe(false)
    expect(await sessions.read(credential)).not.toBeNull()
  })

  test('revokes only sessions and families', async () => {
    const { sessions, links } = setUp()
    const { credential } = await links.create({ owner: 'acc_1', value: '' })
    expect(await sessions.revoke('acc_1', credential.split('.')[0]!)).toBe(false)
    expect(await links.consume(credential)).not.toBeNull()
  })

  test('except for the current session counts the other sessions and families only', async () => {
    const { sessions, refreshTokens, links } = setUp()
    const current = (await sessions.create({ subject: 'acc_1', factors }))!
    await sessions.create({ subject: 'acc_1', factors })
    await refreshTokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    const stranger = (await sessions.create({ subject: 'acc_2', factors }))!
    const link = await links.create({ owner: 'acc_1', value: '' })
    expect(await sessions.revokeAll('acc_1', { except: current.session.key })).toBe(2)
    expect(await sessions.read(current.credential)).not.toBeNull()
    expect(await sessions.read(stranger.credential)).not.toBeNull()
    expect(await links.consume(link.credential)).toBeNull()
    expect(await sessions.list('acc_1')).toHaveLength(1)
  })

  test('counts a session once that another request replaces meanwhile', async () => {
    const { records, clock } = setUp()
    let replacement: NewRecord | null = null
    const removeByOwner: RecordStore['removeByOwner'] = async (owner, options) => {
      const removed = await records.removeByOwner(owner, options)
      if (replacement) await records.insert(replacement)
      replacement = null
      return removed
    }
    const sessions = createSessions({ records: { ...records, removeByOwner }, now: clock.now })
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    replacement = (await records.get(session.key))!
    expect(await sessions.revokeAll('acc_1')).toBe(1)
    expect(await sessions.read(credential)).toBeNull()
  })

  test('removes all sessions', async () => {
    const { sessions } = setUp()
    const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
    expect(await sessions.revokeAll('acc_1')).toBe(1)
    expect(await sessions.revokeAll('acc_1')).toBe(0)
    expect(await sessions.read(credential)).toBeNull()
  })
})
