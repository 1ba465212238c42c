import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const viewer = '{ viewer { id } }'
const refresh = 'mutation { refresh { expiresIn } }'

test.each<[string, Record<string, unknown>]>([
  ['"lifetimes" has no option "sessionHours"', { lifetimes: { sessionHours: 8 } }],
  ['"lifetimes" takes an object', { lifetimes: 3600 }],
  ['"lifetimes.sessionSeconds" must be a whole number of seconds from 60 to', { lifetimes: { sessionSeconds: 59 } }],
  ['"lifetimes.sessionSeconds" must be', { lifetimes: { sessionSeconds: 34_560_001 } }],
  ['"lifetimes.sessionSeconds" must be', { lifetimes: { sessionSeconds: '8h' } }],
  ['"lifetimes.sessionSeconds" must be', { lifetimes: { sessionSeconds: null } }],
  ['"lifetimes.sessionSeconds" must be', { lifetimes: { sessionSeconds: Number.NaN } }],
  ['"lifetimes.sessionIdleSeconds" must be', { lifetimes: { sessionIdleSeconds: 90.5 } }],
  ['"lifetimes.sessionIdleSeconds" must not exceed', { lifetimes: { sessionSeconds: 600, sessionIdleSeconds: 601 } }],
  ['"lifetimes.refreshTokenSeconds" must not exceed', { lifetimes: { refreshTokenSeconds: 7_776_001 } }],
  ['"lifetimes.refreshGraceSeconds" must be', { lifetimes: { refreshGraceSeconds: 61 } }],
  ['"lifetimes.accessTokenSeconds" must be', { lifetimes: { accessTokenSeconds: 901 } }],
  ['"lifetimes.accessTokenSeconds" must be', { lifetimes: { accessTokenSeconds: 299 } }],
  ['"lifetimes.verificationLinkSeconds" must be', { lifetimes: { verificationLinkSeconds: 0 } }],
  ['"lifetimes.resetLinkSeconds" must be', { lifetimes: { resetLinkSeconds: Number.POSITIVE_INFINITY } }],
  ['"lifetimes.deviceSeconds" must be', { lifetimes: { deviceSeconds: 34_560_001 } }],
  ['"cookies" has no option "domain"', { cookies: { domain: 'example.com' } }],
  ['"cookies.prefix" must be', { cookies: { prefix: '__Secure-' } }],
  ['"cookies.prefix" must be', { cookies: { prefix: '' } }],
  ['"cookies.sessionSameSite" must be', { cookies: { sessionSameSite: 'None' } }],
  [
    '"cookies.prefix" must be left out beside "transport"',
    { cookies: { prefix: '__Host-' }, transport: allowPlainHttpOnLoopback, baseUrl: 'http://127.0.0.1:4000' },
  ],
])('a server is refused at once: %s %j', (message, options) => {
  const create = () => createBench({ options })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

describe('a session', () => {
  test('ends by the lifetimes of the options, and so does its cookie', async () => {
    const { advance, signedIn } = createBench({
      options: { lifetimes: { sessionSeconds: 600, sessionIdleSeconds: 120 } },
    })
    const idle = await signedIn()
    advance(119)
    expect((await idle.ask(viewer)).status).toBe(200)
    advance(121)
    expect((await idle.ask(viewer)).status).toBe(401)

    const used = await signedIn()
    for (let minutes = 1; minutes < 10; minutes++) {
      advance(60)
      expect((await used.ask(viewer)).status).toBe(200)
    }
    advance(60)
    expect((await used.ask(viewer)).status).toBe(401)
    const { cookies } = await used.signIn(used.account.email, password)
    expect(cookies[0]).toMatch(/^__Host-session=.+; Max-Age=600; /)
  })

  test('that lasts less than an hour may be idle for all of it', async () => {
    const { advance, signedIn } = createBench({ options: { lifetimes: { sessionSeconds: 600 } } })
    const visitor = await signedIn()
    advance(599)
    expect((await visitor.ask(viewer)).status).toBe(200)
    advance(1)
    expect((await visitor.ask(viewer)).status).toBe(401)
  })
})

describe('a refresh token', () => {
  const lifetimes = { refreshTokenSeconds: 300, refreshFamilySeconds: 500, refreshGraceSeconds: 0 }

  test('ends by the lifetimes of the options, and so does its cookie', async () => {
    const { advance, signedIn } = createBench({ options: { lifetimes } })
    const late = await signedIn('READER', 'TOKEN')
    advance(300)
    expect(outcomeOf(await late.ask(refresh))).toEqual([401, 'INVALID_CREDENTIALS'])

    const used = await signedIn('READER', 'TOKEN')
    advance(299)
    const { status, cookies } = await used.ask(refresh)
    expect([status, cookies]).toEqual([200, [expect.stringMatching(/^__Host-refresh=.+; Max-Age=300; /)]])
    advance(200)
    expect((await used.ask(refresh)).status).toBe(200)
    advance(1)
    expect((await used.ask(refresh)).status).toBe(401)
  })

  test('without a grace window is not repeated: the second use ends the family', async () => {
    const { events, signedIn } = createBench({ options: { lifetimes } })
    const visitor = await signedIn('READER', 'TOKEN')
    const shown = new Map(visitor.jar)
    expect((await visitor.ask(refresh)).status).toBe(200)
    const successor = new Map(visitor.jar)
    for (const cookies of [shown, successor]) {
      for (const [name, value] of cookies) visitor.jar.set(name, value)
      expect((await visitor.ask(refresh)).status).toBe(401)
    }
    expect(events.map(({ type }) => type)).toContain('family.reused')
  })
})

test('an access token is valid as long as the option says', async () => {
  const { advance, signedIn } = createBench({ options: { lifetimes: { accessTokenSeconds: 300 } } })
  const visitor = await signedIn('READER', 'TOKEN')
  expect((await visitor.ask(refresh)).data).toEqual({ refresh: { expiresIn: 300 } })
  advance(299)
  expect((await visitor.ask(viewer)).status).toBe(200)
  advance(6) // five seconds of it are what clocks may differ by
  expect((await visitor.ask(viewer)).status).toBe(401)
})

test('links end by the lifetimes of the options', async () => {
  const bench = createBench({ options: { lifetimes: { verificationLinkSeconds: 60, resetLinkSeconds: 120 } } })
  const { email } = await bench.insert()
  const visitor = bench.visitor()
  const ask = (field: string, input: object) =>
    visitor.ask(`mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) }`, {
      input,
    })
  const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
  for (const [seconds, outcome] of [
    [59, [200, null]],
    [60, [200, 'BAD_USER_INPUT']],
  ] as const) {
    const to = `in${seconds}@example.com`
    await visitor.ask(signUp, { input: { email: to, password, name: 'Ada' } })
    const token = await bench.mailedToken(to)
    bench.advance(seconds)
    expect(outcomeOf(await ask('verifyEmail', { token }))).toEqual(outcome)
  }
  for (const [seconds, outcome] of [
    [120, [200, 'BAD_USER_INPUT']],
    [119, [200, null]],
  ] as const) {
    await ask('requestPasswordReset', { email })
    const token = await bench.mailedToken(email)
    bench.advance(seconds)
    expect(outcomeOf(await ask('resetPassword', { token, newPassword }))).toEqual(outcome)
  }
})

test('the cookies are written as the options say, and read as well', async () => {
  const { insert, visitor } = createBench({
    options: { cookies: { prefix: '__Host-Http-', sessionSameSite: 'Strict' } },
  })
  const { email } = await insert()
  const [one, other] = [visitor(), visitor()]
  expect((await one.signIn(email, password)).cookies).toEqual([
    expect.stringMatching(/^__Host-Http-session=.+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    expect.stringMatching(/^__Host-Http-device=.+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
  ])
  expect((await one.ask(viewer)).status).toBe(200)
  expect((await other.signIn(email, password, 'TOKEN')).cookies).toEqual([
    expect.stringMatching(/^__Host-Http-refresh=.+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    expect.stringMatching(/^__Host-Http-device=/),
  ])
  expect((await other.ask(refresh)).status).toBe(200)
})
