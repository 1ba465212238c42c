import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const factors = [{ kind: 'password', at: 1 }]

/** Replaces a part of the stored value by what is no digest. */
async function damage(records: RecordStore, key: string, part: string): Promise<void> {
  const record = (await records.get(key))!
  const value = JSON.stringify({ ...JSON.parse(record.value), [part]: 'no digest!' })
  expect(await records.replace(record, { value, expiresAt: record.expiresAt })).toBe(true)
}

test('a session whose stored digest is damaged is refused', async () => {
  const records = createMemoryRecordStore()
  const sessions = createSessions({ records })
  const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
  await damage(records, session.key, 'secretHash')
  expect(await sessions.read(credential)).toBeNull()
  expect(await sessions.peek(credential)).toBeNull()
})

test.each([
  ['lineageHash', 'unknown'],
  ['secretHash', 'reused'],
])('a refresh token is refused if the %s of its family is damaged', async (part, reason) => {
  const records = createMemoryRecordStore()
  const tokens = createRefreshTokens({ records, secrets: [{ id: 'a', bytes: randomBytes(32) }] })
  const { token, family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  await damage(records, family.key, part)
  expect(await tokens.identify(token)).toBeNull()
  expect(await tokens.redeem(token, { clientId: 'web' })).toMatchObject({ ok: false, reason })
})

/** Replaces parts of a stored value by these. */
async function change(records: RecordStore, key: string, parts: object): Promise<void> {
  const record = (await records.get(key))!
  const value = JSON.stringify({ ...JSON.parse(record.value), ...parts })
  expect(await records.replace(record, { value, expiresAt: record.expiresAt })).toBe(true)
}

describe.each<[what: string, parts: object]>([
  ['no device', { device: null }],
  ['a device without an address', { device: { userAgent: 'Firefox' } }],
  ['a device whose browser is a number', { device: { userAgent: 1, address: null } }],
  ['a lineage that is a number', { lineage: 1 }],
  ['no factors', { factors: null }],
  ['a factor that is nothing', { factors: [null] }],
  ['a factor without a time', { factors: [{ kind: 'password' }] }],
  ['a factor whose category is a number', { factors: [{ kind: 'password', at: 1, category: 2 }] }],
  ['a provider that is nothing', { provider: null }],
  ['a provider without a session', { provider: { issuer: 'https://id.example.com', subject: '42' } }],
  ['a provider whose subject is a number', { provider: { issuer: 'https://id.example.com', subject: 42, sid: null } }],
])('a record with %s is an outage that is named, and no session ends', (_what, parts) => {
  test('of a session', async () => {
    const records = createMemoryRecordStore()
    const sessions = createSessions({ records })
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
    await change(records, session.key, parts)
    const invalid = { code: 'STORE_DATA_INVALID', message: expect.stringContaining('is no session: ') }
    await expect(sessions.read(credential)).rejects.toMatchObject(invalid)
    expect(await records.get(session.key)).not.toBeNull()
  })

  test('of a refresh family', async () => {
    const records = createMemoryRecordStore()
    const tokens = createRefreshTokens({ records, secrets: [{ id: 'a', bytes: randomBytes(32) }] })
    const { token, family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    await change(records, family.key, parts)
    const invalid = { code: 'STORE_DATA_INVALID', message: expect.stringContaining('is no refresh family: ') }
    await expect(tokens.redeem(token, { clientId: 'web' })).rejects.toMatchObject(invalid)
    expect(await records.get(family.key)).not.toBeNull()
  })
})

test.each([{}, [], { secretHash: '', salt: '', keyId: '' }, { secretHash: '', salt: 1, keyId: '', rotatedAt: 1 }])(
  'a family whose previous secret is %j is an outage too',
  async (previous) => {
    const records = createMemoryRecordStore()
    const tokens = createRefreshTokens({ records, secrets: [{ id: 'a', bytes: randomBytes(32) }] })
    const { token, family } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    await change(records, family.key, { previous })
    await expect(tokens.redeem(token, { clientId: 'web' })).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
    expect(await records.get(family.key)).not.toBeNull()
  },
)
