import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import {
  challengeOf,
  createFactorBench,
  keep,
  okData,
  operations,
  type Person,
  showPasskey,
  withPasskey,
  withTotp,
} from '../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import { type Delivery, outcomeOf, type Visitor } from '../support/visitor.ts'

const rememberDevices = { days: 30 }
const bench = createFactorBench({ options: { signIn: { trustedDevices: rememberDevices } } })
const daySeconds = 86_400
const cookieLine = /^__Host-remembered=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/
const remembered = (visitor: Visitor) => visitor.jar.get('__Host-remembered')

const fields = 'status challenge deviceToken trustedDeviceToken accessToken refreshToken csrfToken'
const verify = `mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { ${fields} } }`
const signInFields = `mutation ($input: SignInInput!) { signIn(input: $input) { ${fields} } }`

async function finish(person: Person, input: object = { trustDevice: true }, delivery: Delivery = 'SESSION') {
  const challenge = await challengeOf(person, delivery)
  const answer = await person.ask(verify, { input: { challenge, code: person.code(), delivery, ...input } })
  keep(person, okData(answer).verifySecondFactor)
  return answer
}

/** The browser has lost its session. */
function forget(visitor: Visitor): void {
  visitor.jar.delete('__Host-session')
  visitor.csrfToken = null
}

const statusOf = async (visitor: Visitor, email: string, delivery?: Delivery): Promise<string> =>
  okData(await visitor.signIn(email, password, delivery)).signIn.status

describe('a remembered browser', () => {
  test("gets a separate cookie for the service's number of days, and no token in the body", async () => {
    const person = await withTotp(bench)
    const answer = await finish(person)
    expect(answer.cookies).toContainEqual(expect.stringMatching(cookieLine))
    expect(okData(answer).verifySecondFactor.trustedDeviceToken).toBeNull()
    expect(answer.text).not.toContain(remembered(person))
  })

  test.each(['SESSION', 'TOKEN'] as const)('signs in by the password alone, delivered by %s', async (delivery) => {
    const person = await withTotp(bench)
    await finish(person, { trustDevice: true }, delivery)
    const before = remembered(person)
    okData(await person.ask('mutation { signOut }'))
    Object.assign(person, { csrfToken: null, bearer: null })
    expect(remembered(person)).toBe(before)
    expect(await statusOf(person, person.account.email, delivery)).toBe('SIGNED_IN')
    bench.advance(30 * daySeconds)
    expect(await statusOf(person, person.account.email, delivery)).toBe('SECOND_FACTOR_REQUIRED')
  })

  test('must prove the factor for operations that need a fresh proof', async () => {
    const person = await withTotp(bench, 'ADMIN')
    await finish(person)
    okData(await person.signIn(person.account.email, password))
    const change = { input: { accountId: person.account.id, role: 'READER' } }
    for (const [query, variables] of [
      [operations.enroll, {}],
      [operations.setRole, change],
    ] as const) {
      expect(outcomeOf(await person.ask(query, variables))).toEqual([401, 'STEP_UP_REQUIRED'])
    }
  })

  test('is remembered for one account: another account needs its factor, and keeps the cookie', async () => {
    const [person, other] = [await withTotp(bench), await withTotp(bench)]
    await finish(person)
    const before = remembered(person)
    forget(person)
    const answer = await person.signIn(other.account.email, password)
    expect([okData(answer).signIn.status, answer.cookies]).toEqual(['SECOND_FACTOR_REQUIRED', []])
    expect(remembered(person)).toBe(before)
    expect(await statusOf(person, person.account.email)).toBe('SIGNED_IN')
  })

  test('is forgotten after the account has revoked all sessions', async () => {
    const person = await withTotp(bench)
    await finish(person)
    okData(await person.ask('mutation { revokeAllSessions }'))
    expect(await statusOf(person, person.account.email)).toBe('SECOND_FACTOR_REQUIRED')
  })

  test('has the same bytes as a stranger for a wrong password', async () => {
    const person = await withTotp(bench)
    await finish(person)
    const wrong = await person.signIn(person.account.email, 'another password entirely')
    const stranger = await bench.visitor().signIn('none@example.com', 'another password entirely')
    expect([outcomeOf(wrong), wrong.text, wrong.cookies]).toEqual([outcomeOf(stranger), stranger.text, []])
  })

  test('is not remembered without a request for it', async () => {
    for (const input of [{}, { trustDevice: false }, { trustDevice: null }]) {
      const person = await withTotp(bench)
      await finish(person, input)
      expect(remembered(person)).toBeUndefined()
      expect(await statusOf(person, person.account.email)).toBe('SECOND_FACTOR_REQUIRED')
    }
  })

  test('is remembered after a passkey, too', async () => {
    const owner = await withPasskey(bench)
    forget(owner)
    const challenge = okData(await owner.signIn(owner.account.email, password)).signIn.challenge
    const started = okData(await owner.ask(operations.startPasskey, { input: { challenge } })).startPasskeySignIn
    const response = JSON.stringify(await owner.authenticator.get(JSON.parse(started.options)))
    const answer = await owner.ask(operations.finishPasskey, { input: { response, challenge, trustDevice: true } })
    expect(okData(answer).finishPasskeySignIn.status).toBe('SIGNED_IN')
    expect(answer.cookies).toContainEqual(expect.stringMatching(cookieLine))
    forget(owner)
    expect(await statusOf(owner, owner.account.email)).toBe('SIGNED_IN')
    const alone = bench.visitor()
    expect(okData(await showPasskey(alone, owner.authenticator)).finishPasskeySignIn.status).toBe('SIGNED_IN')
    expect(remembered(alone)).toBeUndefined()
  })
})

