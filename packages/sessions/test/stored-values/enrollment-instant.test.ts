import { readFileSync } from 'node:fs'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'

const since = 1_789_990_000_000
const at = 1_790_000_000_000
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const
const client = { clientId: 'first-party', channel: 'native' }
const factors = [{ kind: 'password', at, category: 'know' }] as const

function setUp(records: RecordStore = createMemoryRecordStore({ now: () => at + 1000 }), version = 2) {
  const options = { records, storedVersion: () => version }
  return { records, sessions: createSessions(options), refreshTokens: createRefreshTokens({ ...options, secrets }) }
}

const storedValue = async (records: RecordStore, key: string | undefined) =>
  JSON.parse((await records.get(key ?? ''))?.value ?? 'null')

// A session and a family of an account that was asked for a second factor: written by the release that has begun to, and
// never edited.
interface Golden {
  readonly session: { readonly credential: string; readonly record: NewRecord }
  readonly family: { readonly token: string; readonly record: NewRecord }
}
const golden: Golden = JSON.parse(readFileSync(new URL('enrollment-instant.json', import.meta.url), 'utf8'))

describe('enrollmentSince', () => {
  test('is kept by a session, through every renewal', async () => {
    const { records, sessions } = setUp()
    const issued = await sessions.create({ subject: 'acc_1', factors, enrollmentSince: since })
    expect(issued?.session.enrollmentSince).toBe(since)
    expect((await sessions.read(issued?.credential ?? null))?.enrollmentSince).toBe(since)
    expect(await sessions.renew('acc_1', issued?.session.key ?? '', { epoch: 1, without: ['password'] })).toBe(true)
    expect(await storedValue(records, issued?.session.key)).toMatchObject({ enrollmentSince: since, factors: [] })
    const next = await sessions.regenerate('acc_1', issued?.session.key ?? '', { epoch: 1, factors })
    expect(next?.session.enrollmentSince).toBe(since)
    expect((await sessions.read(next?.credential ?? null))?.enrollmentSince).toBe(since)
  })

  test('is kept by a family, through every rotation and renewal', async () => {
    const { records, refreshTokens } = setUp()
    const { token, family } = await refreshTokens.issue({
      subject: 'acc_1',
      ...client,
      factors,
      enrollmentSince: since,
    })
    expect(family.enrollmentSince).toBe(since)
    const verdict = await refreshTokens.redeem(token, client)
    if (!verdict.ok) throw new Error(verdict.reason)
    expect(verdict.family.enrollmentSince).toBe(since)
    expect(await refreshTokens.renew(family, { epoch: 1 })).toBe(true)
    expect(await storedValue(records, family.key)).toMatchObject({ enrollmentSince: since, epoch: 1 })
    const next = await refreshTokens.regenerate(verdict.family, { epoch: 1 })
    expect(next?.family.enrollmentSince).toBe(since)
    expect((await refreshTokens.read(next?.family.key ?? ''))?.enrollmentSince).toBe(since)
  })

  test('is absent in values of an account that was not asked', async () => {
    const { records, sessions, refreshTokens } = setUp()
    const issued = await sessions.create({ subject: 'acc_1', factors })
    const { family } = await refreshTokens.issue({ subject: 'acc_1', ...client, factors, enrollmentSince: null })
    expect([issued?.session.enrollmentSince, family.enrollmentSince]).toEqual([null, null])
    const next = await sessions.regenerate('acc_1', issued?.session.key ?? '', { factors })
    expect(next?.session.enrollmentSince).toBeNull()
    for (const key of [next?.session.key, family.key]) {
      expect(await storedValue(records, key)).not.toHaveProperty('enrollmentSince')
    }
  })
})

describe.each([0, 1, 2])('stored values with enrollmentSince, among processes that write version %i,', (version) => {
  async function openGolden(change: (record: NewRecord) => NewRecord = (record) => record) {
    const records = createMemoryRecordStore({ now: () => at + 1000 })
    for (const { record } of [golden.session, golden.family]) await records.insert(change(record))
    return setUp(records, version)
  }

  test('are read, and written again with it', async () => {
    const { records, sessions, refreshTokens } = await openGolden()
    const { session, family } = golden
    expect(await sessions.read(session.credential)).toMatchObject({ subject: 'acc_1', enrollmentSince: since })
    expect(await sessions.renew('acc_1', session.record.key, { epoch: 4 })).toBe(true)
    expect(await refreshTokens.redeem(family.token, client)).toMatchObject({ family: { enrollmentSince: since } })
    for (const { record } of [session, family]) {
      expect(await storedValue(records, record.key)).toMatchObject({ enrollmentSince: since })
    }
  })

  test('are new ones as well: no sign-in has to wait for the upgrade', async () => {
    const { sessions, refreshTokens } = await openGolden()
    const issued = await sessions.create({ subject: 'acc_2', factors, enrollmentSince: since })
    expect((await sessions.read(issued?.credential ?? null))?.enrollmentSince).toBe(since)
    const { family } = await refreshTokens.issue({ subject: 'acc_2', ...client, factors, enrollmentSince: since })
    expect((await refreshTokens.read(family.key))?.enrollmentSince).toBe(since)
  })

  test.each([
    ['a text', '2026'],
    ['null', null],
    ['before time began', -1],
    ['half a millisecond', 0.5],
  ])('are an outage if it is %s, and are not read as absent', async (_what, enrollmentSince) => {
    const { sessions, refreshTokens } = await openGolden(({ value, ...record }) => ({
      ...record,
      value: JSON.stringify({ ...JSON.parse(value), enrollmentSince }),
    }))
    const invalid = { name: 'StoreError', code: 'STORE_DATA_INVALID' }
    await expect(sessions.read(golden.session.credential)).rejects.toMatchObject(invalid)
    await expect(refreshTokens.redeem(golden.family.token, client)).rejects.toMatchObject(invalid)
  })
})
