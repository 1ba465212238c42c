import { readFileSync } from 'node:fs'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { storedVersion } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'

// What each version of stored values looked like, with the credentials that belong to it: written by the release that
// had it, and never edited.
interface Golden {
  readonly at: number
  readonly session: { readonly credential: string; readonly record: NewRecord }
  readonly family: { readonly first: string; readonly second: string; readonly record: NewRecord }
}

const versions = Array.from({ length: storedVersion + 1 }, (_none, version) => version)
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const
const client = { clientId: 'first-party', channel: 'native' }

function readGolden(version: number): Golden {
  return JSON.parse(readFileSync(new URL(`stored-values/version-${version}.json`, import.meta.url), 'utf8'))
}

async function openGolden(version: number, change: (record: NewRecord) => NewRecord = (record) => record) {
  const golden = readGolden(version)
  const now = () => golden.at
  const records = createMemoryRecordStore({ now })
  for (const { record } of [golden.session, golden.family]) await records.insert(change(record))
  return { ...golden, ...openAll(records, version), records }
}

function openAll(records: RecordStore, version: number) {
  const options = { records, storedVersion: () => version }
  return { sessions: createSessions(options), refreshTokens: createRefreshTokens({ ...options, secrets }) }
}

const storedValue = async (records: RecordStore, key: string) => JSON.parse((await records.get(key))?.value ?? 'null')

/** The same record with other members in its value. */
const withMembers =
  (members: object) =>
  ({ value, ...record }: NewRecord): NewRecord => ({
    ...record,
    value: JSON.stringify({ ...JSON.parse(value), ...members }),
  })

describe.each(versions)('values of version %i', (version) => {
  test('are read by this release', async () => {
    const { sessions, refreshTokens, session, family } = await openGolden(version)
    expect(await sessions.read(session.credential)).toMatchObject({ subject: 'acc_1', epoch: 3, persistent: true })
    expect(await refreshTokens.read(family.record.key)).toMatchObject({ subject: 'acc_1', epoch: 3, ...client })
    expect(await refreshTokens.redeem(family.first, client)).toMatchObject({ ok: true, token: family.second })
    expect(await refreshTokens.redeem(family.second, client)).toMatchObject({ ok: true, replayed: false })
    expect(await sessions.list('acc_1')).toHaveLength(2)
  })

  test('are written again as they were, while older processes run', async () => {
    const { sessions, refreshTokens, session, family, records } = await openGolden(version)
    const before = await storedValue(records, session.record.key)
    expect(await sessions.renew('acc_1', session.record.key, { epoch: 4 })).toBe(true)
    expect(await storedValue(records, session.record.key)).toEqual({ ...before, epoch: 4 })
    const names = Object.keys(await storedValue(records, family.record.key))
    await refreshTokens.redeem(family.second, client)
    expect(Object.keys(await storedValue(records, family.record.key))).toEqual(names)
  })

  test('are refused as an outage if a member is invalid', async () => {
    for (const members of [{ epoch: '3' }, { factors: null }, { device: [] }, { endsAt: -1 }, { secretHash: 1 }]) {
      const { sessions, refreshTokens, session, family } = await openGolden(version, withMembers(members))
      const invalid = { name: 'StoreError', code: 'STORE_DATA_INVALID' }
      await expect(sessions.read(session.credential)).rejects.toMatchObject(invalid)
      await expect(refreshTokens.redeem(family.second, client)).rejects.toMatchObject(invalid)
    }
  })

  test('keep the members that this release does not know', async () => {
    const unknown = { colour: { of: ['a later', 'release'] } }
    const opened = await openGolden(version, withMembers(unknown))
    const { sessions, refreshTokens, session, family, records } = opened
    expect(await sessions.renew('acc_1', session.record.key, { epoch: 4 })).toBe(true)
    const verdict = await refreshTokens.redeem(family.second, client)
    if (!verdict.ok) throw new Error(verdict.reason)
    expect(await refreshTokens.renew(verdict.family, { epoch: 4 })).toBe(true)
    for (const { record } of [session, family]) {
      expect(await storedValue(records, record.key)).toMatchObject({ ...unknown, epoch: 4 })
    }
  })
})

describe('a value of a version that this release does not know', () => {
  const newer = withMembers({ v: storedVersion + 1 })

  test('is an outage of its record: no session is revoked, and the store does not change', async () => {
    const { sessions, refreshTokens, session, family, records } = await openGolden(storedVersion, newer)
    const before = [await records.get(session.record.key), await records.get(family.record.key)]
    const refusal = { name: 'StoreError', code: 'STORE_DATA_NEWER' }
    await expect(sessions.read(session.credential)).rejects.toMatchObject(refusal)
    await expect(sessions.renew('acc_1', session.record.key, { epoch: 4 })).rejects.toMatchObject(refusal)
    await expect(refreshTokens.redeem(family.second, client)).rejects.toMatchObject(refusal)
    await expect(refreshTokens.read(family.record.key)).rejects.toMatchObject(refusal)
    expect([await records.get(session.record.key), await records.get(family.record.key)]).toEqual(before)
  })

  test('can be revoked', async () => {
    const { sessions, session, records } = await openGolden(storedVersion, newer)
    expect(await sessions.revoke('acc_1', session.record.key)).toBe(true)
    expect(await records.get(session.record.key)).toBeNull()
  })
})

describe('a process that writes the version before', () => {
  test('leaves a value in the later version in which another process has written it', async () => {
    const { session, records } = await openGolden(storedVersion)
    const { sessions } = openAll(records, storedVersion - 1)
    expect(await sessions.renew('acc_1', session.record.key, { epoch: 4 })).toBe(true)
    expect(await storedValue(records, session.record.key)).toMatchObject({ v: storedVersion, epoch: 4 })
  })

  test('writes new values in that version', async () => {
    const { records } = await openGolden(storedVersion)
    const { sessions } = openAll(records, 0)
    const issued = await sessions.create({ subject: 'acc_2', factors: [] })
    expect(await storedValue(records, issued?.session.key ?? '')).not.toHaveProperty('v')
  })
})
