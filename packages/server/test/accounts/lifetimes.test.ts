import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const viewer = '{ viewer { id } }'
const refresh = 'mutation { refresh { expiresIn } }'

test.each<[string, Record<string, unknown>]>([
  [
    'createServer has no option "sessions.lifetimeHours". Did you mean "sessions.lifetimeSeconds"?',
    { sessions: { lifetimeHours: 8 } },
  ],
  ['"sessions.refresh" takes an object', { sessions: { refresh: 3600 } }],
  ['"sessions.lifetimeSeconds" must be a whole number of seconds from 60 to', { sessions: { lifetimeSeconds: 59 } }],
  ['"sessions.lifetimeSeconds" must be', { sessions: { lifetimeSeconds: 34_560_001 } }],
  ['"sessions.lifetimeSeconds" must be', { sessions: { lifetimeSeconds: '8h' } }],
  ['"sessions.lifetimeSeconds" must be', { sessions: { lifetimeSeconds: null } }],
  ['"sessions.lifetimeSeconds" must be', { sessions: { lifetimeSeconds: Number.NaN } }],
  ['"sessions.idleSeconds" must be', { sessions: { idleSeconds: 90.5 } }],
  ['"sessions.idleSeconds" must not exceed', { sessions: { lifetimeSeconds: 600, idleSeconds: 601 } }],
  ['"sessions.refresh.tokenSeconds" must not exceed', { sessions: { refresh: { tokenSeconds: 7_776_001 } } }],
  ['"sessions.refresh.graceSeconds" must be', { sessions: { refresh: { graceSeconds: 61 } } }],
  ['"sessions.refresh.retrySeconds" must be', { sessions: { refresh: { retrySeconds: 604_801 } } }],
  ['"sessions.accessTokens.lifetimeSeconds" must be', { sessions: { accessTokens: { lifetimeSeconds: 901 } } }],
  ['"sessions.accessTokens.lifetimeSeconds" must be', { sessions: { accessTokens: { lifetimeSeconds: 299 } } }],
  ['"mails.linkSeconds.verifyEmail" must be', { mails: { linkSeconds: { verifyEmail: 0 } } }],
  [
    '"mails.linkSeconds.resetPassword" must be',
    { mails: { linkSeconds: { resetPassword: Number.POSITIVE_INFINITY } } },
  ],
  ['"signIn.knownDeviceSeconds" must be', { signIn: { knownDeviceSeconds: 34_560_001 } }],
  ['createServer has no option "sessions.cookie.domain"', { sessions: { cookie: { domain: 'example.com' } } }],
  ['"sessions.cookie.prefix" must be', { sessions: { cookie: { prefix: '__Secure-' } } }],
  ['"sessions.cookie.prefix" must be', { sessions: { cookie: { prefix: '' } } }],
  ['"sessions.cookie.sameSite" must be', { sessions: { cookie: { sameSite: 'None' } } }],
  [
    '"sessions.cookie.prefix" must be left out beside "http.transport"',
    {
      sessions: { cookie: { prefix: '__Host-' } },
      http: { transport: allowPlainHttpOnLoopback },
      baseUrl: 'http://127.0.0.1:4000',
    },
  ],
])('a server is refused at once: %s %j', (message, options) => {
  const create = () => createBench({ options })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

describe('a session', () => {
  test('expires by the lifetimes of the options, with its cookie', async () => {
    const { advance, signedIn } = createBench({
      options: { sessions: { lifetimeSeconds: 600, idleSeconds: 120 } },
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

  test('may idle for its whole lifetime if that is less than an hour', async () => {
    const { advance, signedIn } = createBench({ options: { sessions: { lifetimeSeconds: 600 } } })
    const visitor = await signedIn()
    advance(599)
    expect((await visitor.ask(viewer)).status).toBe(200)
    advance(1)
    expect((await visitor.ask(viewer)).status).toBe(401)
  })
})

describe('a refresh token', () => {
  const refreshLives = { tokenSeconds: 300, familySeconds: 500, graceSeconds: 0 }

  test('expires by the lifetimes of the options, with its cookie', async () => {
    const { advance, signedIn } = createBench({ options: { sessions: { refresh: refreshLives } } })
    const late = await signedIn('READER', 'TOKEN')
    advance(300)
    expect(outcomeOf(await late.ask(refresh))).toEqual([401, 'UNAUTHENTICATED'])

    const used = await signedIn('READER', 'TOKEN')
    advance(299)
    const { status, cookies } = await used.ask(refresh)
    expect([status, cookies]).toEqual([200, [expect.stringMatching(/^__Host-refresh=.+; Max-Age=300; /)]])
    advance(200)
    expect((await used.ask(refresh)).status).toBe(200)
    advance(1)
    expect((await used.ask(refresh)).status).toBe(401)
  })

  test('cannot be repeated without a grace window: the second use revokes the family', async () => {
    const { events, signedIn } = createBench({ options: { sessions: { refresh: refreshLives } } })
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

test('an access token expires after the lifetime of the option', async () => {
  const { advance, signedIn } = createBench({ options: { sessions: { accessTokens: { lifetimeSeconds: 300 } } } })
  const visitor = await signedIn('READER', 'TOKEN')
  expect((await visitor.ask(refresh)).data).toEqual({ refresh: { expiresIn: 300 } })
  advance(299)
  expect((await visitor.ask(viewer)).status).toBe(200)
  advance(6) // five seconds of it are what clocks may differ by
  expect((await visitor.ask(viewer)).status).toBe(401)
})

test('links expire by the lifetimes of the options', async () => {
  const bench = createBench({ options: { mails: { linkSeconds: { verifyEmail: 60, resetPassword: 120 } } } })
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

test('the cookies have the names and attributes of the options, and are read by them', async () => {
  const { insert, visitor } = createBench({
    options: { sessions: { cookie: { prefix: '__Host-Http-', sameSite: 'Strict' } } },
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
