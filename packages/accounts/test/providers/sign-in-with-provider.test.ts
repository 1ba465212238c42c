import { allowNativeDelivery, type ProviderIdentity } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, needs, refusalOf } from '../bench.ts'
import { challengeOf, createFactorsBench } from '../factors/factors-bench.ts'
import { createProvidersBench, heldOf, issuer, otherIssuer, session, successOf } from './providers-bench.ts'

describe('a sign-in with a provider', () => {
  test('a sign-in with a provider opens a session of the linked account, with the proven factors', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const signedIn = await successOf(bench.byProvider())
    expect(signedIn).toMatchObject({
      account: { id },
      credentials: { delivery: 'session' },
      identity: { subject: id, factors: [{ kind: 'provider', at: bench.now(), category: 'know' }] },
    })
    expect(bench.events.at(-1)).toMatchObject({ type: 'session.created', accountId: id, factors: ['provider'] })
  })

  test.each(['token', 'native'] as const)(
    'a sign-in with a provider opens a family for delivery %s',
    async (delivery) => {
      const bench = createProvidersBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
      const { id } = await bench.insert()
      await bench.link(id)
      expect(await bench.byProvider({}, { delivery })).toMatchObject({ ok: true, credentials: { delivery } })
    },
  )

  test('a sign-in with a provider is refused a delivery that is not allowed, before any read', async () => {
    const bench = createProvidersBench({ aroundLinks: (store) => ({ ...store, get: () => expect.unreachable() }) })
    expect(await refusalOf(bench.byProvider({}, { delivery: 'native' }))).toMatchObject({
      code: 'DELIVERY_NOT_ALLOWED',
    })
  })

  test('a sign-in with a provider stores the device, and the session expires with the browser if requested', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const device = { userAgent: 'Mozilla/5.0', address: '203.0.113.9' }
    const sessionOf = async (request: object) => {
      const { credentials } = await successOf(bench.byProvider({}, request))
      return credentials.delivery === 'session' ? credentials.session : null
    }
    expect(await sessionOf({ device, persistent: false })).toMatchObject({ device, persistent: false })
    expect(await sessionOf({})).toMatchObject({ device: { userAgent: null, address: null }, persistent: true })
  })

  test.each(['session', 'token'] as const)(
    'a sign-in with a provider opens no session if its account changes meanwhile: %s',
    async (delivery) => {
      let change = async (): Promise<unknown> => undefined
      const bench = createProvidersBench({
        async aroundRecords(method, run) {
          if (method === 'insert') await change()
          return run()
        },
      })
      const { id } = await bench.insert()
      await bench.link(id)
      change = () => bench.store.replace(id, {}, { epoch: 9 })
      expect(await bench.byProvider({}, { delivery })).toEqual(invalidCredentials)
      expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: 'account-changed' })
      expect(await bench.sessions.list(id)).toEqual([])
    },
  )

  test('a sign-in with a provider revokes the session that it replaces', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const first = await successOf(bench.byProvider())
    if (first.credentials.delivery !== 'session') throw new Error('no session')
    const second = await successOf(bench.byProvider({}, { replaces: first.credentials.session }))
    expect((await bench.sessions.list(id)).map(({ key }) => key)).toEqual([second.identity.key])
  })

  test.each<[string, Partial<ProviderIdentity>]>([
    ['another user of the provider', { subject: '43' }],
    ['the same name at another provider', { issuer: otherIssuer }],
    ['the same provider in other letters', { issuer: issuer.toUpperCase() }],
    ['a slash behind the provider', { issuer: `${issuer}/` }],
    ['the two swapped', { issuer: '42', subject: issuer }],
    ['the address of the account', { subject: 'reader', email: 'reader@example.com', emailVerified: true }],
  ])('is refused, and changes nothing: %s', async (_what, shown) => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const before = await heldOf(bench, id)
    expect(await bench.byProvider(shown)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'unknown-account', accountId: null })
    expect(await heldOf(bench, id)).toEqual(before)
    expect((await bench.accounts.list()).items).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['a refusal', { ok: false }],
    ['no issuer', { issuer: '' }],
    ['no subject', { subject: undefined }],
    ['a subject that is no text', { subject: 42 }],
    ['a subject with half a character', { subject: '42\ud800' }],
    ['an issuer with a NUL', { issuer: `${issuer}\0` }],
    ['a subject that begins with a NUL', { subject: '\x0042' }],
    ['no binding', { binding: undefined }],
    ['an empty binding', { binding: '' }],
    ['no list of methods', { amr: 'mfa' }],
    ['a session that is no text', { sid: 7 }],
    ['a time that is none', { authenticatedAt: Number.NaN }],
    ['an issuer without end', { issuer: 'i'.repeat(1025) }],
  ])('takes nothing but a verdict that is ok: %s', async (_what, change) => {
    const bench = createProvidersBench()
    await expect(bench.byProvider(change as never)).rejects.toThrow('must be a verdict of "finish" that is "ok"')
  })

  test('takes names of 1024 characters', async () => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id, 's'.repeat(1024))
    expect(await bench.byProvider({ subject: 's'.repeat(1024) })).toMatchObject({ ok: true, account: { id } })
  })

  test('a sign-in with a provider is unavailable without the option', async () => {
    const { accounts, shown } = { ...createProvidersBench(), ...createFactorsBench() }
    const given = { ...shown(), ...session }
    const { identity } = { identity: { subject: 'acc', key: 'se_1' } }
    for (const call of [
      () => accounts.signInWithProvider(given),
      () => accounts.linkProvider({ ...shown(), identity }),
      () => accounts.confirmProvider({ ...shown(), identity }),
      () => accounts.unlinkProvider({ id: 'x', identity }),
      () => accounts.endProviderSessions({ issuer, subject: '42', sid: null }),
    ]) {
      expect(await refusalOf(call())).toMatchObject({ code: 'OPERATION_UNAVAILABLE' })
      await expect(call()).rejects.toThrow(needs('signIn.providers'))
    }
    expect(await accounts.linkedProviders('acc')).toEqual([])
  })
})

