import { AccessError } from '@latchkey/graphql'
import { PasswordError } from '@latchkey/password'
import { StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { createBench, password, passwords } from '../support/bench.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const bench = createBench()
let visitor: Visitor
let email: string
beforeEach(async () => {
  visitor = bench.visitor()
  email = (await bench.insert()).email
})

const signIn = (fields: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = ownForm) =>
  visitor.post('/sign-in', { email, password, ...fields }, headers)
const isSignedIn = async () => (await visitor.ask('{ viewer { id } }')).status === 200

describe('/sign-in', () => {
  test('shows a form that password managers and passkeys know', async () => {
    const page = await visitor.get('/sign-in')
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign in'])
    expect(page.text).toMatch(/<label for="email">Email<\/label>\n<input id="email" name="email" type="email" /)
    expect(page.text).toContain('autocomplete="username webauthn"')
    expect(page.text).toMatch(/<input id="password" name="password" type="password" autocomplete="current-password"/)
    expect(page.text).not.toContain('<script')
    expect(page.cookies).toEqual([])
  })

  test('signs in by the cookies of the mutation, and redirects', async () => {
    const answer = await signIn({ return_to: '/account' })
    expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([303, '/account', ''])
    const byMutation = await bench.visitor().signIn(email, password)
    const attributes = (cookies: readonly string[]) => cookies.map((line) => line.replace(/=[^;]*/, '')).sort()
    expect(attributes(answer.cookies)).toEqual(attributes(byMutation.cookies))
    expect(answer.cookies.map((line) => line.split('=', 1)[0])).toEqual(['__Host-session', '__Host-device'])
    expect(await isSignedIn()).toBe(true)
  })

  test('replaces the session of the cookie, which is dead at once', async () => {
    await signIn()
    const old = visitor.jar.get('__Host-session') ?? ''
    await signIn()
    expect(await isSignedIn()).toBe(true)
    visitor.jar.set('__Host-session', old)
    expect(await isSignedIn()).toBe(false)
  })

  test('redirects at once with a session', async () => {
    await signIn()
    const answer = await visitor.get('/sign-in?return_to=%2Faccount')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
  })

  test('shows the same message for a wrong password and an unknown address, and sets no cookie', async () => {
    const wrong = await signIn({ password: 'not the password at all', return_to: '/account' })
    const unknown = await signIn({ email: 'no-one@example.com', return_to: '/account' })
    for (const answer of [wrong, unknown]) {
      expect([answer.status, titleOf(answer), answer.cookies]).toEqual([401, 'Sign in', []])
      expect(answer.text).toContain('<p class="problem" id="problem" role="alert">')
      expect(answer.text).toMatch(/name="password"[^>]* aria-invalid="true" aria-describedby="problem" autofocus>/)
      expect(fieldValue(answer, 'return_to')).toBe('/account')
      expect(answer.text).not.toContain('not the password')
    }
    const bare = (text: string) => text.replaceAll(/(?:nonce|value)="[^"]*"/g, '')
    expect(bare(wrong.text)).toBe(bare(unknown.text))
    expect([fieldValue(wrong, 'email'), fieldValue(unknown, 'email')]).toEqual([email, 'no-one@example.com'])
    expect(await isSignedIn()).toBe(false)
  })

  test.each([
    ['without a password', { password: '' }],
    ['without an address', { email: '' }],
  ])('refuses a form %s without testing anything', async (_what, fields) => {
    const before = bench.events.length
    const answer = await signIn(fields)
    expect([answer.status, titleOf(answer), answer.cookies]).toEqual([400, 'Sign in', []])
    expect(bench.events.slice(before)).toEqual([])
  })

  test.each([
    ['JSON', '{"email":"a","password":"b"}', 'application/json'],
    ['two passwords', 'email=a&password=b&password=c', 'application/x-www-form-urlencoded'],
    ['more than a form has', `email=a&password=${'x'.repeat(9000)}`, 'application/x-www-form-urlencoded'],
    ['nothing', '', 'application/x-www-form-urlencoded'],
  ])('refuses %s', async (_what, body, type) => {
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    expect((await bench.server.fetch(new Request('https://example.com/sign-in', init))).status).toBe(400)
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('refuses a form of %s, so that it cannot sign in its own account', async (_who, headers) => {
    const answer = await signIn({}, headers)
    expect([answer.status, titleOf(answer), answer.cookies]).toEqual([403, 'Request blocked', []])
  })

  test('writes what was typed as text', async () => {
    const typed = `"><script>alert('1')</script>&amp;`
    const answer = await signIn({ email: typed, password: 'x', return_to: '/"><script>' })
    expect(answer.text).not.toContain('<script')
    expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;"')
  })

  test('is counted as an attempt from a page', async () => {
    await signIn({ password: 'not the password at all' })
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', channel: 'page' })
  })

  test('answers 429 with Retry-After for a limited attempt', async () => {
    const limited = createBench({
      beside: bench,
      options: {
        signIn: {
          passwordHasher: {
            ...passwords,
            verify: () => Promise.reject(new AccessError('RATE_LIMITED', { retryAfterSeconds: 900 })),
          },
        },
      },
    })
    const answer = await limited.visitor().post('/sign-in', { email, password }, ownForm)
    expect([answer.status, titleOf(answer), answer.headers.get('retry-after'), answer.cookies]).toEqual([
      429,
      'Too many attempts',
      '900',
      [],
    ])
  })

  test('answers 503 with Retry-After while too many passwords wait, and when the store is down', async () => {
    const overloaded = createBench({
      beside: bench,
      options: {
        signIn: {
          passwordHasher: {
            ...passwords,
            verify: () => Promise.reject(new PasswordError('PASSWORD_HASHER_UNAVAILABLE', 'x', 7)),
          },
        },
      },
    })
    const waiting = await overloaded.visitor().post('/sign-in', { email, password }, ownForm)
    expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([503, '7'])
    const down = createBench({
      beside: bench,
      around: (call, run) => {
        if (call === 'accounts.getByEmail') throw new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down')
        return run()
      },
    })
    const answer = await down.visitor().post('/sign-in', { email, password }, ownForm)
    expect([answer.status, titleOf(answer), answer.cookies]).toEqual([503, 'Temporarily unavailable', []])
    expect(answer.text).not.toContain('10.0.0.7')
  })
})

describe('the destination of a sign-in', () => {
  const own = [
    '/account',
    '/account?tab=1&x=%2F%2Fevil',
    '/a/b',
    '/~me/@you:8080',
    '/a?next=https://example.com/',
    '/?q=1#part',
  ]
  test.each(own)('%s, which is a path of this service', async (path) => {
    const page = await visitor.get(`/sign-in?return_to=${encodeURIComponent(path)}`)
    expect(fieldValue(page, 'return_to')).toBe(path.replaceAll('&', '&amp;'))
    expect((await signIn({ return_to: path })).headers.get('location')).toBe(path)
  })

  test.each([
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a//b',
    '/%2fevil.example',
    '/%252fevil.example',
    '/..',
    '/%2e//evil.example',
    'https://evil.example',
    'https:/evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    'account',
    './account',
    '?x',
    '#x',
    ' /account',
    '/account ',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a\r\nset-cookie: x=y',
    '\t//evil.example',
    '\u0000/account',
    '/a\u0000',
    '/a\\b',
    '/\u2028',
    '/ä',
    '/\u{1f600}',
    `/${'x'.repeat(2048)}`,
  ])('the home in place of %j', async (path) => {
    const page = await visitor.get(`/sign-in?return_to=${encodeURIComponent(path)}`)
    expect([page.status, fieldValue(page, 'return_to')]).toEqual([200, undefined])
    expect((await signIn({ return_to: path })).headers.get('location')).toBe('/account')
    const again = await visitor.get(`/sign-in?return_to=${encodeURIComponent(path)}`)
    expect([again.status, again.headers.get('location')]).toEqual([303, '/account'])
  })
})

describe('/account', () => {
  test.each(['/account', '/account?x=1'])('redirects to the sign-in and back without a session: %s', async (path) => {
    const answer = await visitor.get(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(path)}`,
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('says who is signed in, as text, and has a form to sign out', async () => {
    const account = await bench.insert({ name: 'Ada <b>"&' })
    await visitor.post('/sign-in', { email: account.email, password }, ownForm)
    const page = await visitor.get('/account')
    expect([page.status, titleOf(page)]).toEqual([200, 'Your account'])
    expect(page.text).toContain(
      `<strong>Ada &lt;b&gt;&quot;&amp;</strong> (<strong>${account.email.replaceAll('_', '_')}</strong>).`,
    )
    expect(page.text).toContain('<form method="post" action="/sign-out">')
  })

  test.each([
    ['a bearer token', async () => ({ authorization: `Bearer ${(await bench.signedIn('READER', 'TOKEN')).bearer}` })],
    ['a session that has ended', async () => ({ cookie: `__Host-session=se_${'A'.repeat(22)}.${'A'.repeat(43)}` })],
    ['two session cookies', async () => ({ cookie: '__Host-session=a; __Host-session=b' })],
  ])('does not take %s for a sign-in', async (_what, headersOf) => {
    expect((await visitor.get('/account', await headersOf())).status).toBe(303)
  })

  test('ignores the cookie of a request with a bearer token, as the endpoint does', async () => {
    await signIn()
    expect((await visitor.get('/account', { authorization: 'Bearer x' })).status).toBe(303)
    expect((await visitor.get('/account')).status).toBe(200)
  })

  test('redirects a disabled account to the sign-in', async () => {
    await signIn()
    const account = await bench.stores.accounts.getByEmail(email)
    await (await bench.server.accounts()).disable({
      id: account?.id ?? '',
      attempt: { address: null, deviceToken: null, channel: 'command', requestId: null },
    })
    expect((await visitor.get('/account')).status).toBe(303)
    expect((await signIn()).status).toBe(401)
  })

  test('is 503 and no sign-out while the store is down', async () => {
    await signIn()
    const down = createBench({
      beside: bench,
      around: (call, run) => {
        if (call.startsWith('records.')) throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    const cookie = `__Host-session=${visitor.jar.get('__Host-session')}`
    for (const path of ['/account', '/sign-in']) {
      const answer = await down.visitor().get(path, { cookie })
      expect([answer.status, answer.cookies]).toEqual([503, []])
    }
  })
})

describe('/sign-out', () => {
  test('revokes the session and the family of the cookies, and redirects to the sign-in', async () => {
    await signIn()
    const session = visitor.jar.get('__Host-session') ?? ''
    const answer = await visitor.post('/sign-out', {}, ownForm)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in'])
    expect([...visitor.jar.keys()]).toEqual(['__Host-device'])
    visitor.jar.set('__Host-session', session)
    expect(await isSignedIn()).toBe(false)
  })

  test('responds alike without a session', async () => {
    expect((await visitor.post('/sign-out', {}, ownForm)).status).toBe(303)
  })

  test('is no link: it takes a form of this service only', async () => {
    await signIn()
    const byLink = await visitor.get('/sign-out')
    expect([byLink.status, byLink.headers.get('allow')]).toEqual([405, 'POST'])
    const forged = await visitor.post('/sign-out', {}, { origin: 'https://evil.example' })
    expect([forged.status, forged.cookies]).toEqual([403, []])
    expect(await isSignedIn()).toBe(true)
  })
})

test.each(['/sign-in', '/account'])('%s answers HEAD like GET, without a body', async (path) => {
  const request = (method: string) => bench.server.fetch(new Request(`https://example.com${path}`, { method }))
  const [head, get] = [await request('HEAD'), await request('GET')]
  expect([head.status, await head.text()]).toEqual([get.status, ''])
})

describe('the page to sign in', () => {
  const linksOf = ({ text }: Answer) => [...text.matchAll(/<a href="([^"]*)"/g)].map(([, path]) => path)

  test('links to a new password, and to the sign-up if people create accounts themselves', async () => {
    expect(linksOf(await bench.visitor().get('/sign-in'))).toEqual(['/reset', '/sign-up'])
    const closed = createBench({ options: { signUp: 'closed' } })
    expect(linksOf(await closed.visitor().get('/sign-in'))).toEqual(['/reset'])
  })

  test('is linked from all pages that are open without a sign-in', async () => {
    for (const path of ['/sign-up', '/reset']) {
      expect(linksOf(await bench.visitor().get(path))).toContain('/sign-in')
    }
  })
})
