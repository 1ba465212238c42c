import type { Accounts } from '@latchkey/accounts'
import { allowNativeDelivery } from '@latchkey/accounts'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { describe, expect, test } from 'vitest'
import {
  type Bench,
  countHashes,
  createBench,
  email,
  firstPartyFacts,
  invalidCredentials,
  newPassword,
  password,
  passwords,
  refusalOf,
} from './bench.ts'

const factors = [{ kind: 'password', at: 1_800_000_000_000, category: 'know' }]

describe('signing in', () => {
  test('a sign-in with a session returns a credential for the cookie and the facts for an identity', async () => {
    const { insert, signIn, sessions, events } = createBench()
    const { id } = await insert({ roles: ['READER', 'AUTHOR'], epoch: 3 })
    const device = { userAgent: 'Firefox', address: '203.0.113.7' }
    const result = await signIn({ email: ' READER@example.com', device, persistent: false })
    const { credentials, identity } = result
    expect(result.account).toEqual({ id, email, name: 'A Reader', roles: ['READER', 'AUTHOR'], status: 'active' })
    if (credentials.delivery !== 'session') throw new Error('another delivery')
    expect(await sessions.read(credentials.credential)).toEqual(credentials.session)
    expect(credentials.session).toMatchObject({ subject: id, epoch: 3, factors, device, persistent: false })
    const { key } = credentials.session
    expect(identity).toEqual({
      ...firstPartyFacts,
      subject: id,
      roles: ['READER', 'AUTHOR'],
      factors,
      key,
      lineage: key,
      via: 'cookie',
      epoch: 3,
    })
    expect(events.at(-1)).toEqual({
      type: 'session.created',
      at: 1_800_000_000_000,
      accountId: id,
      sessionKey: key,
      address: null,
      device: null,
      requestId: null,
      durationMs: expect.any(Number),
      channel: 'native',
      delivery: 'session',
      replaced: null,
      enrollmentDueAt: null,
      factors: ['password'],
      byRememberedDevice: false,
    })
  })

  test.each([
    ['token', 'cookie'],
    ['native', 'native'],
  ] as const)(
    'delivery %s returns an access token bound to a refresh family of the channel %s',
    async (delivery, channel) => {
      const { insert, signIn, verify, refreshTokens } = createBench({
        options: { signIn: { nativeDelivery: allowNativeDelivery } },
      })
      const { id } = await insert({ roles: ['READER', 'AUTHOR'], epoch: 3 })
      const { credentials, identity } = await signIn({ delivery })
      if (credentials.delivery === 'session') throw new Error('another delivery')
      const { family, accessToken, accessTokenExpiresAt, refreshToken } = credentials
      const claims = await verify(accessToken)
      expect(claims).toMatchObject({ sub: id, role: 'READER AUTHOR', sid: family.key, epoch: 3 })
      expect(claims.jti).toEqual(expect.any(String))
      expect(accessTokenExpiresAt).toBe(claims.exp * 1000)
      expect(family).toMatchObject({ subject: id, epoch: 3, channel, factors })
      expect((await refreshTokens.identify(refreshToken))?.key).toBe(family.key)
      expect(identity).toEqual({
        ...firstPartyFacts,
        subject: id,
        roles: ['READER', 'AUTHOR'],
        factors,
        key: family.key,
        lineage: family.key,
        via: 'bearer',
        epoch: 3,
      })
    },
  )

  describe.each(['session', 'token', 'native'] as const)('delivery %s', (delivery) => {
    const options = { signIn: { nativeDelivery: allowNativeDelivery } } as const

    async function openFirst(bench: Bench) {
      const first = (await bench.signIn()).credentials
      if (first.delivery !== 'session') throw new Error('another delivery')
      return first
    }

    test('a sign-in over a session revokes that session', async () => {
      const bench = createBench({ options })
      await bench.insert()
      const first = await openFirst(bench)
      const { identity } = await bench.signIn({ delivery, replaces: first.session })
      expect(await bench.sessions.read(first.credential)).toBeNull()
      expect((await bench.accounts.listSessions(identity.subject)).map(({ key }) => key)).toEqual([identity.key])
    })

    test("a sign-in over another account's session in the same browser revokes that session", async () => {
      const bench = createBench({ options })
      await bench.insert()
      const first = await openFirst(bench)
      await bench.insert({ email: 'other@example.com' })
      await bench.signIn({ email: 'other@example.com', delivery, replaces: first.session })
      expect(await bench.sessions.read(first.credential)).toBeNull()
    })

    test('a sign-in over a session that was revoked in the meantime is refused', async () => {
      const bench = createBench({ options })
      const { id } = await bench.insert()
      const first = await openFirst(bench)
      await bench.sessions.revoke(id, first.session.key)
      const again = { email, password, delivery, replaces: first.session } as const
      expect(await bench.accounts.signIn(again)).toEqual(invalidCredentials)
      expect(await bench.sessions.list(id)).toEqual([])
      expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: 'session-revoked' })
    })

    test('a sign-in over an expired session succeeds', async () => {
      const bench = createBench({ options })
      await bench.insert()
      const first = await openFirst(bench)
      bench.advance(3600)
      expect((await bench.signIn({ delivery, replaces: first.session })).status).toBe('signed-in')
    })

    test('a sign-in opens no session if the store fails at the session to replace', async () => {
      let fails = false
      const bench = createBench({
        options,
        aroundRecords: async (method, run) => {
          if (!fails || method !== 'remove') return run()
          fails = false
          throw new Error('down')
        },
      })
      const { id } = await bench.insert()
      const first = await openFirst(bench)
      fails = true
      const attempt = bench.accounts.signIn({ email, password, delivery, replaces: first.session })
      await expect(attempt).rejects.toThrow('down')
      expect((await bench.sessions.list(id)).map(({ key }) => key)).toEqual([first.session.key])
    })
  })
})