describe('a second factor of ours', () => {
  test('a second factor is requested after a provider, and completes the sign-in', async () => {
    const bench = createProvidersBench()
    const account = await bench.insert()
    await bench.link(account.id)
    const { secret } = await bench.enrollTotp(account)
    bench.advance(30)
    const open = (await bench.sessions.list(account.id)).length
    const challenge = await challengeOf(bench.byProvider({ sid: 's1' }))
    expect(await bench.sessions.list(account.id)).toHaveLength(open)
    const result = await bench.accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(secret) })
    expect(result).toMatchObject({ ok: true, identity: { factors: [{ kind: 'provider' }, { kind: 'totp' }] } })
    const provider = { issuer, subject: '42', sid: 's1' }
    expect((await bench.sessions.list(account.id)).filter((each) => each.provider)).toMatchObject([{ provider }])
  })

  test('a second factor is requested after a provider even on a remembered device', async () => {
    const bench = createProvidersBench({ options: { signIn: { trustedDevices: { days: 30 } } } })
    const account = await bench.insert()
    await bench.link(account.id)
    const { secret } = await bench.enrollTotp(account)
    bench.advance(30)
    const challenge = await challengeOf(bench.tryPassword())
    const code = bench.codeOf(secret)
    const given = { ...session, challenge, code, trustDevice: true }
    const remembered = await successOf(bench.accounts.verifySecondFactor(given))
    expect(remembered.trustedDeviceToken).not.toBeNull()
    const shown = { trustedDeviceToken: remembered.trustedDeviceToken } as object
    expect(await bench.byProvider({}, shown)).toMatchObject({ status: 'second-factor-required' })
  })

  test.each<[readonly string[], boolean, boolean]>([
    [['mfa'], true, true],
    [['pwd', 'otp'], true, true],
    [['fpt', 'hwk'], true, true],
    [['pwd'], true, false],
    [['otp'], true, false],
    [['hwk', 'swk'], true, false],
    [['pwd', 'pin'], true, false],
    [[], true, false],
    [['mfa'], false, false],
    [['fpt', 'hwk'], false, false],
  ])(
    'is spared by what a provider says that is trusted with it, and by nothing else: %j, %s',
    async (amr, isTrusted, isSpared) => {
      const bench = createProvidersBench({ providers: { trustedAmr: [isTrusted ? issuer : otherIssuer] } })
      const account = await bench.insert()
      await bench.link(account.id)
      await bench.enrollTotp(account)
      const status = isSpared ? 'signed-in' : 'second-factor-required'
      expect(await bench.byProvider({ amr })).toMatchObject({ status })
    },
  )
})

describe('the proof of a provider', () => {
  test.each<[string, number | null, number]>([
    ['is as old as the sign-in there', -1000, -1000],
    ['is of no later time than now', 60_000, 0],
  ])('%s', async (_what, since, at) => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const { identity } = await successOf(bench.byProvider({ authenticatedAt: bench.now() + (since ?? 0) }))
    expect(identity.factors).toEqual([{ kind: 'provider', at: bench.now() + at, category: 'know' }])
  })

  test('a proof without a time is not fresh unless undatedProofs names the issuer', async () => {
    for (const undatedProofs of [[], [issuer]]) {
      const bench = createProvidersBench({ providers: { undatedProofs } })
      const { id } = await bench.insert()
      await bench.link(id)
      const { identity } = await successOf(bench.byProvider({ authenticatedAt: null }))
      expect(identity.factors[0]?.at).toBe(undatedProofs.length === 0 ? 0 : bench.now())
    }
  })
})

test.each<[object, string]>([
  [{ providers: { newAccounts: 'open' } }, '"signIn.providers.newAccounts" must be'],
  [{ providers: { trustedAmr: 'all' } }, '"signIn.providers.trustedAmr" must be a list of issuers'],
  [{ providers: { undatedProofs: [''] } }, '"signIn.providers.undatedProofs" must be a list of issuers'],
  [{ providers: { trustedAmr: [7] } }, '"signIn.providers.trustedAmr" must be a list of issuers'],
  [{ providers: { trustAmr: [] } }, '"signIn.providers" has no option "trustAmr"'],
  [
    { options: { documents: undefined, signIn: { totp: undefined, passkeys: undefined } } },
    '"signIn.providers" needs "documents"',
  ],
])('an option that cannot be used is a TypeError: %j', (options, message) => {
  expect(() => createProvidersBench(options as never)).toThrow(TypeError)
  expect(() => createProvidersBench(options as never)).toThrow(message)
})