describe('an application outside browsers', () => {
  test('is remembered by a token in the body, which it sends with the next sign-in', async () => {
    const person = await withTotp(bench)
    const answer = await finish(person, { trustDevice: true }, 'NATIVE')
    const { trustedDeviceToken } = okData(answer).verifySecondFactor
    expect([typeof trustedDeviceToken, answer.cookies]).toEqual(['string', []])
    const { email } = person.account
    const input = { email, password, delivery: 'NATIVE' }
    const again = await bench.visitor().ask(signInFields, { input: { ...input, trustedDeviceToken } })
    expect(okData(again).signIn).toMatchObject({ status: 'SIGNED_IN', trustedDeviceToken: null })
    for (const other of [null, `${trustedDeviceToken}A`, okData(answer).verifySecondFactor.deviceToken]) {
      const asked = await bench.visitor().ask(signInFields, { input: { ...input, trustedDeviceToken: other } })
      expect(okData(asked).signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', refreshToken: null })
    }
  })
})

describe('a service that remembers no devices', () => {
  test('has no words for it in its schema, and heeds no cookie', async () => {
    const without = createFactorBench()
    const person = await withTotp(without)
    const challenge = await challengeOf(person)
    const input = { challenge, code: '000000', trustDevice: true }
    expect(outcomeOf(await person.ask(operations.verify, { input }))).toEqual([400, 'BAD_USER_INPUT'])
    expect(outcomeOf(await person.ask(verify, { input: { challenge, code: '0' } }))).toEqual([
      400,
      'GRAPHQL_VALIDATION_FAILED',
    ])
    person.jar.set('__Host-remembered', `device_${'A'.repeat(22)}.${'A'.repeat(43)}`)
    expect(await statusOf(person, person.account.email)).toBe('SECOND_FACTOR_REQUIRED')
  })

  test.each([
    [
      '"signIn.trustedDevices" needs "signIn.totp" or "signIn.passkeys"',
      { signIn: { totp: undefined, passkeys: undefined, recoveryCodes: undefined } },
    ],
    [
      '"signIn.trustedDevices.days" must be a whole number of days from 1 to 365',
      { signIn: { trustedDevices: { days: 0 } } },
    ],
    ['createServer has no option "signIn.trustedDevices.hours"', { signIn: { trustedDevices: { days: 1, hours: 1 } } }],
  ])('%s', (message, options) => {
    expect(() =>
      createFactorBench({ options: { signIn: { trustedDevices: rememberDevices, ...options.signIn } } as never }),
    ).toThrow(message)
  })
})

describe('the page for the second factor', () => {
  const send = (visitor: Visitor, path: string, form: Readonly<Record<string, string>> = {}) =>
    visitor.post(path, { return_to: '/account', ...form }, ownForm)
  const box = /<input type="checkbox" id="remember" name="remember" value="yes"> <label for="remember">([^<]*)</

  test('has an empty box that lets the browser be remembered, in a sign-in', async () => {
    const person = await withTotp(bench)
    await send(person, '/sign-in', { email: person.account.email, password })
    const page = await person.get('/second-factor')
    expect(box.exec(page.text)?.[1]).toBe('Don’t ask again on this device for 30 days')
    expect(page.text).not.toContain('checked')
    const done = await send(person, '/second-factor', { code: person.code(), remember: 'yes' })
    expect([done.status, done.cookies]).toEqual([303, expect.arrayContaining([expect.stringMatching(cookieLine)])])
    await send(person, '/sign-out')
    const again = await send(person, '/sign-in', { email: person.account.email, password })
    expect([again.status, again.headers.get('location')]).toEqual([303, '/account'])
    expect((await person.get('/account')).status).toBe(200)
  })

  test.each([{}, { remember: '' }, { remember: 'no' }, { remember: 'on' }])(
    'remembers no device for %j',
    async (form: Readonly<Record<string, string>>) => {
      const person = await withTotp(bench)
      await send(person, '/sign-in', { email: person.account.email, password })
      expect((await send(person, '/second-factor', { code: person.code(), ...form })).status).toBe(303)
      expect(remembered(person)).toBeUndefined()
    },
  )

  test('lets a passkey that is shown there be followed by it', async () => {
    const owner = await withPasskey(bench)
    owner.jar.delete('__Host-session')
    await send(owner, '/sign-in', { email: owner.account.email, password })
    expect((await owner.get('/second-factor')).text).toContain('id="remember" name="remember" value="yes">')
    const options = JSON.parse((await send(owner, '/passkey/start', { step: 'second-factor' })).text)
    const response = JSON.stringify(await owner.authenticator.get(options))
    const done = await send(owner, '/passkey', { step: 'second-factor', response, remember: 'yes' })
    expect(done.cookies).toContainEqual(expect.stringMatching(cookieLine))
  })

  test('has no box for a signed-in user, and ignores its value', async () => {
    const person = await withTotp(bench)
    await finish(person, {})
    bench.advance(301)
    await send(person, '/account/totp/start')
    const page = await person.get('/second-factor')
    expect([titleOf(page), fieldValue(page, 'return_to'), box.test(page.text)]).toEqual([
      'Confirm it’s you',
      undefined,
      false,
    ])
    expect((await send(person, '/second-factor', { code: person.code(), remember: 'yes' })).status).toBe(303)
    expect(remembered(person)).toBeUndefined()
  })

  test('has no box if the service remembers no devices', async () => {
    const without = createFactorBench()
    const person = await withTotp(without)
    await send(person, '/sign-in', { email: person.account.email, password })
    expect(box.test((await person.get('/second-factor')).text)).toBe(false)
    expect((await send(person, '/second-factor', { code: person.code(), remember: 'yes' })).status).toBe(303)
    expect(remembered(person)).toBeUndefined()
  })
})