describe('every refused sign-in gets the same answer and costs one hash:', () => {
  const cases: [
    string,
    Parameters<ReturnType<typeof createBench>['insert']>[0] | null,
    Partial<Parameters<Accounts['signIn']>[0]>,
    string,
  ][] = [
    ['an unknown address', null, {}, 'unknown-account'],
    ['a text that is not an address', null, { email: 'nobody' }, 'unknown-account'],
    ['no address', {}, { email: '' }, 'unknown-account'],
    ['a megabyte for an address', {}, { email: `${'a'.repeat(1_000_000)}@example.com` }, 'unknown-account'],
    ['an address with a lone surrogate', {}, { email: '\ud800@example.com' }, 'unknown-account'],
    ['a wrong password', {}, { password: newPassword }, 'wrong-password'],
    ['an empty password', {}, { password: '' }, 'wrong-password'],
    ['a password with a NUL', {}, { password: `${password}\0` }, 'wrong-password'],
    ['a huge password', {}, { password: 'x'.repeat(100_000) }, 'wrong-password'],
    ['an account without a password', { passwordHash: null }, {}, 'no-password'],
    ['an unreadable hash', { passwordHash: 'plain' }, { password: 'plain' }, 'wrong-password'],
    ['a disabled account', { status: 'disabled' }, {}, 'disabled'],
    ['a disabled account and a wrong password', { status: 'disabled' }, { password: newPassword }, 'wrong-password'],
    ['an account that was never verified', { status: 'unverified' }, {}, 'unverified'],
  ]
  test.each(cases)('%s', async (_what, account, change, reason) => {
    const { accounts, insert, events, sessions } = createBench()
    const stored = account && (await insert(account))
    const hashes = await countHashes(async () => {
      expect(await accounts.signIn({ email, password, delivery: 'session', ...change })).toEqual(invalidCredentials)
      await accounts.settled()
    })
    expect(hashes).toBe(1)
    expect(events).toEqual([
      {
        type: 'sign-in.failed',
        accountId: reason === 'unknown-account' ? null : (stored?.id ?? null),
        reason,
        sessionKey: null,
        address: null,
        device: null,
        requestId: null,
        durationMs: expect.any(Number),
        channel: 'native',
        at: 1_800_000_000_000,
      },
    ])
    expect(await sessions.list(stored?.id ?? 'nobody')).toEqual([])
  })

  test('an accepted one costs one as well', async () => {
    const { insert, signIn } = createBench()
    await insert()
    expect(await countHashes(() => signIn())).toBe(1)
  })
})

test.each(['native', 'cookie', '', '__proto__'])(
  'the delivery %j is refused before any hash unless it is allowed',
  async (delivery) => {
    const { accounts, insert } = createBench()
    await insert()
    const attempt = () => accounts.signIn({ email, password, delivery: delivery as 'native' })
    const hashes = await countHashes(async () => {
      expect(await refusalOf(attempt())).toEqual({ code: 'DELIVERY_NOT_ALLOWED', field: 'delivery', reason: null })
    })
    expect(hashes).toBe(0)
  },
)

describe('a password with old parameters', () => {
  const older = createPasswordHasher({ argon2id: { memoryKib: 16, iterations: 1 }, strength: allowWeakHashes })

  test('a password is hashed again after the answer, and its sessions stay valid', async () => {
    const { accounts, insert, signIn, store, sessions, events } = createBench()
    const { id, passwordHash } = await insert({ passwordHash: await older.hash(password), epoch: 3 })
    expect(await countHashes(() => signIn())).toBe(1)
    expect((await store.get(id))?.passwordHash).toBe(passwordHash)
    await accounts.settled()
    const stored = await store.get(id)
    expect(stored?.epoch).toBe(3)
    expect(await passwords.verify(password, stored?.passwordHash ?? null)).toEqual({ ok: true, needsRehash: false })
    expect(await sessions.list(id)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'password.rehashed', accountId: id })
  })

  test('a rehash does not replace a password that was changed in the meantime', async () => {
    const { accounts, insert, signIn, store, events } = createBench()
    const { id, passwordHash } = await insert({ passwordHash: await older.hash(password) })
    await signIn()
    await store.replace(id, { passwordHash }, { passwordHash: 'of another password' })
    await accounts.settled()
    expect((await store.get(id))?.passwordHash).toBe('of another password')
    expect(events.some(({ type }) => type === 'password.rehashed')).toBe(false)
  })

  test('a failed rehash keeps the old hash and emits an event', async () => {
    const { accounts, insert, signIn, events } = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace') throw new Error(`${email} is locked`)
        return run()
      },
    })
    const { id } = await insert({ passwordHash: await older.hash(password) })
    expect((await signIn()).status).toBe('signed-in')
    await accounts.settled()
    expect(events.at(-1)).toMatchObject({
      type: 'password.rehash-failed',
      accountId: id,
      failure: expect.stringMatching(/^\w+$/),
    })
    expect(JSON.stringify(events)).not.toContain('locked')
  })
})
