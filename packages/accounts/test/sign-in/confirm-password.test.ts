import { allowNativeDelivery } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, invalidCredentials, password, passwords } from '../bench.ts'
import type { AroundRecords } from '../stores/test-stores.ts'

const options = { signIn: { nativeDelivery: allowNativeDelivery } } as const

/** A bench in which something happens once, while a password is tested. */
function createRace(): Bench & { during: () => Promise<unknown> } {
  const race = { during: async (): Promise<unknown> => undefined }
  const slow: typeof passwords = Object.assign(Object.create(passwords), {
    async verify(...given: Parameters<typeof passwords.verify>) {
      const verdict = await passwords.verify(...given)
      const { during } = race
      race.during = async () => undefined
      await during()
      return verdict
    },
  })
  return Object.assign(race, createBench({ options: { ...options, passwordHasher: slow } }))
}

const keyOf = ({ identity }: SignInSuccess): string => identity.key

describe.each(['session', 'token', 'native'] as const)(
  'a password that is confirmed, with delivery %s,',
  (delivery) => {
    test('returns a new credential with a fresh password and the other factors as they were', async () => {
      const bench = createBench({ options })
      const { id } = await bench.insert({ roles: ['READER'] })
      const { identity } = await bench.signIn({ delivery })
      bench.advance(600)
      const totp = { kind: 'totp', at: bench.now() - 1000, category: 'have' as const }
      if (delivery !== 'session') {
        const family = await bench.refreshTokens.read(identity.key)
        if (family) await bench.refreshTokens.renew(family, { epoch: 0, factors: [totp] })
      }
      const factors = [...identity.factors, totp]
      const result = await bench.accounts.confirmPassword({
        identity: { ...identity, factors },
        currentPassword: password,
      })
      if (!result.ok) throw new Error('refused')
      expect(result).toMatchObject({ status: 'signed-in', account: { id }, credentials: { delivery } })
      expect(result.identity.factors).toEqual([totp, { kind: 'password', at: bench.now(), category: 'know' }])
      expect(result.identity.key).not.toBe(identity.key)
      expect(result.identity.via).toBe(delivery === 'session' ? 'cookie' : 'bearer')
      expect(await bench.sessions.find(id, identity.key)).toBeNull()
      expect(bench.events.at(-1)).toMatchObject({
        type: 'password.confirmed',
        accountId: id,
        sessionKey: keyOf(result),
      })
    })

    test('does not move the end of a family', async () => {
      const bench = createBench({ options })
      await bench.insert()
      const { identity } = await bench.signIn({ delivery })
      const before = await bench.refreshTokens.read(identity.key)
      bench.advance(1000)
      const result = await bench.accounts.confirmPassword({ identity, currentPassword: password })
      const after = result.ok ? await bench.refreshTokens.read(keyOf(result)) : null
      expect(after?.endsAt).toBe(before?.endsAt)
    })

    test.each([
      [
        'everything was revoked',
        ({ accounts }: Bench, subject: string) =>
          accounts.revokeAllSessions({ identity: { subject }, exceptCurrent: false }),
      ],
      [
        'the epoch was raised and nothing was found to remove',
        ({ store }: Bench, id: string) => store.replace(id, {}, { epoch: 1 }),
      ],
      ['the account was disabled', ({ accounts }: Bench, id: string) => accounts.disable({ id })],
      [
        'the account was locked',
        ({ store }: Bench, id: string) => store.replace(id, {}, { epoch: 1, status: 'locked' }),
      ],
    ])('restores no session when meanwhile %s', async (_what, during) => {
      const race = createRace()
      const { id } = await race.insert()
      const { identity } = await race.signIn({ delivery })
      race.during = () => during(race, id)
      expect(await race.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
      expect(await race.accounts.listSessions(id)).toEqual([])
      const valid = (await race.sessions.list(id)).filter(({ key }) => key !== identity.key)
      expect(valid).toEqual([])
    })

    test('opens no session if the account has revoked the session before, even if its record remains', async () => {
      const bench = createBench({ options })
      const { id } = await bench.insert()
      const { identity } = await bench.signIn({ delivery })
      await bench.store.replace(id, {}, { epoch: 1 })
      expect(await bench.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
      expect(await bench.accounts.listSessions(id)).toEqual([])
    })

    const endSession = ({ records }: Bench, _id: string, key: string) => records.remove(key)
    const disable = ({ store }: Bench, id: string) => store.replace(id, {}, { status: 'disabled' })
    test.each([
      ['its session is ended after it was found', 'get', endSession, 'session-revoked'],
      ['its session is ended while the new one is stored', 'insert', endSession, 'session-revoked'],
      ['the account is disabled while the new one is stored', 'insert', disable, 'account-changed'],
    ] as const)('restores no session when %s', async (_what, after, change, reason) => {
      let interfere: (() => Promise<unknown>) | null = null
      const aroundRecords: AroundRecords = async (method, run) => {
        const result = await run()
        if (method !== after || !interfere) return result
        const once = interfere
        interfere = null
        await once()
        return result
      }
      const bench = createBench({ options, aroundRecords })
      const { id } = await bench.insert()
      const { identity } = await bench.signIn({ delivery })
      interfere = () => change(bench, id, identity.key)
      expect(await bench.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
      expect(await bench.sessions.list(id)).toEqual([])
      expect(bench.events.at(-1)).toMatchObject({ type: 'password.confirmation-failed', reason })
    })

    test('opens no session if the session was revoked before', async () => {
      const bench = createBench({ options })
      const { id } = await bench.insert()
      const { identity } = await bench.signIn({ delivery })
      await bench.accounts.revokeSession({ subject: id, key: identity.key })
      expect(await bench.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
      expect(await bench.sessions.list(id)).toEqual([])
      expect(bench.events.at(-1)).toMatchObject({ type: 'password.confirmation-failed', reason: 'session-revoked' })
    })
  },
)

test('a confirmed password is hashed again if its hash has older parameters', async () => {
  const bench = createBench({ options })
  const old = createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 2 }, strength: allowWeakHashes })
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  const before = await old.hash(password)
  await bench.store.replace(id, {}, { passwordHash: before })
  const attempt = { address: '203.0.113.9', deviceToken: null, channel: 'page', requestId: 'r-1' } as const
  const confirmed = await bench.accounts.confirmPassword({ identity, currentPassword: password, attempt })
  expect(confirmed).toMatchObject({ ok: true })
  await bench.accounts.settled()
  const stored = await bench.store.get(id)
  expect(stored?.passwordHash).not.toBe(before)
  expect(await passwords.verify(password, stored?.passwordHash ?? null)).toEqual({ ok: true, needsRehash: false })
  const { deviceToken: _shown, ...said } = attempt
  expect(bench.events.at(-1)).toMatchObject({ type: 'password.rehashed', accountId: id, ...said, device: null })
})

test.each([
  ['session', true],
  ['token', true],
  ['native', false],
] as const)('with allowsNative: false a credential of %s is renewed: %s', async (delivery, is) => {
  const bench = createBench({ options })
  const { id } = await bench.insert()
  const { identity } = await bench.signIn({ delivery })
  const answer = bench.accounts.confirmPassword({ identity, currentPassword: password, allowsNative: false })
  if (is) expect(await answer).toMatchObject({ ok: true, credentials: { delivery } })
  else {
    await expect(answer).rejects.toMatchObject({ code: 'DELIVERY_NOT_ALLOWED' })
    expect((await bench.sessions.list(id)).map(({ key }) => key)).toEqual([identity.key])
  }
})

test('the password of an account that was removed is a wrong one', async () => {
  const bench = createBench()
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  await bench.store.remove(id)
  expect(await bench.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
  const failed = { type: 'password.confirmation-failed', accountId: id, reason: 'unknown-account' }
  expect(bench.events.at(-1)).toMatchObject(failed)
})

test('a refused password emits an event that names the session, if any', async () => {
  const bench = createBench()
  const { id: subject } = await bench.insert()
  const { identity } = await bench.signIn()
  for (const [by, sessionKey] of [
    [identity, identity.key],
    [{ subject }, null],
  ] as const) {
    const refused = bench.accounts.confirmPassword({ identity: by, currentPassword: 'not the current password' })
    expect(await refused).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'password.confirmation-failed', sessionKey })
  }
})

