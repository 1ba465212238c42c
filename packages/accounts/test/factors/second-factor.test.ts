import { allowNativeDelivery, unknownAttempt } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, newPassword, password, type TestOptions } from '../bench.ts'
import { challengeOf, createFactorsBench } from './factors-bench.ts'

const session = { delivery: 'session' } as const

describe('an account with an authenticator app', () => {
  test('gets a challenge for its password, and no credentials', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    await bench.enrollTotp(account)
    const open = await bench.accounts.listSessions(account.id)
    const events = bench.events.length
    const result = await bench.tryPassword()
    expect(result).toEqual({
      ok: true,
      status: 'second-factor-required',
      challenge: expect.stringMatching(/^factor_[\w-]{22}\.[\w-]{43}$/),
      factors: ['totp', 'recovery-code'],
    })
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
    expect(bench.events.slice(events)).toEqual([])
  })

  test.each(['session', 'token', 'native'] as const)('signs in with a code, delivered as %s', async (delivery) => {
    const bench = createFactorsBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    bench.advance(30)
    const challenge = await challengeOf(bench.tryPassword())
    const result = await bench.accounts.verifySecondFactor({ challenge, code: bench.codeOf(secret), delivery })
    expect(result).toMatchObject({
      ok: true,
      status: 'signed-in',
      account: { id: account.id },
      credentials: { delivery },
    })
    expect(result.ok && result.identity.factors).toEqual([
      { kind: 'password', at: bench.now(), category: 'know' },
      { kind: 'totp', at: bench.now(), category: 'have' },
    ])
    expect(result.ok && result.identity.enrolledFactors).toEqual(['totp'])
    expect(bench.events.at(-1)).toMatchObject({ type: 'session.created', delivery, accountId: account.id })
  })

  test('revokes the session that the browser had before', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const before = await bench.enrollTotp(account)
    bench.advance(30)
    const replaces = await bench.sessions.read(before.credential)
    const challenge = await challengeOf(bench.tryPassword())
    const answer = { ...session, challenge, code: bench.codeOf(before.secret), replaces }
    const result = await bench.accounts.verifySecondFactor(answer)
    const open = (await bench.sessions.list(account.id)).map(({ key }) => key)
    expect(open).toEqual([result.ok && result.identity.key])
  })

  test('signs in with a recovery code once, and its owner gets a mail', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { codes } = await bench.enrollTotp(account)
    expect(codes).toHaveLength(10)
    const [code = ''] = codes
    const first = await challengeOf(bench.tryPassword())
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge: first, code })).toMatchObject({ ok: true })
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ to: email, subject: 'A recovery code was used' })
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'recovery-code.used', remaining: 9 }))
    const second = await challengeOf(bench.tryPassword())
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge: second, code })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'factor-used' })
  })

  test('needs its factor after a reset of the password, which opens no session', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    await bench.enrollTotp(account)
    await bench.accounts.requestPasswordReset({ email })
    const reset = await bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword })
    expect(reset).toMatchObject({ ok: true, status: 'password-set' })
    expect(Object.keys(reset)).toEqual(['ok', 'status', 'account', 'deviceToken'])
    expect(await bench.accounts.listSessions(account.id)).toEqual([])
    const result = await bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })
    expect(result).toMatchObject({ ok: true, status: 'second-factor-required' })
  })

  test('needs its factor after a reset has verified its address', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    await bench.enrollTotp(account)
    await bench.store.replace(account.id, {}, { status: 'unverified' })
    await bench.accounts.requestPasswordReset({ email })
    await bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword })
    const result = await bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })
    expect(result).toMatchObject({ ok: true, status: 'second-factor-required' })
  })

  test('is disabled by a hundred wrong codes, mails its owner once, and still signs in with a recovery code', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { secret, codes } = await bench.enrollTotp(account)
    bench.advance(30)
    for (let wrong = 0; wrong < 100; wrong += 5) {
      const challenge = await challengeOf(bench.tryPassword())
      for (let tried = 0; tried < 5; tried++) {
        const code = bench.codeOf(secret, 40 + wrong + tried)
        await bench.accounts.verifySecondFactor({ ...session, challenge, code })
      }
    }
    expect(bench.events.filter(({ type }) => type === 'factor.disabled')).toHaveLength(1)
    const result = await bench.tryPassword()
    expect(result).toMatchObject({ ok: true, factors: ['recovery-code'] })
    expect(await bench.accounts.listFactors(account.id)).toMatchObject([
      { kind: 'totp', isDisabled: true },
      { kind: 'recovery-code', isDisabled: false },
    ])
    const challenge = await challengeOf(bench.tryPassword())
    const refused = await bench.accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(secret) })
    expect(refused).toEqual(invalidCredentials)
    const code = codes[0] ?? ''
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
  })
})

