import type { SessionCredentials } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, presentedBy } from './bench.ts'

async function open(bench: Bench, email?: string) {
  const result = await bench.signIn(email ? { email } : {})
  return { identity: result.identity, ...(result.credentials as SessionCredentials) }
}

describe('the sessions and families of an account', () => {
  test('is listed over both kinds', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await open(bench)
    const { identity: bearer } = await bench.signIn({ delivery: 'token' })
    const listed = await bench.accounts.listSessions(id)
    expect(new Set(listed.map(({ key, kind }) => `${kind} ${key}`))).toEqual(
      new Set([`session ${identity.key}`, `refresh ${bearer.key}`]),
    )
  })

  test.each(['session', 'token'] as const)('says from which device it was opened, by delivery %s', async (delivery) => {
    const bench = createBench()
    const { id } = await bench.insert()
    const device = { userAgent: 'Reader/1.0', address: '203.0.113.9' }
    await bench.signIn({ delivery, device })
    expect(await bench.accounts.listSessions(id)).toMatchObject([{ device }])
  })

  test('omits what an older epoch left behind, and everything of a disabled account', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    await open(bench)
    await bench.store.replace(id, {}, { epoch: 1 })
    expect(await bench.accounts.listSessions(id)).toEqual([])
    await bench.store.replace(id, {}, { epoch: 0 })
    expect(await bench.accounts.listSessions(id)).toHaveLength(1)
    await bench.store.replace(id, {}, { status: 'disabled' })
    expect(await bench.accounts.listSessions(id)).toEqual([])
    expect(await bench.accounts.listSessions('acc_0')).toEqual([])
    await bench.store.remove(id)
    expect(await bench.accounts.listSessions(id)).toEqual([])
  })

  test('are revoked by a device that the event names if the account knows it', async () => {
    const bench = createBench()
    const { id: subject } = await bench.insert()
    for (const isKnown of [false, true]) {
      const { deviceToken, identity } = await bench.signIn()
      const attempt = presentedBy(isKnown ? deviceToken : null)
      expect(await bench.accounts.revokeSession({ subject, key: identity.key, attempt })).toBe(true)
      const device = isKnown ? expect.any(String) : null
      expect(bench.events.at(-1)).toMatchObject({ type: 'session.ended', sessionKey: identity.key, device })
    }
  })

  test('are revoked one by one, by their own account only', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const stranger = await bench.insert({ email: 'other@example.com' })
    const { credential, session } = await open(bench)
    const { key } = session
    expect(await bench.accounts.revokeSession({ subject: stranger.id, key })).toBe(false)
    expect(await bench.sessions.read(credential)).not.toBeNull()
    expect(await bench.accounts.revokeSession({ subject: id, key })).toBe(true)
    expect(await bench.accounts.revokeSession({ subject: id, key })).toBe(false)
    expect(await bench.sessions.read(credential)).toBeNull()
    const revoked = bench.events.filter(({ type }) => type === 'session.ended')
    expect(revoked).toMatchObject([{ accountId: id, sessionKey: key, reason: 'revoked', at: bench.now() }])
  })

  test('are revoked except the current session, which stays valid over the new epoch', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const [current, other] = [await open(bench), await open(bench)]
    expect(await bench.accounts.revokeAllSessions({ identity: current.identity })).toBe(1)
    expect(await bench.accounts.identifySession(await bench.sessions.read(current.credential))).not.toBeNull()
    expect(await bench.sessions.read(other.credential)).toBeNull()
    expect(await bench.store.get(id)).toMatchObject({ epoch: 1, keptKey: current.identity.key })
    expect((await bench.accounts.listSessions(id)).map(({ key }) => key)).toEqual([current.identity.key])
    expect(bench.events.at(-1)).toMatchObject({ type: 'sessions.ended', accountId: id, count: 1 })
  })

  test('are revoked together, with a new epoch', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const current = await open(bench)
    await bench.signIn({ delivery: 'token' })
    const all = { identity: current.identity, exceptCurrent: false }
    expect(await bench.accounts.revokeAllSessions(all)).toBe(2)
    expect((await bench.store.get(id))?.epoch).toBe(1)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(await bench.accounts.revokeAllSessions(all)).toBe(0)
  })

  test('are all revoked if the current session is not known', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    await open(bench)
    expect(await bench.accounts.revokeAllSessions({ identity: { subject: id, key: null } })).toBe(1)
    expect((await bench.store.get(id))?.epoch).toBe(1)
    expect(await bench.accounts.revokeAllSessions({ identity: { subject: 'acc_0' } })).toBe(0)
  })
})

