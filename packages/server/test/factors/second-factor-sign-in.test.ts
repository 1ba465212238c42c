import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import {
  challengeOf,
  createFactorBench,
  okData,
  operations,
  type Person,
  showPasskey,
  signInWithBoth,
  withPasskey,
  withTotp,
} from '../support/factor-bench.ts'
import { type Answer, type Delivery, deliveries, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
const empty = {
  account: null,
  accessToken: null,
  expiresIn: null,
  refreshToken: null,
  csrfToken: null,
  deviceToken: null,
}

const verify = (visitor: Visitor, input: object, headers = {}): Promise<Answer> =>
  visitor.ask(operations.verify, { input }, headers)

describe.each(deliveries)('an account with an authenticator app, by %s,', (delivery) => {
  test('gets only a challenge for the password, and signs in with the code', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const asked = await person.signIn(person.account.email, password, delivery)
    expect(outcomeOf(asked)).toEqual([200, null])
    expect(asked.data.signIn).toEqual({
      ...empty,
      status: 'SECOND_FACTOR_REQUIRED',
      challenge: expect.stringMatching(/^.{40,}$/),
      factors: ['totp', 'recovery-code'],
    })
    expect(asked.cookies).toEqual([])
    const { challenge } = asked.data.signIn
    const answered = await verify(person, { challenge, code: person.code(), delivery })
    expect(outcomeOf(answered)).toEqual([200, null])
    const { status, account, accessToken, refreshToken, csrfToken } = answered.data.verifySecondFactor
    expect([status, account.id]).toEqual(['SIGNED_IN', person.account.id])
    expect([accessToken, refreshToken, csrfToken].map((text) => text !== null)).toEqual([
      delivery !== 'SESSION',
      delivery === 'NATIVE',
      delivery === 'SESSION',
    ])
    const names = {
      SESSION: ['__Host-session', '__Host-device'],
      TOKEN: ['__Host-refresh', '__Host-device'],
      NATIVE: [],
    }
    expect(answered.cookies.map((line) => line.split('=')[0])).toEqual(names[delivery])
    person.bearer = accessToken
    expect(okData(await person.ask(operations.viewer)).viewer).toEqual({ id: person.account.id })
  })

  test('signs in with a recovery code, once', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const [code = ''] = person.codes
    expect(outcomeOf(await signInWithBoth(person, delivery, code))).toEqual([200, null])
    const again = Object.assign(bench.visitor(), { account: person.account, codes: [], code: person.code })
    expect(outcomeOf(await signInWithBoth(again, delivery, code))).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(again.jar.size).toBe(0)
  })
})

describe('a challenge', () => {
  const places: readonly (readonly [string, (person: Person, challenge: string) => Promise<Answer>])[] = [
    [
      'a session cookie',
      (person, challenge) => person.ask(operations.viewer, {}, { cookie: `__Host-session=${challenge}` }),
    ],
    [
      'a bearer token',
      (person, challenge) => person.ask(operations.viewer, {}, { authorization: `Bearer ${challenge}` }),
    ],
    ['a refresh cookie', (person, challenge) => person.ask(refresh, {}, { cookie: `__Host-refresh=${challenge}` })],
    ['a refresh token', (person, challenge) => person.ask(refresh, { input: { refreshToken: challenge } })],
    [
      'a CSRF token',
      (person, challenge) =>
        person.ask('mutation { revokeAllSessions }', {}, { 'x-csrf-token': challenge, ...ownPage }),
    ],
    [
      'the token of a link',
      (person, challenge) =>
        person.ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', {
          input: { token: challenge, newPassword: 'seven kettles hum along' },
        }),
    ],
  ]

  test.each(places)('grants no access as %s', async (_place, show) => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const answer = await show(person, await challengeOf(person))
    expect(answer.data?.viewer ?? answer.data?.refresh ?? answer.data?.resetPassword ?? null).toBeNull()
    expect(answer.codes).toHaveLength(1)
    expect(answer.cookies).toEqual([])
    expect(await (await bench.server.accounts()).listSessions(person.account.id)).toHaveLength(1)
  })

  test('is void after five minutes, after five wrong codes, and after the right code', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const late = await challengeOf(person)
    bench.advance(300)
    expect(outcomeOf(await verify(person, { challenge: late, code: person.code() }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ])
    const guessed = await challengeOf(person)
    for (let tries = 0; tries < 5; tries++) {
      expect(outcomeOf(await verify(person, { challenge: guessed, code: 'nonsense' }))).toEqual([
        401,
        'INVALID_CREDENTIALS',
      ])
    }
    expect(outcomeOf(await verify(person, { challenge: guessed, code: person.code() }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ])
    const used = await challengeOf(person)
    expect(outcomeOf(await verify(person, { challenge: used, code: person.code() }))).toEqual([200, null])
    expect(outcomeOf(await verify(bench.visitor(), { challenge: used, code: person.code() }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ])
  })
})