describe('a passkey', () => {
  test('a passkey that verifies its user signs in alone', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const added = await bench.addPasskey(await bench.signIn())
    expect(added.codes).toHaveLength(10)
    const response = await bench.showPasskey()
    const result = await bench.accounts.finishPasskeySignIn({ ...session, response })
    expect(result).toMatchObject({ ok: true, status: 'signed-in', account: { id: account.id } })
    expect(result.ok && result.status === 'signed-in' && result.identity.factors).toEqual([
      { kind: 'passkey', at: bench.now(), category: 'know+have' },
    ])
    expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toEqual(invalidCredentials)
  })

  test('a passkey signs in only with the secret of the browser that requested the ceremony', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    await bench.addPasskey(await bench.signIn())
    const begun = await bench.accounts.startPasskeySignIn({ binding: 'its own' })
    const response = await bench.authenticator.get((begun.ok && begun.options) as never)
    const finish = (binding?: string | null) =>
      bench.accounts.finishPasskeySignIn({ ...session, response, ...(binding !== undefined && { binding }) })
    for (const binding of [undefined, null, '', 'of another']) {
      expect(await finish(binding)).toEqual(invalidCredentials)
      const event = { type: 'second-factor.failed', factor: 'passkey', reason: 'passkey-binding', accountId: null }
      expect(bench.events.at(-1)).toMatchObject(event)
    }
    expect(await finish('its own')).toMatchObject({ ok: true, status: 'signed-in' })
  })

  test('a passkey counts as a second factor after the password', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    await bench.addPasskey(await bench.signIn())
    const asked = await bench.tryPassword()
    expect(asked).toMatchObject({ status: 'second-factor-required', factors: ['passkey', 'recovery-code'] })
    const challenge = await challengeOf(Promise.resolve(asked))
    const response = await bench.showPasskey(challenge)
    const result = await bench.accounts.finishPasskeySignIn({ ...session, challenge, response })
    expect(result).toMatchObject({ ok: true, status: 'signed-in' })
  })

  test('a passkey whose counter went back is refused, and its event names the account', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    await bench.addPasskey(await bench.signIn())
    const show = async (counter: number) => {
      const start = await bench.accounts.startPasskeySignIn({})
      const response = await bench.authenticator.get((start.ok && start.options) as never, { counter })
      return bench.accounts.finishPasskeySignIn({ ...session, response })
    }
    expect(await show(7)).toMatchObject({ ok: true })
    for (const counter of [7, 6, 0]) {
      expect(await show(counter)).toEqual(invalidCredentials)
      const event = { type: 'second-factor.failed', factor: 'passkey', reason: 'passkey-counter', accountId: id }
      expect(bench.events.at(-1)).toMatchObject(event)
    }
    expect(await show(8)).toMatchObject({ ok: true })
  })

  test('a passkey without user verification is one factor and opens no session', async () => {
    const bench = createFactorsBench({ userVerification: 'preferred' })
    await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startPasskeyRegistration({ identity })
    const response = await bench.authenticator.create((begun.ok && begun.options) as never)
    await bench.accounts.finishPasskeyRegistration({ identity, name: 'Key', response })
    const start = await bench.accounts.startPasskeySignIn({})
    const shown = await bench.authenticator.get((start.ok && start.options) as never, { userVerified: false })
    expect(await bench.accounts.finishPasskeySignIn({ ...session, response: shown })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'second-factor-required' })
  })

  test.each(['disabled', 'locked', 'unverified'] as const)(
    'a passkey of an account that is %s opens no session',
    async (status) => {
      const bench = createFactorsBench()
      const { id } = await bench.insert()
      await bench.addPasskey(await bench.signIn())
      await bench.store.replace(id, {}, { status })
      const response = await bench.showPasskey()
      expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toEqual(invalidCredentials)
      expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: status, accountId: id })
    },
  )

  test('a passkey of another account answers no challenge', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    const other = await bench.insert({ email: 'other@example.com' })
    await bench.addPasskey(await bench.signIn())
    await bench.enrollTotp(other)
    const theirs = await challengeOf(bench.accounts.signIn({ email: other.email, password, delivery: 'session' }))
    const response = await bench.showPasskey()
    const answer = bench.accounts.finishPasskeySignIn({ ...session, challenge: theirs, response })
    expect(await answer).toEqual(invalidCredentials)
    expect(await bench.accounts.startPasskeySignIn({ challenge: theirs })).toEqual(invalidCredentials)
  })

  test('a passkey ceremony that was started for a challenge is refused without it', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    await bench.addPasskey(await bench.signIn())
    const challenge = await challengeOf(bench.tryPassword())
    const response = await bench.showPasskey(challenge)
    expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'passkey-binding' })
  })

  test.each([
    ['null', null],
    ['a number', 7],
    ['a text', 'passkey'],
    ['a long text', 'a'.repeat(100_000)],
    ['a prototype', JSON.parse('{"__proto__":{"id":"x"}}')],
  ])('a passkey response that is %s is refused and opens no session', async (_what, response) => {
    const bench = createFactorsBench()
    await bench.insert()
    expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toEqual(invalidCredentials)
  })
})