describe('signing out', () => {
  test('signOut revokes the session of the cookie', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity, credential } = await open(bench)
    expect(await bench.accounts.signOut({ identity })).toBe(true)
    expect(await bench.accounts.signOut({ identity })).toBe(false)
    expect(await bench.sessions.read(credential)).toBeNull()
    expect(bench.events.filter(({ type }) => type === 'session.ended')).toHaveLength(1)
    expect(bench.events.at(-1)).toMatchObject({ accountId: id, sessionKey: identity.key, reason: 'sign-out' })
  })

  test('signOut revokes the family of an access token or of a refresh cookie', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const [first, second] = [await bench.signIn({ delivery: 'token' }), await bench.signIn({ delivery: 'token' })]
    expect(await bench.accounts.signOut({ identity: first.identity })).toBe(true)
    const refreshToken = second.credentials.delivery === 'token' ? second.credentials.refreshToken : null
    expect(await bench.accounts.signOut({ identity: null, refreshToken })).toBe(true)
    expect(await bench.accounts.signOut({ refreshToken })).toBe(false)
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test.each([
    [{}],
    [{ identity: null, refreshToken: null }],
    [{ refreshToken: 'garbage' }],
    [{ identity: { subject: 'acc_0', key: null } }],
  ])('signOut with %j revokes no session', async (input) => {
    const bench = createBench()
    const { id } = await bench.insert()
    await open(bench)
    expect(await bench.accounts.signOut(input)).toBe(false)
    expect(await bench.sessions.list(id)).toHaveLength(1)
  })
})

describe('an identity', () => {
  test('is returned for a session or a token while account and epoch are the same', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ roles: ['READER', 'AUTHOR'] })
    const { credential, identity } = await open(bench)
    const tokens = await bench.signIn({ delivery: 'token' })
    const claims = await bench.verify(tokens.credentials.delivery === 'token' ? tokens.credentials.accessToken : '')
    const bySession = async () => bench.accounts.identifySession(await bench.sessions.read(credential))
    const byToken = () => bench.accounts.identifyToken(claims)
    expect(await bySession()).toEqual(identity)
    expect(await byToken()).toEqual(tokens.identity)
    expect(await bench.accounts.identifySession(null)).toBeNull()
    expect(await bench.accounts.identifyToken(null)).toBeNull()
    for (const [away, back] of [
      [{ status: 'disabled' }, { status: 'active' }],
      [{ status: 'unverified' }, { status: 'active' }],
      [{ epoch: 1 }, { epoch: 0 }],
    ] as const) {
      await bench.store.replace(id, {}, away)
      expect([await bySession(), await byToken()]).toEqual([null, null])
      await bench.store.replace(id, {}, back)
      expect([await bySession(), await byToken()]).not.toContain(null)
    }
    await bench.store.remove(id)
    expect([await bySession(), await byToken()]).toEqual([null, null])
  })

  test('identifyToken returns null if the family was revoked or belongs to another account', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const stranger = await bench.insert({ email: 'other@example.com' })
    const { credentials, identity } = await bench.signIn({ delivery: 'token' })
    const claims = await bench.verify(credentials.delivery === 'token' ? credentials.accessToken : '')
    expect(await bench.accounts.identifyToken({ ...claims, sub: stranger.id })).toBeNull()
    expect(await bench.accounts.identifyToken({ ...claims, epoch: 1 })).toBeNull()
    const { sid: _sid, ...withoutSid } = claims
    expect(await bench.accounts.identifyToken(withoutSid as typeof claims)).toBeNull()
    const { epoch: _epoch, ...withoutEpoch } = claims
    expect(await bench.accounts.identifyToken(withoutEpoch as typeof claims)).toBeNull()
    await bench.store.replace(id, {}, { epoch: 1 })
    expect(await bench.accounts.identifyToken({ ...claims, epoch: 1 })).toBeNull()
    await bench.store.replace(id, {}, { epoch: 0 })
    expect(await bench.accounts.identifyToken(claims)).not.toBeNull()
    await bench.accounts.revokeSession({ subject: id, key: identity.key })
    expect(await bench.accounts.identifyToken(claims)).toBeNull()
  })

  test('identifyToken returns the current roles, not the roles of the token', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn({ delivery: 'token' })
    const claims = await bench.verify(credentials.delivery === 'token' ? credentials.accessToken : '')
    await bench.store.replace(id, {}, { roles: ['AUTHOR'] })
    expect((await bench.accounts.identifyToken(claims))?.roles).toEqual(['AUTHOR'])
  })
})
