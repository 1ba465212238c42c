import type { SessionCredentials, TokenCredentials } from '@latchkey/accounts/internal'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  type Bench,
  createBench,
  email,
  invalidCredentials,
  invalidLink,
  newPassword,
  password,
  refusalOf,
} from './bench.ts'
import { createGate, delay } from './stores/test-stores.ts'

const passwordsOf = { currentPassword: password, newPassword }

async function openSession(bench: Bench) {
  const result = await bench.signIn()
  return { ...result, credentials: result.credentials as SessionCredentials }
}

async function openTokens(bench: Bench) {
  const result = await bench.signIn({ delivery: 'token' })
  return { ...result, credentials: result.credentials as TokenCredentials }
}

describe('changing the password', () => {
  test('a change of password over a session replaces its credential and revokes everything else', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ epoch: 3 })
    const device = { userAgent: 'Firefox', address: null }
    const current = (await bench.signIn({ device, persistent: false })) as Awaited<ReturnType<typeof openSession>>
    const [other, tokens] = [await openSession(bench), await openTokens(bench)]
    bench.advance(60)
    const result = await bench.accounts.changePassword({ identity: current.identity, ...passwordsOf })
    if (!result.ok || !result.credentials) throw new Error('refused')
    const { credential, session } = result.credentials
    expect(session).toMatchObject({
      subject: id,
      epoch: 4,
      device,
      persistent: false,
      factors: [{ kind: 'password', at: bench.now() }],
    })
    expect(await bench.accounts.identifySession(await bench.sessions.read(credential))).toMatchObject({ epoch: 4 })
    expect(await bench.sessions.read(current.credentials.credential)).toBeNull()
    expect(await bench.sessions.read(other.credentials.credential)).toBeNull()
    expect(await bench.accounts.refresh({ token: tokens.credentials.refreshToken, channel: 'cookie' })).toEqual(
      invalidCredentials,
    )
    expect((await bench.accounts.listSessions(id)).map(({ key }) => key)).toEqual([session.key])
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toEqual(invalidCredentials)
  })

  test('a change of password without factors in the identity proves the password only', async () => {
    const bench = createBench()
    await bench.insert()
    const { subject, key, via } = (await openSession(bench)).identity
    const result = await bench.accounts.changePassword({ identity: { subject, key, via }, ...passwordsOf })
    const factors = [{ kind: 'password', at: bench.now(), category: 'know' }]
    expect(result).toMatchObject({ ok: true, credentials: { session: { factors } } })
  })

  test('a change of password over a bearer token keeps its family and revokes everything else', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity, credentials } = await openTokens(bench)
    const other = await openSession(bench)
    expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({
      ok: true,
      credentials: null,
    })
    expect(await bench.sessions.read(other.credentials.credential)).toBeNull()
    const claims = await bench.verify(credentials.accessToken)
    expect(await bench.accounts.identifyToken(claims)).toMatchObject({ key: identity.key, epoch: 1 })
    const next = await bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie' })
    expect(next).toMatchObject({ ok: true, identity: { subject: id, epoch: 1 } })
    expect(await bench.accounts.listSessions(id)).toHaveLength(1)
  })

  test('keeps the other factors of the session', async () => {
    const bench = createBench()
    await bench.insert()
    const { identity } = await openSession(bench)
    const factors = [
      { kind: 'password', at: 1 },
      { kind: 'totp', at: 2 },
    ]
    const result = await bench.accounts.changePassword({ identity: { ...identity, factors }, ...passwordsOf })
    expect(result).toMatchObject({
      credentials: {
        session: {
          factors: [
            { kind: 'totp', at: 2 },
            { kind: 'password', at: bench.now() },
          ],
        },
      },
    })
  })

  test('informs the owner by mail', async () => {
    const bench = createBench()
    await bench.insert()
    const { identity } = await openSession(bench)
    await bench.accounts.changePassword({ identity, ...passwordsOf })
    await bench.accounts.settled()
    expect(bench.outbox).toMatchObject([{ to: email, subject: 'Your password was changed', url: null }])
  })

  test('a change of password invalidates the link of an earlier reset request', async () => {
    const bench = createBench()
    await bench.insert()
    await bench.accounts.requestPasswordReset({ email })
    const token = await bench.mailedToken()
    const { identity } = await openSession(bench)
    await bench.accounts.changePassword({ identity, ...passwordsOf })
    const verdict = await bench.accounts.resetPassword({ token, newPassword: 'a third one, just as long' })
    expect(verdict).toEqual(invalidLink)
  })

  test('a change of password over a session that was just revoked sets the password and returns no credentials', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await openSession(bench)
    await bench.sessions.revoke(id, identity.key)
    expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({
      ok: true,
      credentials: null,
    })
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test("a change of password with the key of another account's family leaves that family unchanged", async () => {
    const bench = createBench()
    await bench.insert({ email: 'other@example.com' })
    const { family } = (await bench.signIn({ email: 'other@example.com', delivery: 'token' }))
      .credentials as TokenCredentials
    const { id } = await bench.insert()
    const identity = { subject: id, key: family.key, via: 'bearer' } as const
    expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({ ok: true })
    expect(await bench.refreshTokens.read(family.key)).toEqual(family)
  })

  test.each([{ key: null, via: 'bearer' }, { key: null, via: null }, {}] as const)(
    'a change of password by an identity with %j revokes everything',
    async (rest) => {
      const bench = createBench()
      const { id } = await bench.insert()
      await openSession(bench)
      const identity = { subject: id, ...rest }
      expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({ ok: true })
      expect(await bench.sessions.list(id)).toEqual([])
    },
  )
})

