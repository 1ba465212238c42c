import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const at = 1_790_000_000_000
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const
const impersonation = { by: 'acc_admin', epoch: 3, key: 'se_admin' }
const family = { subject: 'acc_1', clientId: 'first-party', factors: [] } as const

function setUp(version = 2) {
  const clock = { time: at }
  const records: RecordStore = createMemoryRecordStore({ now: () => clock.time })
  const options = { records, storedVersion: () => version }
  return {
    clock,
    records,
    sessions: createSessions(options),
    refreshTokens: createRefreshTokens({ ...options, secrets }),
  }
}

describe('impersonation', () => {
  test('is kept by a session and a family, and shown by the list', async () => {
    const { sessions, refreshTokens } = setUp()
    const issued = await sessions.create({ subject: 'acc_1', factors: [], impersonation })
    const { family: opened } = await refreshTokens.issue({ ...family, impersonation })
    expect((await sessions.read(issued?.credential ?? null))?.impersonation).toEqual(impersonation)
    expect((await refreshTokens.read(opened.key))?.impersonation).toEqual(impersonation)
    expect((await sessions.list('acc_1')).map((one) => one.impersonation)).toEqual([impersonation, impersonation])
  })

  test('is absent in values of an owner', async () => {
    const { sessions, refreshTokens, records } = setUp()
    await sessions.create({ subject: 'acc_1', factors: [] })
    await refreshTokens.issue(family)
    const { items } = await records.listByOwner('acc_1')
    expect(items.map(({ value }) => value).join()).not.toContain('impersonation')
    expect((await sessions.list('acc_1')).map((one) => one.impersonation)).toEqual([null, null])
  })

  test('is not written while a process may read it that would take it for the owner', async () => {
    const { sessions, refreshTokens, records } = setUp(1)
    const refused = { code: 'STORE_DATA_OLDER' }
    await expect(sessions.create({ subject: 'acc_1', factors: [], impersonation })).rejects.toMatchObject(refused)
    await expect(refreshTokens.issue({ ...family, impersonation })).rejects.toMatchObject(refused)
    expect((await records.listByOwner('acc_1')).items).toEqual([])
    expect(await sessions.create({ subject: 'acc_1', factors: [] })).not.toBeNull()
  })

  test.each([null, 'acc_admin', {}, { by: 'acc_admin' }, { ...impersonation, epoch: '3' }, [impersonation]])(
    'is refused where what is stored is damaged: %j',
    async (damaged) => {
      const { sessions, records } = setUp()
      const issued = await sessions.create({ subject: 'acc_1', factors: [], impersonation })
      const record = await records.get(issued?.session.key ?? '')
      if (!record) throw new Error('nothing was stored')
      const value = JSON.stringify({ ...JSON.parse(record.value), impersonation: damaged })
      await records.replace(record, { value, expiresAt: record.expiresAt })
      await expect(sessions.read(issued?.credential ?? null)).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
    },
  )

  test('ends with its session and family, which are not renewed or redeemed', async () => {
    const { sessions, refreshTokens } = setUp()
    const issued = await sessions.create({ subject: 'acc_1', factors: [], impersonation })
    const key = issued?.session.key ?? ''
    expect(await sessions.regenerate('acc_1', key, { epoch: 0, factors: [] })).toBeNull()
    expect(await sessions.renew('acc_1', key, { epoch: 1 })).toBe(false)
    const { token, family: opened } = await refreshTokens.issue({ ...family, impersonation })
    const refused = { ok: false, reason: 'unknown' }
    expect(await refreshTokens.redeem(token, { clientId: 'first-party' })).toEqual(refused)
    expect(await refreshTokens.regenerate(opened, { epoch: 0 })).toBeNull()
    expect(await refreshTokens.renew(opened, { epoch: 1 })).toBe(false)
    const listed = await sessions.list('acc_1')
    expect(listed.map((one) => one.key).sort()).toEqual([opened.key, key].sort())
    expect(listed.map(({ epoch }) => epoch)).toEqual([0, 0])
  })
})

test('a session expires at its given instant, and never later than the overall limit', async () => {
  const { clock, sessions } = setUp()
  const soon = await sessions.create({ subject: 'acc_1', factors: [], endsAt: at + 60_000 })
  const late = await sessions.create({ subject: 'acc_1', factors: [], endsAt: at + 10_000_000_000 })
  const usual = await sessions.create({ subject: 'acc_1', factors: [] })
  expect(soon?.session.expiresAt).toBe(at + 60_000)
  expect(late?.session.expiresAt).toBe(usual?.session.expiresAt)
  clock.time = at + 59_999
  expect(await sessions.peek(soon?.credential ?? null)).not.toBeNull()
  clock.time = at + 60_000
  expect(await sessions.peek(soon?.credential ?? null)).toBeNull()
})
