import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const subject = 'acc_1'
const secrets = [{ id: 'a', bytes: new Uint8Array(32).fill(1) }] as const

function open() {
  const clock = { time: 1_800_000_000_000 }
  const now = () => clock.time
  const records = createMemoryRecordStore({ now })
  const sessions = createSessions({ records, now, ttlSeconds: 28_800, idleSeconds: 3600, touchIntervalSeconds: 60 })
  const refreshTokens = createRefreshTokens({ records, secrets, now })
  const begin = async (of = subject) => {
    const issued = await sessions.create({ subject: of, factors: [] })
    if (!issued) throw new Error('no session')
    return issued
  }
  return { clock, records, sessions, refreshTokens, begin }
}

describe('a session is read by its lineage', () => {
  test('under the key that it has now, and counts as used', async () => {
    const { clock, sessions, begin } = open()
    const { session, credential } = await begin()
    await begin()
    const renewed = await sessions.regenerate(subject, session.key, { factors: [] })
    clock.time += 3_599_000
    const read = await sessions.readByLineage(subject, session.lineage)
    expect(read).toMatchObject({ key: renewed?.session.key, lineage: session.key, expiresAt: clock.time + 3_600_000 })
    clock.time += 3_599_000
    expect(await sessions.read(credential)).toBeNull()
    expect(await sessions.read(renewed?.credential ?? null)).not.toBeNull()
  })

  test('without counting as used if isUse is false', async () => {
    const { clock, sessions, begin } = open()
    const { session, credential } = await begin()
    clock.time += 3_599_000
    expect(await sessions.readByLineage(subject, session.lineage, { isUse: false })).not.toBeNull()
    clock.time += 1000
    expect(await sessions.read(credential)).toBeNull()
  })

  test("unless it has expired, belongs to another subject, or the key is a family's", async () => {
    const { clock, sessions, refreshTokens, begin } = open()
    const { session } = await begin()
    const { family } = await refreshTokens.issue({ subject, clientId: 'page', factors: [], session: session.key })
    expect(await sessions.readByLineage('acc_2', session.lineage)).toBeNull()
    expect(await sessions.readByLineage(subject, family.key)).toBeNull()
    for (let passed = 0; passed < 8; passed++) {
      expect(await sessions.readByLineage(subject, session.lineage)).not.toBeNull()
      clock.time += 3_599_999
    }
    clock.time += 8
    expect(await sessions.readByLineage(subject, session.lineage)).toBeNull()
  })
})

test('isMeant selects which families of a session are revoked', async () => {
  const { refreshTokens, begin } = open()
  const { session } = await begin()
  const issue = async (clientId: string, of: string | null = session.key) =>
    (await refreshTokens.issue({ subject, clientId, factors: [], session: of })).family.key
  const [meant, other, outliving] = [await issue('page'), await issue('desk'), await issue('page', null)]
  const isMeant = ({ clientId }: { readonly clientId: string }) => clientId === 'page'
  expect(await refreshTokens.revokeBySession(subject, session.key, { isMeant })).toBe(1)
  const left = await Promise.all([meant, other, outliving].map((name) => refreshTokens.read(name)))
  expect(left.map((family) => family !== null)).toEqual([false, true, true])
})

test('a list names the session that a family of online_access is a part of', async () => {
  const { sessions, refreshTokens, begin } = open()
  const { session } = await begin()
  const given = { subject, clientId: 'page', factors: [], session: session.key }
  const { family } = await refreshTokens.issue({ ...given, scopes: ['online_access'] })
  await refreshTokens.issue({ ...given, scopes: ['openid'] })
  await refreshTokens.issue({ ...given, scopes: ['online_access'], session: null })
  const parts = (await sessions.list(subject)).filter(({ partOf }) => partOf !== undefined)
  expect(parts.map(({ key, partOf }) => [key, partOf])).toEqual([[family.key, session.lineage]])
})