describe('the event of a change of password names', () => {
  test('the session that has taken the place of the one of the request', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await openSession(bench)
    const result = await bench.accounts.changePassword({ identity, ...passwordsOf })
    if (!result.ok || !result.credentials) throw new Error('refused')
    const { delivery, session } = result.credentials
    expect(delivery).toBe('session')
    const changed = { type: 'password.changed', accountId: id, sessionKey: session.key }
    expect(bench.events).toContainEqual(expect.objectContaining(changed))
  })

  test('the family that stays valid, or no family if it was just revoked', async () => {
    for (const isGone of [false, true]) {
      const bench = createBench()
      const { id } = await bench.insert()
      const { identity } = await openTokens(bench)
      if (isGone) await bench.sessions.revoke(id, identity.key)
      expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({ ok: true })
      const types = bench.events.map(({ type }) => type)
      expect(types).not.toContain('clean-up.failed')
      const changed = { type: 'password.changed', accountId: id, sessionKey: isGone ? null : identity.key }
      expect(bench.events).toContainEqual(expect.objectContaining(changed))
    }
  })

  test('the kept family even if it is revoked before a fresh proof is stored in it', async () => {
    let end = async (): Promise<unknown> => undefined
    const bench = createBench({
      async aroundAccounts(method, run) {
        const result = await run()
        if (method === 'replace') await end()
        return result
      },
    })
    const { id } = await bench.insert()
    const { identity } = await openTokens(bench)
    end = () => bench.sessions.revoke(id, identity.key)
    expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({ ok: true })
    expect(await bench.sessions.list(id)).toEqual([])
    expect(bench.events.map(({ type }) => type)).not.toContain('clean-up.failed')
    const changed = { type: 'password.changed', accountId: id, sessionKey: identity.key }
    expect(bench.events).toContainEqual(expect.objectContaining(changed))
  })

  test('the session of a refused request, if it has a session', async () => {
    const bench = createBench()
    const { id: subject } = await bench.insert()
    const { identity } = await openSession(bench)
    const refused = { currentPassword: 'not the current password', newPassword }
    for (const [by, sessionKey] of [
      [identity, identity.key],
      [{ subject }, null],
    ] as const) {
      expect(await bench.accounts.changePassword({ identity: by, ...refused })).toEqual(invalidCredentials)
      expect(bench.events.at(-1)).toMatchObject({ type: 'password.change-failed', sessionKey })
    }
  })
})

test('a change of password that cannot renew its session leaves later sessions unchanged', async () => {
  let fails = false
  const bench = createBench({
    async aroundRecords(method, run) {
      if (!fails || method !== 'insert') return run()
      await bench.store.replace(id, {}, { epoch: 9, keptKey: 'se_other' })
      throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
    },
  })
  const { id } = await bench.insert()
  const { identity } = await openSession(bench)
  fails = true
  const changed = bench.accounts.changePassword({ identity, ...passwordsOf })
  expect(await changed).toMatchObject({ ok: true, credentials: null })
  expect(await bench.store.get(id)).toMatchObject({ epoch: 9, keptKey: 'se_other' })
})

test('a change of password knows no device in a service that remembers none', async () => {
  const bench = createBench({ options: { signIn: { knownDevices: undefined as never } } })
  await bench.insert()
  const { identity } = await openSession(bench)
  const result = await bench.accounts.changePassword({ identity, ...passwordsOf })
  expect(result).toMatchObject({ ok: true, deviceToken: null })
})