test('confirmPassword for an identity without factors proves the password only', async () => {
  const bench = createBench()
  await bench.insert()
  const { subject, key, via } = (await bench.signIn()).identity
  const result = await bench.accounts.confirmPassword({ identity: { subject, key, via }, currentPassword: password })
  expect(result.ok && result.identity.factors).toEqual([{ kind: 'password', at: bench.now(), category: 'know' }])
})

test('confirmPassword renews no cookie session for a bearer token', async () => {
  const bench = createBench()
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  const shown = { ...identity, via: 'bearer' } as const
  expect(await bench.accounts.confirmPassword({ identity: shown, currentPassword: password })).toEqual(
    invalidCredentials,
  )
  expect((await bench.sessions.list(id)).map(({ key }) => key)).toEqual([identity.key])
  expect(bench.events.at(-1)).toMatchObject({ type: 'password.confirmation-failed', reason: 'session-revoked' })
})

test('a family of a client of others is not renewed', async () => {
  const bench = createBench()
  const { id } = await bench.insert()
  const { family } = await bench.refreshTokens.issue({ subject: id, clientId: 'demo-spa', scopes: [], factors: [] })
  const identity = { subject: id, key: family.key, via: 'bearer' } as const
  expect(await bench.accounts.confirmPassword({ identity, currentPassword: password })).toEqual(invalidCredentials)
  expect((await bench.sessions.list(id)).map(({ key }) => key)).toEqual([family.key])
  expect(bench.events.at(-1)).toMatchObject({ type: 'password.confirmation-failed', reason: 'session-revoked' })
})

test('a change of password over a bearer token is a fresh proof of it as well', async () => {
  const bench = createBench({ options })
  await bench.insert()
  const { identity } = await bench.signIn({ delivery: 'token' })
  bench.advance(600)
  const change = { currentPassword: password, newPassword: 'seven kettles hum along' }
  expect(await bench.accounts.changePassword({ identity, ...change })).toMatchObject({ ok: true })
  const fresh = { kind: 'password', at: bench.now(), category: 'know' }
  expect((await bench.refreshTokens.read(identity.key))?.factors).toEqual([fresh])
})
