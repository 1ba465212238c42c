import { storedVersion } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, password } from '../bench.ts'
import { type AroundRecords, delay } from '../stores/test-stores.ts'
import { challengeOf, createFactorsBench, type FactorsBench } from './factors-bench.ts'
import { inDigitsFrom } from './in-digits-from.ts'

const session = { delivery: 'session' } as const

/** An account with an authenticator app, signed in on one device, and a challenge for another one. */
async function challenged(bench: FactorsBench = createFactorsBench()) {
  const account = await bench.insert()
  const enrolled = await bench.enrollTotp(account)
  bench.advance(30)
  const challenge = await challengeOf(bench.tryPassword())
  return { bench, account, enrolled, challenge, code: bench.codeOf(enrolled.secret) }
}

const openKeys = async ({ accounts }: FactorsBench, id: string): Promise<readonly string[]> =>
  (await accounts.listSessions(id)).map(({ key }) => key)

describe('a challenge', () => {
  test('a challenge expires after five minutes', async () => {
    for (const [seconds, ok] of [
      [299, true],
      [300, false],
    ] as const) {
      const { bench, enrolled, challenge } = await challenged()
      bench.advance(seconds)
      const answer = bench.accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(enrolled.secret) })
      expect(await answer).toMatchObject({ ok })
      if (!ok) expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'challenge-ended' })
    }
  })

  test('a challenge is answered once', async () => {
    const { bench, account, challenge, code, enrolled } = await challenged()
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
    const open = await openKeys(bench, account.id)
    bench.advance(30)
    for (const again of [code, bench.codeOf(enrolled.secret), enrolled.codes[0] ?? '']) {
      expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code: again })).toEqual(
        invalidCredentials,
      )
    }
    expect(await openKeys(bench, account.id)).toEqual(open)
  })

  test('a challenge accepts a right fifth code, and is invalid after five wrong codes', async () => {
    for (const wrong of [4, 5]) {
      const { bench, account, challenge, enrolled } = await challenged()
      const open = await openKeys(bench, account.id)
      for (let tried = 0; tried < wrong; tried++) {
        const code = bench.codeOf(enrolled.secret, 40 + tried)
        expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
      }
      const code = bench.codeOf(enrolled.secret)
      const answer = await bench.accounts.verifySecondFactor({ ...session, challenge, code })
      expect(answer.ok).toBe(wrong === 4)
      expect(await openKeys(bench, account.id)).toHaveLength(open.length + (wrong === 4 ? 1 : 0))
    }
  })

  test('a challenge tests at most five codes in parallel', async () => {
    const { bench, challenge, enrolled } = await challenged(
      createFactorsBench({ aroundRecords: delay, aroundAccounts: delay }),
    )
    const codes = Array.from({ length: 50 }, (_, index) => bench.codeOf(enrolled.secret, 100 + index))
    await Promise.all(codes.map((code) => bench.accounts.verifySecondFactor({ ...session, challenge, code })))
    const failed = bench.events.filter(({ type }) => type === 'second-factor.failed')
    const reasons = failed.map((event) => 'reason' in event && event.reason)
    expect(reasons.filter((reason) => reason === 'factor-wrong')).toHaveLength(5)
    expect(reasons.filter((reason) => reason === 'challenge-ended')).toHaveLength(45)
  })

  test.each(['the same code', 'a code and a recovery code', 'ten recovery codes'])(
    'fifty parallel answers of %s to a challenge sign in exactly once',
    async (what) => {
      for (let round = 0; round < 5; round++) {
        const { bench, account, challenge, code, enrolled } = await challenged(
          createFactorsBench({ aroundRecords: delay, aroundAccounts: delay }),
        )
        const open = await openKeys(bench, account.id)
        const codes = what === 'the same code' ? [code] : [code, enrolled.codes[0] ?? '']
        const shown = what === 'ten recovery codes' ? enrolled.codes : codes
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            bench.accounts.verifySecondFactor({ ...session, challenge, code: shown[index % shown.length] ?? '' }),
          ),
        )
        expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
        expect(await openKeys(bench, account.id)).toHaveLength(open.length + 1)
      }
    },
  )

  test('a challenge gets its try back if its code was just accepted for another challenge', async () => {
    const { bench, challenge, code, enrolled } = await challenged()
    const overtaken = { ok: false, reason: 'overtaken' } as const
    const other = createFactorsBench({}, (parts) => ({
      ...parts,
      totp: { ...(parts.totp as NonNullable<typeof parts.totp>), verify: async () => overtaken },
    }))
    const account = await other.insert()
    await other.enrollTotp(account)
    const asked = await challengeOf(other.tryPassword())
    for (let tried = 0; tried < 20; tried++) {
      await other.accounts.verifySecondFactor({ ...session, challenge: asked, code: '123456' })
    }
    expect(other.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'factor-overtaken' })
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
    expect(enrolled.codes).toHaveLength(10)
  })

  test('a challenge of one account rejects a code of another account', async () => {
    const { bench, enrolled } = await challenged()
    const other = await bench.insert({ email: 'other@example.com' })
    await bench.enrollTotp(other)
    bench.advance(30)
    const theirs = bench.accounts.signIn({ email: other.email, password, delivery: 'session' })
    const challenge = await challengeOf(theirs)
    for (const code of [bench.codeOf(enrolled.secret), enrolled.codes[0] ?? '']) {
      expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
    }
    expect(await bench.accounts.listFactors(other.id)).toHaveLength(2)
  })

  test.each([
    ['a new password', (bench: FactorsBench, id: string) => bench.store.replace(id, {}, { epoch: 9 })],
    ['a disabled account', (bench: FactorsBench, id: string) => bench.store.replace(id, {}, { status: 'disabled' })],
    ['a locked account', (bench: FactorsBench, id: string) => bench.store.replace(id, {}, { status: 'locked' })],
    ['an account that is gone', (bench: FactorsBench, id: string) => bench.store.remove(id)],
  ])('a challenge is invalid after %s, and no code is spent', async (_what, change) => {
    const { bench, account, challenge, enrolled } = await challenged()
    await change(bench, account.id)
    const code = enrolled.codes[0] ?? ''
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
    expect(bench.events.some(({ type }) => type === 'recovery-code.used')).toBe(false)
    const left = (await bench.accounts.listFactors(account.id)).find(({ kind }) => kind === 'recovery-code')
    expect(left?.lastUsedAt).toBeNull()
  })

  test('a challenge is no credential, and a credential is no challenge', async () => {
    const { bench, account, challenge, code, enrolled } = await challenged()
    expect(await bench.sessions.read(challenge)).toBeNull()
    expect(await bench.accounts.refresh({ token: challenge, channel: 'cookie' })).toEqual(invalidCredentials)
    expect(await bench.accounts.refresh({ token: challenge, channel: 'native' }).catch(({ code }) => code)).toBe(
      'DELIVERY_NOT_ALLOWED',
    )
    expect(await bench.refreshTokens.identify(challenge)).toBeNull()
    expect(await bench.accounts.signOut({ refreshToken: challenge })).toBe(false)
    expect(
      await bench.accounts.resetPassword({ token: challenge, newPassword: 'seven kettles hum along' }),
    ).toMatchObject({ ok: false })
    const { refreshToken } = (await bench.refreshTokens
      .issue({ subject: account.id, clientId: 'first-party', factors: [] })
      .then(({ token }) => ({ refreshToken: token }))) as { refreshToken: string }
    for (const shown of [enrolled.credential, refreshToken]) {
      expect(await bench.accounts.verifySecondFactor({ ...session, challenge: shown, code })).toEqual(
        invalidCredentials,
      )
    }
  })

  test.each([
    ['nothing', ''],
    ['null', null],
    ['a number', 7],
    ['a key without its secret', 'factor_AAAAAAAAAAAAAAAAAAAAAA'],
    ['another secret', 'factor_AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a long text', 'factor_'.repeat(100_000)],
    ['white space around it', ' factor_AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA '],
  ])('a challenge that is %s is refused', async (_what, challenge) => {
    const { bench, code } = await challenged()
    const input = { ...session, challenge: challenge as string, code }
    expect(await bench.accounts.verifySecondFactor(input)).toEqual(invalidCredentials)
    expect(await bench.accounts.startPasskeySignIn({ challenge: `${challenge}` })).toEqual(invalidCredentials)
  })

  test('a challenge with the right key and another secret is refused and keeps its tries', async () => {
    const { bench, challenge, code } = await challenged()
    const forged = `${challenge.slice(0, challenge.indexOf('.'))}.${'A'.repeat(43)}`
    for (let tried = 0; tried < 10; tried++) {
      expect(await bench.accounts.verifySecondFactor({ ...session, challenge: forged, code })).toEqual(
        invalidCredentials,
      )
    }
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
  })

  test.each([
    ['nothing', ''],
    ['a number', 123456],
    ['null', null],
    ['digits in circles', '①②③④⑤⑥'],
    ['seven digits', '1234567'],
    ['a long text', '1'.repeat(100_000)],
    ['an object', { toString: () => '123456' }],
  ])('takes %s as a wrong code, which costs a try', async (_what, shown) => {
    const { bench, challenge, code } = await challenged()
    for (let tried = 0; tried < 5; tried++) {
      const answer = bench.accounts.verifySecondFactor({ ...session, challenge, code: shown as string })
      expect(await answer).toEqual(invalidCredentials)
    }
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
  })

  test.each<[string, (code: string) => string]>([
    ['spaces', (code) => ` ${code.slice(0, 3)} ${code.slice(3)} `],
    ['a dash', (code) => `${code.slice(0, 3)}\u2011${code.slice(3)}`],
    ['marks of direction', (code) => `\u2067${code}\u2069`],
    ['full-width digits', (code) => inDigitsFrom(0xff10, code)],
    ['Persian digits', (code) => inDigitsFrom(0x06f0, code)],
  ])('takes a code with %s', async (_what, write) => {
    const { bench, challenge, code } = await challenged()
    const shown = { ...session, challenge, code: write(code) }
    expect(await bench.accounts.verifySecondFactor(shown)).toMatchObject({ ok: true })
  })

  test('holds no secret in its record', async () => {
    const { bench, challenge } = await challenged()
    const record = await bench.records.get(challenge.slice(0, challenge.indexOf('.')))
    expect(record?.owner).toBeNull()
    expect(record?.value).not.toContain(challenge.slice(challenge.indexOf('.') + 1))
    expect(JSON.parse(record?.value ?? '')).toMatchObject({ v: storedVersion, purpose: 'sign-in', tries: 0 })
  })

  test.each([
    ['is of a newer release', (value: object) => JSON.stringify({ ...value, v: storedVersion + 1 }), 'NEWER'],
    ['is damaged', () => '{"secretHash":', 'INVALID'],
    ['has another purpose', (value: object) => JSON.stringify({ ...value, purpose: 'all' }), 'INVALID'],
    [
      'names a provider that is none',
      (value: object) => JSON.stringify({ ...value, provider: { issuer: 7 } }),
      'INVALID',
    ],
    [
      'has a proof of a category that is no text',
      (value: object) => JSON.stringify({ ...value, proven: [{ kind: 'password', at: 0, category: 7 }] }),
      'INVALID',
    ],
  ])('a stored challenge is an outage if it %s', async (_how, damage, code) => {
    const { bench, challenge, code: shown } = await challenged()
    const record = await bench.records.get(challenge.slice(0, challenge.indexOf('.')))
    if (!record) throw new Error('no record')
    const value = damage(JSON.parse(record.value))
    await bench.records.replace(record, { value, expiresAt: record.expiresAt })
    const answer = bench.accounts.verifySecondFactor({ ...session, challenge, code: shown })
    const refusal = { name: 'StoreError', code: `STORE_DATA_${code}`, message: expect.stringContaining('challenge') }
    await expect(answer).rejects.toMatchObject(refusal)
  })
  test('a challenge accepts proofs without a category, as an older release has written them', async () => {
    const { bench, challenge, code } = await challenged()
    const record = await bench.records.get(challenge.slice(0, challenge.indexOf('.')))
    if (!record) throw new Error('no record')
    const value = { ...JSON.parse(record.value), proven: [{ kind: 'password', at: 0 }] }
    await bench.records.replace(record, { value: JSON.stringify(value), expiresAt: record.expiresAt })
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
  })

  test('a challenge expires by the clock of the service, even if the store still has it', async () => {
    let ahead = 0
    const clock: { now?: () => number } = {}
    const bench = createFactorsBench({ options: { now: () => (clock.now?.() ?? 0) + ahead } })
    clock.now = bench.now
    const { challenge, code } = await challenged(bench)
    ahead = 300_000
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'challenge-ended' })
    ahead = 299_999
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
  })

  test.each(['insert', 'replace'] as const)(
    'a challenge is an outage if the store refuses to %s it',
    async (refused) => {
      let refuses = false
      const aroundRecords: AroundRecords = (method, run) =>
        refuses && method === refused ? Promise.resolve(false) : run()
      const { bench, challenge, code } = await challenged(createFactorsBench({ aroundRecords }))
      refuses = true
      const asked =
        refused === 'insert' ? bench.tryPassword() : bench.accounts.verifySecondFactor({ ...session, challenge, code })
      await expect(asked).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
    },
  )
})
