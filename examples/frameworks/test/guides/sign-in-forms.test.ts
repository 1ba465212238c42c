import { request } from 'node:http'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { emailOf, password, type Started, startApp } from './start-guide.ts'
import { createVisitor, type Visitor } from './visitor.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const session = '__Host-session'

describe('the application of the guide about forms', () => {
  let app: Started
  beforeAll(async () => {
    app = await startApp((code) => ({ 'app.ts': code }))
    return app.stop
  })
  const visitor = (address?: string): Visitor => createVisitor(app.origin, address)

  async function isSignedIn(browser: Visitor): Promise<boolean> {
    const { status, location } = await browser.get('/')
    expect([status, location]).toEqual(status === 200 ? [200, null] : [303, '/sign-in?returnTo=%2F'])
    return status === 200
  }

  test('signs in by a form, shows a page, signs out by a form, and redirects after each', async () => {
    const browser = visitor()
    expect(await browser.get('/')).toMatchObject({ status: 303, location: '/sign-in?returnTo=%2F' })
    expect(await browser.signIn('ada', { returnTo: '/' })).toMatchObject({ status: 303, location: '/' })
    const home = await browser.get('/')
    expect(home.text).toContain('signed in as ada')
    const shown = browser.jar.get(session) ?? ''
    const left = await browser.post('/sign-out', { csrf: home.csrf })
    expect(left).toMatchObject({ status: 303, location: '/sign-in' })
    expect(browser.jar.has(session)).toBe(false)
    browser.jar.set(session, shown)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('shows the address again, escaped, after a wrong password, and sets no cookie', async () => {
    const browser = visitor()
    const refused = await browser.post('/sign-in', { email: '"><script>@example.com', password: 'wrong' })
    expect(refused).toMatchObject({ status: 401, cookies: [] })
    expect(refused.text).toContain('value="&quot;&gt;&lt;script&gt;@example.com"')
  })

  test.each([
    ['sec-fetch-site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling', { 'sec-fetch-site': 'same-site', origin: 'https://a.example.com' }],
    ['the origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['no origin', { 'sec-fetch-site': '', origin: 'null' }],
  ])('refuses a sign-in and a sign-out by a form of another site: %s', async (_what, headers) => {
    const browser = visitor()
    const forged = await browser.post('/sign-in', { email: emailOf('ada'), password }, headers)
    expect(forged).toMatchObject({ status: 403, cookies: [] })
    await browser.signIn('ada')
    const { csrf } = await browser.get('/')
    expect((await browser.post('/sign-out', { csrf }, headers)).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('refuses a sign-out without the CSRF field of the session', async () => {
    const [browser, other] = [visitor(), visitor()]
    await browser.signIn('ada')
    await other.signIn('ada')
    const [{ csrf }, foreign] = [await browser.get('/'), await other.get('/')]
    const twice = new URLSearchParams([
      ['csrf', csrf],
      ['csrf', csrf],
    ])
    for (const fields of [{}, { csrf: '' }, { csrf: `${csrf}x` }, { csrf: foreign.csrf }, twice]) {
      expect((await browser.post('/sign-out', fields as URLSearchParams)).status).toBe(403)
    }
    expect(await isSignedIn(browser)).toBe(true)
    expect(await visitor().post('/sign-out', { csrf })).toMatchObject({ status: 303, location: '/sign-in' })
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('starts a session with a new id if the browser has shown a session, and revokes the earlier session', async () => {
    const [browser, thief] = [visitor(), visitor()]
    await thief.signIn('eve')
    const planted = thief.jar.get(session) ?? ''
    browser.jar.set(session, planted)
    await browser.signIn('ada')
    expect(browser.jar.get(session)).not.toBe(planted)
    expect(await isSignedIn(thief)).toBe(false)
    const first = browser.jar.get(session) ?? ''
    await browser.signIn('ada')
    const late = visitor()
    late.jar.set(session, first)
    expect([await isSignedIn(late), await isSignedIn(browser)]).toEqual([false, true])
  })

  test.each([
    ['/inbox?page=2', '/inbox?page=2'],
    ['https://evil.example/', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/%2fevil.example', '/'],
    ['/\r\nset-cookie:a=b', '/'],
    ['javascript:alert(1)', '/'],
    ['"><script>', '/'],
    ['', '/'],
  ])('after the sign-in, %j leads to %s', async (returnTo, location) => {
    const browser = visitor()
    const { text } = await browser.get(`/sign-in?returnTo=${encodeURIComponent(returnTo)}`)
    expect(text).toContain(`name="returnTo" value="${location}"`)
    expect(await browser.signIn('ben', { returnTo })).toMatchObject({ status: 303, location })
  })

  test.each([
    ['421 for a foreign host', { host: 'evil.example' }, '', 421],
    ['400 for a host that is none', { host: 'a b' }, '', 400],
    ['413 for a form that is too large', {}, `email=${'x'.repeat(11_000)}`, 413],
    ['401 for no fields', {}, '', 401],
    ['401 for fields that were sent twice', {}, `email=ada%40example.com&password=a&password=b`, 401],
    [
      '401 for JSON',
      { 'content-type': 'application/json' },
      JSON.stringify({ email: 'ada@example.com', password }),
      401,
    ],
  ])('answers %s', async (_what, headers, body, status) => {
    const { hostname, port, host } = new URL(app.origin)
    const sent = request({
      hostname,
      port,
      path: '/sign-in',
      method: 'POST',
      headers: {
        host,
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': '198.51.100.77',
        ...headers,
      },
    }).end(body)
    const answered = await new Promise<[number | undefined, string[] | undefined]>((resolve) => {
      sent.on('response', (response) => {
        response.resume()
        resolve([response.statusCode, response.headers['set-cookie']])
      })
    })
    expect(answered).toEqual([status, undefined])
  })

  test('answers an unknown address as a wrong password, and not sooner', async () => {
    const timesOf: Record<string, number[]> = { cleo: [], nobody: [] }
    const texts = new Set<string>()
    for (let round = 0; round < 5; round++) {
      for (const [name, times] of Object.entries(timesOf)) {
        const browser = visitor()
        const start = performance.now()
        const { status, text, cookies } = await browser.post('/sign-in', { email: emailOf(name), password: 'wrong' })
        times.push(performance.now() - start)
        expect([status, cookies]).toEqual([401, []])
        texts.add(text.replaceAll(emailOf(name), ''))
      }
    }
    const medianOf = (name: string) => timesOf[name]?.toSorted((left, right) => left - right)[2] ?? 0
    expect(texts.size).toBe(1)
    expect(medianOf('nobody')).toBeGreaterThan(medianOf('cleo') / 3)
  })

  test('tests five of twenty wrong passwords at once, and then refuses the right one', async () => {
    const address = '198.51.100.1'
    const guess = () =>
      visitor(address).post('/sign-in', { email: ` ${emailOf('dan').toUpperCase()} `, password: 'wrong' })
    const statuses = (await Promise.all(Array.from({ length: 20 }, guess))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(5).fill(401), ...Array(15).fill(429)])
    const refused = await visitor(address).signIn('dan')
    expect(refused).toMatchObject({ status: 429, cookies: [] })
    expect(Number(refused.retryAfter)).toBeGreaterThan(60)
    expect(await visitor().signIn('dan')).toMatchObject({ status: 303 })
  })

  test('counts no right password: the same person signs in ten times from one address', async () => {
    for (let count = 0; count < 10; count++) {
      expect(await visitor('198.51.100.3').signIn('ida')).toMatchObject({ status: 303 })
    }
  })

  test('tests twenty-five wrong passwords of an account from however many addresses', async () => {
    for (let guesses = 0; guesses < 25; guesses++) {
      expect(await visitor().post('/sign-in', { email: emailOf('hal'), password: 'wrong' })).toMatchObject({
        status: 401,
      })
    }
    expect(await visitor().signIn('hal')).toMatchObject({ status: 429, cookies: [] })
    expect(await visitor().signIn('ida')).toMatchObject({ status: 303 })
  })

  test('tests thirty of forty passwords from one client address, for any accounts', async () => {
    const browser = visitor('198.51.100.2')
    const guess = (_none: unknown, index: number) =>
      browser.post('/sign-in', { email: emailOf(`nobody-${index}`), password: 'wrong' })
    const statuses = (await Promise.all(Array.from({ length: 40 }, guess))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(await browser.signIn('ida')).toMatchObject({ status: 429, cookies: [] })
  })
})