describe('a passkey', () => {
  test.each(deliveries)('signs in alone, by %s, without a name', async (delivery: Delivery) => {
    const bench = createFactorBench()
    const { authenticator, account } = await withPasskey(bench)
    const visitor = bench.visitor()
    const answer = await showPasskey(visitor, authenticator, { delivery })
    expect(outcomeOf(answer)).toEqual([200, null])
    expect(answer.data.finishPasskeySignIn).toMatchObject({ status: 'SIGNED_IN', account: { id: account.id } })
    expect(okData(await visitor.ask(operations.viewer)).viewer.id).toBe(account.id)
  })

  test('answers the challenge of a password', async () => {
    const bench = createFactorBench()
    const { authenticator, account } = await withPasskey(bench)
    const visitor = bench.visitor()
    const { signIn } = okData(await visitor.signIn(account.email, password))
    expect(signIn.factors).toEqual(['passkey', 'recovery-code'])
    const answer = await showPasskey(visitor, authenticator, { challenge: signIn.challenge })
    expect(outcomeOf(answer)).toEqual([200, null])
    expect(okData(await visitor.ask(operations.viewer)).viewer.id).toBe(account.id)
  })

  const responses: readonly (readonly [string, string])[] = [
    ['no JSON', '{'],
    ['a number', '1'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['a prototype', '{"__proto__":{"id":"x"}}'],
    ['100 000 brackets', '['.repeat(40_000)],
  ]
  test.each(responses)('is refused alike if its response is %s, and no session starts', async (_what, response) => {
    const bench = createFactorBench()
    const { account } = await withPasskey(bench)
    const visitor = bench.visitor()
    const answer = await visitor.ask(operations.finishPasskey, { input: { response } })
    expect([...outcomeOf(answer), answer.cookies]).toEqual([401, 'INVALID_CREDENTIALS', []])
    expect(await (await bench.server.accounts()).listSessions(account.id)).toHaveLength(1)
  })

  test('is refused if it has signed other data', async () => {
    const bench = createFactorBench()
    const { authenticator } = await withPasskey(bench)
    const visitor = bench.visitor()
    const { options } = okData(await visitor.ask(operations.startPasskey)).startPasskeySignIn
    const response = JSON.stringify(await authenticator.get(JSON.parse(options), { isForged: true }))
    const answer = await visitor.ask(operations.finishPasskey, { input: { response } })
    expect([...outcomeOf(answer), answer.cookies]).toEqual([401, 'INVALID_CREDENTIALS', []])
  })
})

describe('the ceremony of a challenge', () => {
  test('succeeds once with its challenge, and is refused without it or with a different challenge', async () => {
    const bench = createFactorBench()
    const { authenticator, account } = await withPasskey(bench)
    const visitor = bench.visitor()
    const challengeNow = async () => okData(await visitor.signIn(account.email, password)).signIn.challenge
    const [challenge, another] = [await challengeNow(), await challengeNow()]
    const respond = async () => {
      const input = { challenge }
      const { options } = okData(await visitor.ask(operations.startPasskey, { input })).startPasskeySignIn
      return JSON.stringify(await authenticator.get(JSON.parse(options)))
    }
    const finish = (input: object) => visitor.ask(operations.finishPasskey, { input })
    for (const input of [{}, { challenge: another }, { challenge: 'nonsense' }]) {
      const answer = await finish({ ...input, response: await respond() })
      expect([...outcomeOf(answer), answer.cookies]).toEqual([401, 'INVALID_CREDENTIALS', []])
    }
    const response = await respond()
    expect(outcomeOf(await finish({ challenge, response }))).toEqual([200, null])
    visitor.jar.clear()
    expect(outcomeOf(await finish({ challenge, response }))).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  test('does not start for a void challenge, and the challenge of a sign-in is no step-up', async () => {
    const bench = createFactorBench()
    const { account } = await withPasskey(bench)
    const visitor = bench.visitor()
    const { challenge } = okData(await visitor.signIn(account.email, password)).signIn
    bench.advance(300)
    for (const shown of [challenge, 'nonsense', '']) {
      const answer = await visitor.ask(operations.startPasskey, { input: { challenge: shown } })
      expect(outcomeOf(answer)).toEqual([401, 'INVALID_CREDENTIALS'])
    }
  })
})

test('native delivery of a second step is refused to pages before anything is tested', async () => {
  const bench = createFactorBench()
  const person = await withTotp(bench)
  const [challenge, code] = [await challengeOf(person), person.code()]
  const answer = await verify(person, { challenge, code, delivery: 'NATIVE' }, ownPage)
  expect([...outcomeOf(answer), answer.errors[0]?.extensions.field]).toEqual([200, 'BAD_USER_INPUT', 'input.delivery'])
  expect(outcomeOf(await verify(person, { challenge, code }, ownPage))).toEqual([200, null])
})

test('a password alone grants no access, and a password reset does not skip the second factor', async () => {
  const bench = createFactorBench()
  const person = await withTotp(bench)
  await challengeOf(person)
  for (const query of [operations.viewer, '{ sessions { id } }', '{ factors { kind } }', operations.enroll]) {
    expect(outcomeOf(await person.ask(query))).toEqual([401, 'UNAUTHENTICATED'])
  }
  const { email } = person.account
  await person.ask('mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }', {
    input: { email },
  })
  const token = await bench.mailedToken(email)
  const newPassword = 'seven kettles hum along'
  await person.ask('mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }', {
    input: { token, newPassword },
  })
  const { signIn } = okData(await person.signIn(email, newPassword))
  expect(signIn).toMatchObject({ ...empty, status: 'SECOND_FACTOR_REQUIRED', factors: ['totp', 'recovery-code'] })
})