describe('a change of password is refused', () => {
  test('a wrong current password is refused, and the account is unchanged', async () => {
    const bench = createBench()
    const account = await bench.insert()
    const { identity, credentials } = await openSession(bench)
    const attempt = { identity, currentPassword: 'not the current password', newPassword }
    expect(await bench.accounts.changePassword(attempt)).toEqual(invalidCredentials)
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(await bench.sessions.read(credentials.credential)).not.toBeNull()
    expect(bench.events.at(-1)).toMatchObject({ type: 'password.change-failed', accountId: account.id })
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
  })

  test.each([
    ['short', 'too-short'],
    [email, 'context'],
    [`${newPassword}\0`, 'malformed'],
  ])('the new password %j is refused before the current password is verified', async (chosen, reason) => {
    const bench = createBench()
    const account = await bench.insert()
    const { identity } = await openSession(bench)
    const answers = [password, 'not the current password'].map((currentPassword) =>
      refusalOf(bench.accounts.changePassword({ identity, currentPassword, newPassword: chosen })),
    )
    const refusal = { code: 'PASSWORD_REJECTED', field: 'newPassword', reason }
    expect(await Promise.all(answers)).toEqual([refusal, refusal])
    expect(await bench.store.get(account.id)).toEqual(account)
  })

  test.each([
    ['disabled', { status: 'disabled' }],
    ['without a password', { passwordHash: null }],
  ] as const)('an account that is %s cannot change its password', async (_what, change) => {
    const bench = createBench()
    const { id } = await bench.insert(change)
    expect(await bench.accounts.changePassword({ identity: { subject: id }, ...passwordsOf })).toEqual(
      invalidCredentials,
    )
  })

  test('a removed account cannot change its password', async () => {
    const { accounts } = createBench()
    expect(await accounts.changePassword({ identity: { subject: 'acc_0' }, ...passwordsOf })).toEqual(
      invalidCredentials,
    )
  })
})

describe('a store that fails once the password is set changes no answer', () => {
  /** Everything that the records are asked for after the swap, or only what a method names, fails. */
  function createFailingBench(...failing: readonly string[]) {
    let isDown = false
    return createBench({
      aroundAccounts: async (method, run) => {
        const result = await run()
        if (method === 'replace') isDown = true
        return result
      },
      aroundRecords: async (method, run) => {
        if (isDown && (failing.length === 0 || failing.includes(method)))
          throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
  }

  test.each(['session', 'token'] as const)(
    'the store fails over a %s: the result has no credentials',
    async (delivery) => {
      const bench = createFailingBench()
      const { id } = await bench.insert()
      const { identity } = await bench.signIn({ delivery })
      const result = await bench.accounts.changePassword({ identity, ...passwordsOf })
      expect(result).toMatchObject({ ok: true, credentials: null })
      expect(bench.events.slice(-2)).toMatchObject([
        { type: 'clean-up.failed', accountId: id },
        { type: 'password.changed', accountId: id },
      ])
      // A session is revoked by another epoch; a family stays valid.
      expect((await bench.store.get(id))?.epoch).toBe(delivery === 'session' ? 2 : 1)
      await bench.accounts.settled()
      expect(bench.outbox).toHaveLength(1)
    },
  )

  test('the store fails at the new session: the old session is still invalid', async () => {
    const bench = createFailingBench('insert')
    const { id } = await bench.insert()
    const [current, other] = [await openSession(bench), await openSession(bench)]
    const result = await bench.accounts.changePassword({ identity: current.identity, ...passwordsOf })
    expect(result).toMatchObject({ ok: true, credentials: null })
    for (const { credential } of [current.credentials, other.credentials]) {
      expect(await bench.sessions.read(credential)).toBeNull()
    }
    expect(await bench.accounts.listSessions(id)).toEqual([])
    expect(bench.events.at(-2)).toMatchObject({ type: 'clean-up.failed', accountId: id })
  })

  test('the store fails at the new session and at the removal of the old session: the epoch invalidates the old session', async () => {
    const bench = createFailingBench('insert', 'remove')
    const { id } = await bench.insert()
    const { identity, credentials } = await openSession(bench)
    expect(await bench.accounts.changePassword({ identity, ...passwordsOf })).toMatchObject({
      ok: true,
      credentials: null,
    })
    const left = await bench.sessions.read(credentials.credential)
    expect(left).not.toBeNull()
    expect(await bench.accounts.identifySession(left)).toBeNull()
    expect(await bench.store.get(id)).toMatchObject({ epoch: 2, keptKey: null })
  })

  test('both stores fail once the password is set: the answer is the failure, the owner gets the mail, and others are revoked', async () => {
    let isDown = false
    const failIfDown = async (run: () => Promise<unknown>) => {
      if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    }
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        const result = await failIfDown(run)
        if (method === 'replace') isDown = true
        return result
      },
      aroundRecords: (_method, run) => failIfDown(run),
    })
    await bench.insert()
    const [current, other] = [await openSession(bench), await openSession(bench)]
    const changing = bench.accounts.changePassword({ identity: current.identity, ...passwordsOf })
    expect(await refusalOf(changing)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(bench.events.slice(-2).map(({ type }) => type)).toEqual(['clean-up.failed', 'password.changed'])
    await bench.accounts.settled()
    expect(bench.outbox).toMatchObject([{ kind: 'password-changed' }])
    isDown = false
    const left = [current, other].map(async ({ credentials: { credential } }) => {
      return bench.accounts.identifySession(await bench.sessions.read(credential))
    })
    expect(await Promise.all(left)).toEqual([expect.anything(), null])
    expect((await bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })).ok).toBe(true)
  })

  test('the store fails at the revocation of the others: the new session is valid, and the epoch invalidates the others', async () => {
    const bench = createFailingBench('removeByOwner')
    await bench.insert()
    const [current, other] = [await openSession(bench), await openSession(bench)]
    const result = await bench.accounts.changePassword({ identity: current.identity, ...passwordsOf })
    const credential = result.ok ? (result.credentials?.credential ?? null) : null
    expect(await bench.accounts.identifySession(await bench.sessions.read(credential))).toMatchObject({ epoch: 1 })
    const left = await bench.sessions.read(other.credentials.credential)
    expect(await bench.accounts.identifySession(left)).toBeNull()
  })
})

