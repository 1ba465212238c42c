import { allowNativeDelivery } from '@latchkey/accounts'
import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { listen } from '@latchkey/server/node'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Bench, createBench, password } from '../support/bench.ts'
import { createVisitor, outcomeOf, ownPage } from '../support/visitor.ts'

let bench: Bench
beforeEach(() => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
})

const viewer = '{ viewer { id email } }'

const deviceCookie = expect.stringMatching(
  /^__Host-device=[\w.~-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
)

describe('a sign-in', () => {
  test('SESSION sets a cookie that scripts cannot read, and the body has no credential but the csrfToken', async () => {
    const { id, email } = await bench.insert()
    const visitor = bench.visitor()
    const answer = await visitor.signIn(email, password)
    expect(answer.status).toBe(200)
    expect(answer.data.signIn).toEqual({
      status: 'SIGNED_IN',
      account: { id, name: 'A Reader', email, role: 'READER' },
      accessToken: null,
      expiresIn: null,
      refreshToken: null,
      csrfToken: expect.stringMatching(/^[\w.-]+$/),
      challenge: null,
      factors: [],
      deviceToken: null,
    })
    expect(answer.cookies).toEqual([expect.any(String), deviceCookie])
    expect(answer.cookies[0]).toMatch(
      /^__Host-session=se_[\w-]{22}\.[\w-]+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect((await visitor.ask(viewer)).data).toEqual({ viewer: { id, email } })
  })

  test('TOKEN delivers the access token in the body, and the refresh token in its cookie only', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const answer = await visitor.signIn(email, password, 'TOKEN')
    expect(answer.data.signIn).toMatchObject({ expiresIn: 900, refreshToken: null, csrfToken: null })
    expect(answer.data.signIn.accessToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(answer.data.signIn.deviceToken).toBeNull()
    expect(answer.cookies).toEqual([expect.any(String), deviceCookie])
    expect(answer.cookies[0]).toMatch(
      /^__Host-refresh=rt_[\w-]{22}\.[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    visitor.jar.clear()
    expect((await visitor.ask(viewer)).data.viewer.email).toBe(email)
  })

  test('NATIVE delivers all tokens in the body, and no cookie', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const answer = await visitor.signIn(email, password, 'NATIVE')
    expect(answer.data.signIn).toMatchObject({ expiresIn: 900, csrfToken: null })
    expect(answer.data.signIn.refreshToken).toMatch(/^rt_/)
    expect(answer.data.signIn.deviceToken).toMatch(/^a\.[\w.-]+$/)
    expect(answer.cookies).toEqual([])
    expect((await visitor.ask(viewer)).data.viewer.email).toBe(email)
  })

  test('expiresIn of an access token includes the second in which it was issued', async () => {
    const { email } = await bench.insert()
    bench.clock.time += 999
    expect((await bench.visitor().signIn(email, password, 'TOKEN')).data.signIn.expiresIn).toBe(900)
  })

  test("by token expires with its access token's lifetime", async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    bench.advance(899)
    expect((await visitor.ask(viewer)).status).toBe(200)
    bench.advance(61)
    const late = await visitor.ask(viewer)
    expect(outcomeOf(late)).toEqual([401, 'UNAUTHENTICATED'])
    expect(late.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('without a delivery is a session', async () => {
    const { email } = await bench.insert()
    for (const delivery of ['', ', delivery: null']) {
      const { data, cookies } = await bench
        .visitor()
        .ask(`mutation { signIn(input: { email: "${email}", password: "${password}"${delivery} }) { accessToken } }`)
      expect(data.signIn.accessToken).toBeNull()
      expect(cookies[0]).toMatch(/^__Host-session=/)
    }
  })

  test.each(['SESSION', 'TOKEN', 'NATIVE'] as const)('over a session replaces it, with %s too', async (delivery) => {
    const visitor = await bench.signedIn()
    const before = Object.assign(bench.visitor(), { jar: new Map(visitor.jar) })
    await visitor.signIn(visitor.account.email, password, delivery)
    expect((await visitor.ask('{ sessions { id } }')).data.sessions).toHaveLength(1)
    expect((await before.ask(viewer)).status).toBe(401)
    expect([...visitor.jar.keys()].filter((name) => name !== '__Host-device')).toEqual(
      { SESSION: ['__Host-session'], TOKEN: ['__Host-refresh'], NATIVE: [] }[delivery],
    )
  })

  test.each(['SESSION', 'TOKEN', 'NATIVE'] as const)(
    'with a bearer token replaces the session of the cookie, with %s too',
    async (delivery) => {
      const visitor = await bench.signedIn()
      const before = Object.assign(bench.visitor(), { jar: new Map(visitor.jar) })
      visitor.bearer = (await bench.signedIn('READER', 'NATIVE')).bearer
      await visitor.signIn(visitor.account.email, password, delivery)
      expect((await before.ask(viewer)).status).toBe(401)
      visitor.bearer = 'an invalid token'
      await visitor.signIn(visitor.account.email, password, delivery)
      if (delivery === 'SESSION') visitor.bearer = null
      expect((await visitor.ask('{ sessions { id } }')).data.sessions).toHaveLength(delivery === 'NATIVE' ? 2 : 1)
    },
  )

  test('by token revokes the family of the refresh cookie that it replaces', async () => {
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const before = Object.assign(bench.visitor(), { jar: new Map(visitor.jar), bearer: visitor.bearer })
    visitor.bearer = null
    await visitor.signIn(visitor.account.email, password, 'TOKEN')
    expect((await visitor.ask('{ sessions { id } }')).data.sessions).toHaveLength(1)
    expect((await before.ask(viewer)).status).toBe(401)
    before.bearer = null
    expect((await before.ask('mutation { refresh { accessToken } }')).status).toBe(401)
  })

  test('keeps the earlier session and tokens if it is refused', async () => {
    const session = await bench.signedIn()
    const tokens = await bench.signedIn('READER', 'TOKEN')
    for (const visitor of [session, tokens]) {
      expect((await visitor.signIn(visitor.account.email, 'a wrong password', 'TOKEN')).status).toBe(401)
      expect((await visitor.ask(viewer)).status).toBe(200)
    }
  })

  test('returns fields that the new account may read, not the earlier account', async () => {
    const admin = await bench.signedIn('ADMIN')
    const { email } = await bench.insert()
    const answer = await admin.signIn(email, password)
    expect(answer.data.signIn.account).toMatchObject({ email, role: 'READER' })
  })
})

describe('native delivery', () => {
  test.each([
    ['Origin', { origin: 'https://example.com' }],
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }],
    ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
    ['all that a page of our own sends', ownPage],
    ['all that a browser without Fetch Metadata sends', { origin: 'https://example.com', 'user-agent': 'Mozilla/5.0' }],
  ])('is refused to a request with %s, at sign-in and at refresh', async (_what, headers) => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    await visitor.signIn(email, password, 'NATIVE')
    const { refreshToken } = visitor
    visitor.bearer = null
    visitor.headers = headers as Record<string, string>
    const signIn = await visitor.signIn(email, password, 'NATIVE')
    expect(signIn.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.delivery' })
    const refresh = 'mutation ($t: String!) { refresh(input: { refreshToken: $t }) { accessToken } }'
    const refreshed = await visitor.ask(refresh, { t: refreshToken })
    expect(refreshed.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.refreshToken' })
    expect(signIn.text + refreshed.text).not.toContain('rt_')
    visitor.headers = {}
    expect((await visitor.ask(refresh, { t: refreshToken })).status).toBe(200)
  })

  test('is for the fetch of Node.js, which sends Sec-Fetch-Mode, and neither Origin nor Sec-Fetch-Site', async () => {
    const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [] })
    onTestFinished(() => listener.close())
    const { email } = await bench.insert()
    const visitor = createVisitor(`http://127.0.0.1:${listener.port}`)
    const { data } = await visitor.signIn(email, password, 'NATIVE')
    expect(data.signIn.refreshToken).toMatch(/^rt_/)
    visitor.bearer = null
    const refresh = 'mutation ($t: String!) { refresh(input: { refreshToken: $t }) { refreshToken } }'
    const refreshed = await visitor.ask(refresh, { t: data.signIn.refreshToken })
    expect(refreshed.data.refresh.refreshToken).toMatch(/^rt_/)
  })

  test('is refused unless it is allowed, before the account is read', async () => {
    const { server, insert, visitor } = createBench()
    const { email } = await insert()
    const [known, unknown] = [
      await visitor().signIn(email, password, 'NATIVE'),
      await visitor().signIn('nobody@example.com', password, 'NATIVE'),
    ]
    expect(known.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.delivery' })
    expect(known.text).toBe(unknown.text)
    await server.close()
  })
})

test('over plain http on loopback the cookies have other names and no Secure', async () => {
  const { insert, visitor } = createBench({
    options: { baseUrl: 'http://127.0.0.1:4000', http: { transport: allowPlainHttpOnLoopback } },
  })
  const { email } = await insert()
  const stranger = visitor()
  const [session] = (await stranger.signIn(email, password)).cookies
  expect(session).toMatch(/^latchkey-session=se_[^;]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await stranger.ask(viewer)).data.viewer.email).toBe(email)
  const [refresh] = (await stranger.signIn(email, password, 'TOKEN')).cookies.slice(-2)
  expect(refresh).toMatch(/^latchkey-refresh=rt_[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
})