describe('the column of the account', () => {
  test('loses a factor that was never confirmed at the next sign-in', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    await bench.store.replace(id, {}, { enrolled: ['totp'] })
    expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in', identity: { enrolledFactors: [] } })
    expect(await bench.store.get(id)).toMatchObject({ enrolled: [], epoch: 0 })
  })

  test('gets a missing factor at a sign-in, which still requests the factor', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    await bench.enrollTotp(account)
    await bench.store.replace(account.id, {}, { enrolled: [] })
    expect(await bench.tryPassword()).toMatchObject({ status: 'second-factor-required' })
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: ['totp'] })
  })

  test('keeps a kind of factor that this release does not know, and lets no sign-in past it', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    await bench.store.replace(id, {}, { enrolled: ['voice'] })
    expect(await bench.tryPassword()).toEqual(invalidCredentials)
    expect(await bench.store.get(id)).toMatchObject({ enrolled: ['voice'] })
  })
})

describe('a service without second factors', () => {
  test.each([
    ['verifySecondFactor', { challenge: '', code: '', delivery: 'session' }],
    ['startTotpEnrollment', { identity: { subject: 'acc_1' } }],
    ['confirmTotpEnrollment', { identity: { subject: 'acc_1' }, code: '123456' }],
    ['disableTotp', { identity: { subject: 'acc_1' }, code: '123456' }],
    ['regenerateRecoveryCodes', { identity: { subject: 'acc_1' } }],
    ['startPasskeyRegistration', { identity: { subject: 'acc_1' } }],
    ['finishPasskeyRegistration', { identity: { subject: 'acc_1' }, name: 'Phone', response: {} }],
    ['startPasskeySignIn', {}],
    ['finishPasskeySignIn', { response: {}, delivery: 'session' }],
    ['finishPasskeySignIn', { response: {}, delivery: 'session', challenge: 'none' }],
    ['removePasskey', { identity: { subject: 'acc_1' }, id: 'x' }],
  ] as const)('refuses %s', async (name, input) => {
    const bench = createFactorsBench({}, () => ({}))
    const useCase = bench.unnamed[name] as (input: object) => Promise<unknown>
    await expect(useCase({ ...input, attempt: unknownAttempt })).rejects.toMatchObject({
      name: 'AccountsError',
      code: 'FACTOR_UNAVAILABLE',
    })
  })

  test('lists none', async () => {
    const bench = createFactorsBench({}, () => ({}))
    expect(await bench.accounts.listFactors('acc_1')).toEqual([])
    expect(await bench.accounts.listPasskeys('acc_1')).toEqual([])
  })

  test.each([
    ['signIn.recoveryCodes', (recoveryCodes: unknown) => ({ signIn: { recoveryCodes } })],
    ['documents', (documents: unknown) => ({ documents })],
  ])('cannot be created with a factor and without "%s"', (name, change) => {
    for (const part of [undefined, {}]) {
      const create = () => createFactorsBench({ options: change(part) as TestOptions })
      expect(create).toThrow(TypeError)
      expect(create).toThrow(`"${name}"`)
    }
  })
})