describe('a change of password at the same time as', () => {
  test('another change of password: one of both wins', async () => {
    for (let round = 0; round < 15; round++) {
      const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
      const { id } = await bench.insert()
      const { identity } = await openSession(bench)
      const chosen = [newPassword, 'a third one, just as long']
      const results = await Promise.all(
        chosen.map((next) => bench.accounts.changePassword({ identity, currentPassword: password, newPassword: next })),
      )
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      expect((await bench.store.get(id))?.epoch).toBe(1)
    }
  })

  test('a rehash of the current one is accepted', async () => {
    const older = createPasswordHasher({ argon2id: { memoryKib: 16, iterations: 1 }, strength: allowWeakHashes })
    const verified = createGate()
    const rehashed = createGate()
    let swaps = 0
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace' && swaps++ === 0) {
          verified.open()
          await rehashed.passed
        }
        return run()
      },
    })
    const { id, passwordHash } = await bench.insert({ passwordHash: await older.hash(password) })
    const attempt = bench.accounts.changePassword({ identity: { subject: id }, ...passwordsOf })
    await verified.passed
    await bench.store.replace(id, { passwordHash }, { passwordHash: await older.hash(password) })
    rehashed.open()
    expect(await attempt).toMatchObject({ ok: true })
    expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
  })

  test('a new epoch under the same password, in whatever order they come, is refused', async () => {
    let swaps = 0
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace' && swaps++ === 0) await bench.store.replace(id, {}, { epoch: 1 })
        return run()
      },
    })
    const { id } = await bench.insert()
    expect(await bench.accounts.changePassword({ identity: { subject: id }, ...passwordsOf })).toEqual(
      invalidCredentials,
    )
    expect(swaps).toBe(1)
    expect((await bench.signIn()).status).toBe('signed-in')
  })

  test('the removal of its account is refused', async () => {
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace') await bench.store.remove(id)
        return run()
      },
    })
    const { id } = await bench.insert()
    expect(await bench.accounts.changePassword({ identity: { subject: id }, ...passwordsOf })).toEqual(
      invalidCredentials,
    )
    expect(await bench.store.get(id)).toBeNull()
  })

  test('one rehash after the other is refused: it is tried again once', async () => {
    let swaps = 0
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        if (method !== 'replace') return run()
        swaps++
        return false
      },
    })
    const { id } = await bench.insert()
    expect(await bench.accounts.changePassword({ identity: { subject: id }, ...passwordsOf })).toEqual(
      invalidCredentials,
    )
    expect(swaps).toBe(2)
  })

  test('a change of roles leaves no session of the old roles', async () => {
    for (let round = 0; round < 25; round++) {
      const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
      const { id } = await bench.insert()
      const { identity } = await openSession(bench)
      const [result] = await Promise.all([
        bench.accounts.changePassword({ identity, ...passwordsOf }),
        bench.accounts.setRoles({ id, roles: ['ADMIN'] }),
      ])
      const credential = result.ok ? (result.credentials?.credential ?? null) : null
      expect(await bench.accounts.identifySession(await bench.sessions.read(credential))).toBeNull()
      expect(await bench.accounts.listSessions(id)).toEqual([])
    }
  })
})
