import { canonicalEmail } from '@latchkey/accounts'
import { signInTransitions } from '@latchkey/accounts/internal'
import { createMemoryCounterStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  type Bench,
  createBench,
  email,
  invalidCredentials,
  joinOptions,
  needs,
  newPassword,
  password,
  presentedBy,
  refusalOf,
  type SignInOptions,
} from '../bench.ts'
import { challengeOf, createFactorsBench } from '../factors/factors-bench.ts'
import { inDigitsFrom } from '../factors/in-digits-from.ts'
import { askForCode, byCode, nextTo, showCode } from './mailed-codes.ts'

const session = { delivery: 'session' } as const
const create = (): Bench => createBench({ options: byCode })
const openOf = async ({ sessions }: Bench, id: string) => (await sessions.list(id)).map(({ key }) => key)
const stranger = 'nobody@example.com'

describe('a code of a mail', () => {
  test('a code signs in with the requested delivery, and is a factor of the session', async () => {
    const bench = create()
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    expect(shown.code).toMatch(/^\d{8}$/)
    const result = await showCode(bench, shown)
    expect(result).toMatchObject({
      ok: true,
      status: 'signed-in',
      account: { id },
      credentials: { delivery: 'session' },
      identity: { subject: id, factors: [{ kind: 'email-code', at: bench.now(), category: 'know' }] },
    })
    expect(bench.events.at(-1)).toMatchObject({ type: 'session.created', accountId: id, factors: ['email-code'] })
    expect(await openOf(bench, id)).toHaveLength(1)
  })

  test('is drawn from all numbers of eight digits', async () => {
    const bench = create()
    await bench.insert()
    const codes = new Set<string>()
    for (let asked = 0; asked < 40; asked++) {
      codes.add((await askForCode(bench)).code)
      bench.advance(3600)
    }
    expect(codes.size).toBe(40)
    expect([...codes].every((code) => /^\d{8}$/.test(code))).toBe(true)
    expect(new Set([...codes].map((code) => code[0])).size).toBeGreaterThan(3)
  })

  test.each([
    ['in two groups', (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`],
    ['with a line break behind it', (code: string) => `${code}\n`],
    ['in two groups with a dash', (code: string) => `${code.slice(0, 4)}\u2013${code.slice(4)}`],
    ['in full-width digits', (code: string) => inDigitsFrom(0xff10, code)],
    [
      'in Arabic-Indic digits between marks of direction',
      (code: string) => `\u2067${inDigitsFrom(0x0660, code)}\u2069`,
    ],
    ['in Persian digits', (code: string) => inDigitsFrom(0x06f0, code)],
    ['in mathematical digits', (code: string) => inDigitsFrom(0x1d7e2, code)],
    ['with spaces, 100 characters in all', (code: string) => code.padEnd(100)],
  ])('is accepted in every form in which people copy it: %s', async (_how, write) => {
    const bench = create()
    await bench.insert()
    const { challenge, code } = await askForCode(bench)
    expect(await showCode(bench, { challenge, code: write(code) })).toMatchObject({ ok: true })
  })

  test('a text of more than 100 characters is not a code', async () => {
    const bench = create()
    await bench.insert()
    const { challenge, code } = await askForCode(bench)
    expect(await showCode(bench, { challenge, code: code.padEnd(101) })).toEqual(invalidCredentials)
  })

  test('works once', async () => {
    const bench = create()
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    expect(await showCode(bench, shown)).toMatchObject({ ok: true })
    expect(await showCode(bench, shown)).toEqual(invalidCredentials)
    expect(await openOf(bench, id)).toHaveLength(1)
  })

  test('a code that is presented fifty times in parallel signs in once', async () => {
    const bench = create()
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    const results = await Promise.all(Array.from({ length: 50 }, () => showCode(bench, shown)))
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    expect(results.filter(({ ok }) => !ok)).toEqual(Array(49).fill(invalidCredentials))
    expect(await openOf(bench, id)).toHaveLength(1)
    const reasons = bench.events.flatMap((event) => (event.type === 'sign-in.failed' ? [event.reason] : []))
    expect(new Set(reasons)).toEqual(new Set(['factor-overtaken', 'challenge-ended']))
  })

  test('a challenge is invalid after five wrong codes, and not after four', async () => {
    for (const [wrong, ok] of [
      [4, true],
      [5, false],
    ] as const) {
      const bench = create()
      const { id } = await bench.insert()
      const { challenge, code } = await askForCode(bench)
      for (let tried = 0; tried < wrong; tried++)
        expect(await showCode(bench, { challenge, code: nextTo(code) })).toEqual(invalidCredentials)
      expect(await showCode(bench, { challenge, code })).toMatchObject({ ok })
      expect(await openOf(bench, id)).toHaveLength(ok ? 1 : 0)
    }
  })

  test('at most five of fifty parallel wrong codes are tested', async () => {
    const bench = create()
    await bench.insert()
    const { challenge, code } = await askForCode(bench)
    const wrong = Array.from({ length: 50 }, () => showCode(bench, { challenge, code: nextTo(code) }))
    expect((await Promise.all(wrong)).every(({ ok }) => !ok)).toBe(true)
    const reasons = bench.events.flatMap((event) => (event.type === 'sign-in.failed' ? [event.reason] : []))
    expect(reasons.filter((reason) => reason === 'factor-wrong')).toHaveLength(5)
  })

  test('a challenge has five tries even if they start before its mail is written', async () => {
    let write = (): void => undefined
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    const counted = createMemoryCounterStore({ now: () => bench.now() })
    const counters = {
      ...counted,
      hit: async (...given: Parameters<typeof counted.hit>) => {
        if (given[0].startsWith('mail:')) await written
        return counted.hit(...given)
      },
    }
    const bench: Bench = createBench({ options: { ...byCode, counters } })
    await bench.insert()
    const { challenge } = await bench.accounts.requestSignInCode({ email })
    expect(await showCode(bench, { challenge, code: '00000000' })).toEqual(invalidCredentials)
    bench.advance(2)
    write()
    await bench.accounts.settled()
    const mail = bench.outbox.at(-1)
    const code = mail?.kind === 'sign-in-code' ? mail.data.code : ''
    for (let tried = 0; tried < 4; tried++)
      expect(await showCode(bench, { challenge, code: nextTo(code) })).toEqual(invalidCredentials)
    // The code still works, and the window of a lifetime in which the first try was made is over.
    bench.advance(599)
    expect(await showCode(bench, { challenge, code })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'challenge-ended' })
  })

  test.each<[NonNullable<SignInOptions['emailCode']>, number, boolean]>([
    [{}, 599, true],
    [{}, 600, false],
    [{ lifetimeSeconds: 60 }, 59, true],
    [{ lifetimeSeconds: 60 }, 60, false],
  ])('works for as long as the option says: %j after %i seconds', async (emailCode, seconds, ok) => {
    const bench = createBench({ options: { signIn: { emailCode } } })
    await bench.insert()
    const shown = await askForCode(bench)
    expect(bench.outbox.at(-1)?.data).toMatchObject({ minutes: emailCode.lifetimeSeconds === 60 ? 1 : 10 })
    bench.advance(seconds)
    expect(await showCode(bench, shown)).toMatchObject({ ok })
  })

  test('a code expires by the clock of the service, whichever time the records have', async () => {
    let time = 1_800_000_000_000
    const bench = createBench({ options: { ...byCode, now: () => time } })
    await bench.insert()
    const shown = await askForCode(bench)
    time += 600_000
    expect(await showCode(bench, shown)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'challenge-ended' })
  })

  test.each<[string, (challenge: string) => unknown]>([
    ['nothing', () => null],
    ['what another browser has got, of another code', () => 'other'],
    ['a text of the same form', () => `mailcode_${'A'.repeat(22)}.${'A'.repeat(43)}`],
    ['the key alone', (challenge) => challenge.split('.')[0]],
    ['the key with another secret', (challenge) => `${challenge.split('.')[0]}.${'A'.repeat(43)}`],
    ['the same in upper case', (challenge) => challenge.toUpperCase()],
    ['more than the text', (challenge) => `${challenge}A`],
    ['an array', (challenge) => [challenge]],
    ['an object', (challenge) => ({ toString: () => challenge })],
    ['a number', () => 7],
  ])('is refused without what the asking browser has: %s', async (_what, write) => {
    const bench = create()
    const { id } = await bench.insert()
    const other = await askForCode(bench)
    const shown = await askForCode(bench)
    const written = write(shown.challenge)
    const challenge = written === 'other' ? other.challenge : written
    expect(await showCode(bench, { code: shown.code, challenge: challenge as string })).toEqual(invalidCredentials)
    expect(await openOf(bench, id)).toEqual([])
    // Nothing was used up by it.
    expect(await showCode(bench, shown)).toMatchObject({ ok: true })
  })

  test.each<[string, unknown]>([
    ['nothing', ''],
    ['null', null],
    ['an array', ['12345678']],
    ['an object', { $ne: '' }],
    ['a number', 12_345_678],
    ['digits in circles', '①②③④⑤⑥⑦⑧'],
    ['a long text', '1'.repeat(100_000)],
    ['control characters', '1234\u00005678'],
    ['a code with a sign', '+12345678'],
  ])('is refused where it is none: %s', async (_what, code) => {
    const bench = create()
    const { id } = await bench.insert()
    const { challenge } = await askForCode(bench)
    expect(await showCode(bench, { challenge, code: code as string })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: 'factor-wrong' })
    expect(await openOf(bench, id)).toEqual([])
  })

  test('a code of one account does not sign in to another', async () => {
    const bench = create()
    const { id } = await bench.insert()
    const other = await bench.insert({ email: 'other@example.com' })
    const shown = await askForCode(bench)
    for (const address of ['other@example.com', stranger, 'no address', '']) {
      expect(await showCode(bench, { ...shown, email: address })).toEqual(invalidCredentials)
    }
    expect([await openOf(bench, id), await openOf(bench, other.id)]).toEqual([[], []])
  })

  test.each<[string, (bench: Bench, id: string) => Promise<unknown>]>([
    ['a new password', ({ store }, id) => store.replace(id, {}, { passwordHash: null, epoch: 1 })],
    ['other roles', ({ accounts }, id) => accounts.setRoles({ id, roles: ['AUTHOR'] })],
    [
      'the end of all sessions',
      ({ accounts }, id) => accounts.revokeAllSessions({ identity: { subject: id }, exceptCurrent: false }),
    ],
  ])('that was requested before %s is void', async (_what, change) => {
    const bench = create()
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    await change(bench, id)
    expect(await showCode(bench, shown)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'account-changed' })
    expect(await openOf(bench, id)).toEqual([])
  })

  test('a code is stored only as a keyed hash, and is in no event', async () => {
    const bench = create()
    await bench.insert()
    const { challenge, code } = await askForCode(bench)
    const [key = '', secret = ''] = challenge.split('.')
    const record = await bench.records.get(key)
    await showCode(bench, { challenge, code: nextTo(code) })
    await showCode(bench, { challenge, code })
    expect(record?.value).toBeTypeOf('string')
    const kept = JSON.stringify([record, bench.events])
    for (const canary of [code, nextTo(code), secret, email]) expect(kept).not.toContain(canary)
  })
})

describe('a request for a code', () => {
  test.each<[string, (bench: Bench) => Promise<unknown>, string]>([
    ['that no account has', async () => undefined, stranger],
    ['that is none', async () => undefined, 'two@example.com,three@example.com'],
    ['of an account that was never verified', (bench) => bench.insert({ status: 'unverified' }), email],
    ['of a disabled account', (bench) => bench.insert({ status: 'disabled' }), email],
    ['of a locked account', (bench) => bench.insert({ status: 'locked' }), email],
  ])('is answered the same for an address %s, and nothing is stored or sent', async (_what, prepare, address) => {
    const calls: string[] = []
    const bench = createBench({
      options: byCode,
      aroundRecords: async (method, run) => {
        calls.push(method)
        return run()
      },
    })
    await prepare(bench)
    const result = await bench.accounts.requestSignInCode({ email: address })
    await bench.accounts.settled()
    const ofAccount = create()
    await ofAccount.insert()
    const known = await ofAccount.accounts.requestSignInCode({ email })
    expect(Object.keys(result)).toEqual(Object.keys(known))
    expect(result).toEqual({ accepted: true, challenge: expect.stringMatching(/^mailcode_[\w-]{22}\.[\w-]{43}$/) })
    expect(known.challenge).toMatch(/^mailcode_[\w-]{22}\.[\w-]{43}$/)
    expect([bench.outbox, calls, bench.events.map(({ type }) => type)]).toEqual([[], [], ['sign-in-code.requested']])
  })

  test('a request for a code writes no store before the answer, whether or not an account exists', async () => {
    const calls: string[] = []
    const bench = createBench({
      options: { ...byCode, mails: { maxDelayMs: 50 } },
      aroundRecords: async (method, run) => {
        calls.push(method)
        return run()
      },
    })
    await bench.insert()
    await bench.accounts.requestSignInCode({ email })
    expect([calls, bench.outbox]).toEqual([[], []])
    await bench.accounts.settled()
    expect(calls).toEqual(['insert'])
    expect(bench.outbox).toMatchObject([{ kind: 'sign-in-code', to: email, url: null }])
  })

  test('sends three mails an hour, and three more for a device that the account knows', async () => {
    const bench = create()
    await bench.insert()
    const { deviceToken } = await bench.signIn()
    bench.outbox.length = 0
    for (let asked = 0; asked < 5; asked++) await askForCode(bench)
    expect(bench.outbox).toHaveLength(3)
    expect(bench.events.at(-1)).toMatchObject({ type: 'mail.withheld', purpose: 'sign-in-code' })
    for (let asked = 0; asked < 5; asked++) await askForCode(bench, { attempt: presentedBy(deviceToken) })
    expect(bench.outbox).toHaveLength(6)
    expect(new Set(bench.outbox.map(({ kind }) => kind))).toEqual(new Set(['sign-in-code']))
  })

  test('a request for a code emits an event with its origin, and the account if it exists', async () => {
    const bench = create()
    const { id } = await bench.insert()
    for (const [address, accountId] of [
      [email, id],
      [stranger, null],
      ['no address', null],
    ] as const) {
      await askForCode(bench, { address, attempt: { ...presentedBy(null), address: '192.0.2.1' } })
      const said = bench.events.filter(({ type }) => type === 'sign-in-code.requested')
      expect(said.at(-1)).toMatchObject({ accountId, address: '192.0.2.1', channel: 'native' })
    }
    expect(JSON.stringify(bench.events)).not.toMatch(/@|no address/)
  })

  test('the mail of a code is in the language that the browser requests', async () => {
    const de = {
      'sign-in-code': ({ code, minutes }: { readonly code: string; readonly minutes: number }) => ({
        subject: 'Ihr Code',
        paragraphs: [`${code}, ${minutes} Minuten`],
      }),
    }
    const bench = createBench({ options: { ...byCode, mails: { texts: { de } } } })
    await bench.insert()
    const { code } = await askForCode(bench, { attempt: { ...presentedBy(null), locale: 'de-AT' } })
    expect(bench.outbox.at(-1)).toMatchObject({ locale: 'de', subject: 'Ihr Code', text: `${code}, 10 Minuten` })
  })

  test('finds the account however its address is written', async () => {
    const bench = create()
    await bench.insert()
    const written = ' READER@Example.COM '
    expect(canonicalEmail(written)).toBe(email)
    const shown = await askForCode(bench, { address: written })
    expect(await showCode(bench, { ...shown, email: written })).toMatchObject({ ok: true })
  })
})

describe('a sign-in by a code', () => {
  test('a sign-in by a code needs the second factor of the account, and both have different categories', async () => {
    const bench = createFactorsBench({ options: byCode })
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    bench.advance(60)
    const open = await openOf(bench, account.id)
    const asked = await showCode(bench, await askForCode(bench))
    expect(Object.keys(asked)).toEqual(['ok', 'status', 'challenge', 'factors'])
    expect(await openOf(bench, account.id)).toEqual(open)
    const challenge = await challengeOf(Promise.resolve(asked))
    const done = await bench.accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(secret) })
    expect(done).toMatchObject({ ok: true, identity: { factors: [{ kind: 'email-code' }, { kind: 'totp' }] } })
  })

  test('a sign-in by a code needs the second factor even on a remembered device', async () => {
    const bench = createFactorsBench({ options: joinOptions(byCode, { signIn: { trustedDevices: { days: 30 } } }) })
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    bench.advance(60)
    const challenge = await challengeOf(bench.tryPassword())
    const code = bench.codeOf(secret)
    const done = await bench.accounts.verifySecondFactor({ ...session, challenge, code, trustDevice: true })
    const trustedDeviceToken = done.ok ? done.trustedDeviceToken : null
    expect(trustedDeviceToken).toBeTypeOf('string')
    const shown = { ...(await askForCode(bench)), trustedDeviceToken }
    expect(await showCode(bench, shown)).toMatchObject({ status: 'second-factor-required' })
  })

  test.each(['unverified', 'disabled', 'locked'] as const)(
    'a sign-in by a code is refused if the account is %s by now',
    async (status) => {
      const bench = create()
      const { id } = await bench.insert()
      const shown = await askForCode(bench)
      await bench.store.replace(id, {}, { status })
      expect(await showCode(bench, shown)).toEqual(invalidCredentials)
      expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: id, reason: status })
      expect(await openOf(bench, id)).toEqual([])
      expect(await bench.store.get(id)).toMatchObject({ status, epoch: 0 })
    },
  )

  test('a sign-in by a code opens no unverified sign-up of a stranger', async () => {
    const bench = create()
    await bench.accounts.signUp({ email, password, name: 'A Stranger' })
    await bench.accounts.settled()
    bench.outbox.length = 0
    const shown = await askForCode(bench)
    expect(bench.outbox).toEqual([])
    expect(await showCode(bench, shown)).toEqual(invalidCredentials)
    expect(await bench.store.getByEmail(email)).toBe(null)
  })

  test('a code counts as a fresh proof only for an account without a password', async () => {
    const bench = create()
    const { id } = await bench.insert({ passwordHash: null })
    const result = await showCode(bench, await askForCode(bench))
    if (!result.ok || result.status !== 'signed-in') throw new Error('the code was refused')
    const { identity } = result
    const asked = () => bench.accounts.startStepUp({ identity, kinds: ['totp', 'passkey'] })
    expect(await asked()).toEqual({ challenge: null, factors: ['email-code'] })
    await bench.store.replace(id, {}, { passwordHash: await hashOf(bench) })
    expect(await asked()).toEqual({ challenge: null, factors: ['password'] })
  })

  test('sends the mail about an unknown device', async () => {
    const bench = createBench({ options: { ...byCode, mails: { notifyNewDevices: true } } })
    await bench.insert()
    const result = await showCode(bench, await askForCode(bench))
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ kind: 'new-device' })
    expect(result).toMatchObject({ deviceToken: expect.any(String) })
  })

  test('replaces the session that the browser had', async () => {
    const bench = create()
    const { id } = await bench.insert()
    const before = await bench.signIn()
    if (before.credentials.delivery !== 'session') throw new Error('no session')
    const shown = await askForCode(bench)
    await showCode(bench, { ...shown, replaces: before.credentials.session })
    expect(await openOf(bench, id)).not.toContain(before.credentials.session.key)
    expect(await openOf(bench, id)).toHaveLength(1)
  })

  test('is refused with a native delivery that is not allowed, before any read', async () => {
    const bench = create()
    await bench.insert()
    const shown = await askForCode(bench)
    const refused = { code: 'DELIVERY_NOT_ALLOWED', field: 'delivery', reason: null }
    expect(await refusalOf(showCode(bench, { ...shown, delivery: 'native' }))).toEqual(refused)
    expect(await refusalOf(bench.accounts.requestSignInCode({ email, delivery: 'native' }))).toEqual(refused)
    expect(await showCode(bench, shown)).toMatchObject({ ok: true })
  })

  test('stops at the states in the table', () => {
    const rows = signInTransitions.filter(({ on }) => on === 'email-code')
    expect(new Set(rows.map(({ from }) => from))).toEqual(new Set(['anonymous']))
    expect(rows.filter(({ to }) => to !== 'refused')).toEqual([
      { from: 'anonymous', on: 'email-code', when: 'right-factor', to: 'first-factor-proven' },
    ])
  })
})

async function hashOf({ accounts, store }: Bench): Promise<string | null> {
  const created = await accounts.create({ email: 'x@example.com', password: newPassword, name: 'X', roles: ['READER'] })
  return (await store.get(created?.id ?? ''))?.passwordHash ?? null
}

describe('the option "signIn.emailCode"', () => {
  test('codes by mail are off by default', async () => {
    const { accounts, insert, records } = createBench()
    await insert()
    await expect(accounts.requestSignInCode({ email })).rejects.toThrow(needs('signIn.emailCode'))
    const shown = { email, code: '12345678', challenge: null, ...session }
    await expect(accounts.signInWithCode(shown)).rejects.toThrow(needs('signIn.emailCode'))
    expect(await refusalOf(accounts.signInWithCode(shown))).toMatchObject({ code: 'OPERATION_UNAVAILABLE' })
    expect((await records.listByOwner('')).items).toEqual([])
  })

  test.each([
    [{ lifetimeSeconds: 59 }, '"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600'],
    [{ lifetimeSeconds: 601 }, '"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600'],
    [{ lifetimeSeconds: 60.5 }, '"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600'],
    [{ lifetimeSeconds: '600' }, '"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600'],
    [{ seconds: 60 }, '"signIn.emailCode" has no option "seconds"'],
  ])('is refused with the value %j', (emailCode, message) => {
    expect(() => createBench({ options: { signIn: { emailCode: emailCode as never } } })).toThrow(message)
  })

  test('needs counters that count parallel tries exactly', () => {
    const counters = createMemoryCounterStore()
    const eventual = { ...counters, capabilities: { ...counters.capabilities, consistency: 'eventual' } as const }
    const message = '"signIn.emailCode" needs "counters" that are strongly consistent'
    expect(() => createBench({ options: { ...byCode, counters: eventual } })).toThrow(message)
  })
})
