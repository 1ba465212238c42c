import { providers } from '@latchkey/oauth/client'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { reader, requestPath } from '../../support/clients/asking.ts'
import { titleOf } from '../../support/forms.ts'
import {
  codeOf,
  comeBack,
  createProviderBench,
  isSignedIn,
  locationOf,
  type ProviderBench,
  pressed,
  signInWith,
} from '../../support/providers/provider-bench.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

let bench: ProviderBench
let visitor: Visitor
beforeEach(async () => {
  bench = createProviderBench()
  visitor = bench.visitor()
  await bench.link((await bench.insert()).id)
})

/** Begins with the first provider, and returns where it leads. */
const begun = async (answer: Readonly<Record<string, string | null>> = {}): Promise<URL> =>
  bench.one.authorize(await pressed(visitor, '/sign-in/with/one'), answer)

/** A refusal by this code, after which nothing is open and no session was made. */
async function expectRefused(answer: Answer, status: number, code: string): Promise<void> {
  expect([answer.status, codeOf(answer)]).toEqual([status, code])
  expect(titleOf(answer)).toBe('We couldn’t complete this sign-in')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await isSignedIn(visitor)).toBe(false)
  expect(bench.events.map(({ type }) => type)).not.toContain('session.created')
}

describe('a callback does not sign in', () => {
  test.each([
    ['access_denied', 401],
    ['login_required', 401],
    ['temporarily_unavailable', 503],
    ['server_error', 502],
    ['invalid_scope', 400],
  ])("after the provider's error %s", async (error, status) => {
    const answer = await comeBack(visitor, await begun({ code: null, error }))
    await expectRefused(answer, status, error)
    expect(answer.text).toContain('href="/sign-in"')
  })

  test('after an unknown error, which is not shown', async () => {
    const answer = await comeBack(visitor, await begun({ code: null, error: '<b>mine</b>' }))
    await expectRefused(answer, 400, 'refused')
    expect(answer.text).not.toContain('mine')
  })

  test('at another provider', async () => {
    const url = await begun()
    url.pathname = '/sign-in/with/two/callback'
    await expectRefused(await comeBack(visitor, url), 400, 'state')
    expect([bench.one.redeemed(), bench.two.redeemed()]).toEqual([0, 0])
  })

  test('in another browser, and stays valid in its own', async () => {
    const url = await begun()
    const other = await comeBack(bench.visitor(), url)
    await expectRefused(other, 400, 'state')
    expect(locationOf(await comeBack(visitor, url))).toEqual([303, '/account'])
  })

  test('without the cookie of its beginning', async () => {
    const url = await begun()
    visitor.jar.clear()
    await expectRefused(await comeBack(visitor, url), 400, 'state')
  })

  test('a second time', async () => {
    const url = await begun()
    const before = new Map(visitor.jar)
    expect(locationOf(await comeBack(visitor, url))).toEqual([303, '/account'])
    const copy = Object.assign(bench.visitor(), { jar: before })
    const again = await comeBack(copy, url)
    expect([again.status, codeOf(again)]).toEqual([400, 'used'])
    expect([await isSignedIn(copy), bench.one.redeemed()]).toEqual([false, 1])
  })

  test('after ten minutes', async () => {
    const url = await begun()
    bench.advance(601)
    await expectRefused(await comeBack(visitor, url), 400, 'expired')
  })

  test.each([
    ['the state of another sign-in', { state: `0.${'x'.repeat(43)}` }, 'state'],
    ['no state', { state: null }, 'state'],
    ['another issuer', { iss: 'https://two.example' }, 'issuer'],
    ['no issuer', { iss: null }, 'issuer'],
    ['a code that is none', { code: 'x' }, 'code'],
    ['neither a code nor an error', { code: null }, 'malformed'],
  ])('with %s', async (_what, changed, code) => {
    await expectRefused(await comeBack(visitor, await begun(changed)), 400, code)
  })

  test.each([
    ['of another audience', { aud: 'other' }, 'audience'],
    ['of another issuer', { iss: 'https://two.example' }, 'issuer'],
    ['with another nonce', { nonce: 'x' }, 'nonce'],
    ['that has ended', { exp: 1_700_000_000 }, 'expired'],
  ])('by an id token %s', async (_what, claims, detail) => {
    bench.one.claims = claims
    await expectRefused(await comeBack(visitor, await begun()), 400, `id-token: ${detail}`)
  })

  test('by a HEAD request, and stays valid', async () => {
    const url = await begun()
    const cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const asked = await bench.server.fetch(new Request(url, { method: 'HEAD', headers: { cookie } }))
    expect([asked.status, asked.headers.getSetCookie(), bench.one.redeemed()]).toEqual([200, [], 0])
    expect(locationOf(await comeBack(visitor, url))).toEqual([303, '/account'])
  })
})

describe('a provider that', () => {
  test.each([
    ['is down', () => Promise.reject(new Error('refused')), 503, 'OAUTH_PROVIDER_UNAVAILABLE'],
    ['answers 500', () => new Response('', { status: 500 }), 503, 'OAUTH_PROVIDER_UNAVAILABLE'],
    ['answers no JSON', () => new Response('<p>', { status: 200 }), 502, 'OAUTH_PROVIDER_INVALID'],
  ])('%s stops the sign-in, with its reason on the page', async (_what, respond, status, code) => {
    const url = await begun()
    bench.one.respond = respond
    const ended = await comeBack(visitor, url)
    await expectRefused(ended, status, code)
    bench.advance(3601)
    const notBegun = await visitor.post('/sign-in/with/one', {}, { origin: 'https://example.com' })
    await expectRefused(notBegun, status, code)
    expect(notBegun.cookies).toEqual([])
    expect(ended.headers.get('retry-after')).toBe(status === 503 ? '5' : null)
  })

  test('is slow is not waited for', async () => {
    const slow = createProviderBench({ one: { client: { timeoutMs: 100 } } })
    slow.one.respond = () => new Promise(() => {})
    const answer = await slow.visitor().post('/sign-in/with/one', {}, { origin: 'https://example.com' })
    expect([answer.status, codeOf(answer)]).toEqual([503, 'OAUTH_PROVIDER_UNAVAILABLE'])
  })
})

test('an outage of a store is 503 without a sign-in', async () => {
  const url = await begun()
  bench.linkReads.before = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store is down'))
  const answer = await comeBack(visitor, url)
  expect([answer.status, titleOf(answer)]).toEqual([503, 'Temporarily unavailable'])
  expect(visitor.jar.has('__Host-session')).toBe(false)
})

test('a store that fails once a user is signed in does not take away the session that there was', async () => {
  const asking = createProviderBench({
    options: { oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [reader] }) },
  })
  const user = await asking.signedIn()
  await asking.link(user.account.id)
  const led = await user.get(requestPath({ prompt: 'login' }))
  const way = new URL(led.headers.get('location') ?? '', 'https://example.com').searchParams.get('return_to') ?? ''
  const url = asking.one.authorize(await pressed(user, '/sign-in/with/one', { return_to: way }))
  const { records } = asking.stores
  const { get } = records
  const opened = () => asking.events.filter(({ type }) => type === 'session.created').length
  const before = opened()
  records.get = (key) =>
    opened() > before ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store is down')) : get(key)
  const answer = await comeBack(user, url)
  records.get = get
  expect(answer.status).toBe(303)
  expect(await isSignedIn(user)).toBe(true)
})

describe('a provider that posts its answers, as Apple does', () => {
  const posting = () => {
    const { issuer } = bench.one
    const provider = { ...providers.openid({ issuer, name: 'one' }), responseMode: 'form_post' as const }
    return createProviderBench({ one: { provider } })
  }

  test('gets its answer verified after a redirect that has the cookies', async () => {
    const apple = posting()
    await apple.link((await apple.insert()).id)
    const user = apple.visitor()
    const url = apple.one.authorize(await pressed(user, '/sign-in/with/one', { return_to: '/devices' }))
    const stranger = apple.visitor()
    const headers = { origin: 'https://one.example', 'sec-fetch-site': 'cross-site' }
    const posted = await stranger.post(url.pathname, Object.fromEntries(url.searchParams), headers)
    expect([posted.status, posted.cookies]).toEqual([303, []])
    const location = new URL(posted.headers.get('location') ?? '')
    expect(`${location.origin}${location.pathname}`).toBe('https://example.com/sign-in/with/one/callback')
    expect([...location.searchParams.keys()]).toEqual(['handle'])
    expect((await comeBack(stranger, location)).status).toBe(400)
    const again = await user.post(url.pathname, Object.fromEntries(url.searchParams), headers)
    const answer = await comeBack(user, new URL(again.headers.get('location') ?? ''))
    expect(locationOf(answer)).toEqual([303, '/devices'])
    expect(await isSignedIn(user)).toBe(true)
  })

  test('has 300 answers per minute and address kept, for any states', async () => {
    const apple = posting()
    const { records } = apple.stores
    const { insert } = records
    let kept = 0
    records.insert = (record) => {
      kept += 1
      return insert(record)
    }
    const form = { code: 'x'.repeat(16_000), state: `0.${'x'.repeat(43)}` }
    const post = () => apple.visitor().post('/sign-in/with/one/callback', form)
    for (let made = 0; made < 300; made++) await post()
    const refused = await post()
    expect([refused.status, titleOf(refused), refused.headers.get('retry-after')]).toEqual([
      429,
      'Too many attempts',
      '60',
    ])
    expect(kept).toBe(300)
    apple.advance(60)
    expect((await post()).status).toBe(303)
  })

  test('is refused with an unknown state', async () => {
    const apple = posting()
    const answer = await apple.visitor().post('/sign-in/with/one/callback', { code: 'x', state: 'x' })
    expect([answer.status, codeOf(answer), answer.cookies]).toEqual([400, 'state', []])
  })
})

test('a posted answer is refused for a provider that does not post its answers', async () => {
  const url = await begun()
  const answer = await visitor.post(url.pathname, Object.fromEntries(url.searchParams))
  await expectRefused(answer, 400, 'malformed')
})

test('a callback without Fetch Metadata is repeated from this site if the session cookie is Strict', async () => {
  const strict = createProviderBench({ options: { sessions: { cookie: { sameSite: 'Strict' } } } })
  await strict.link((await strict.insert()).id)
  const user = strict.visitor()
  const url = strict.one.authorize(await pressed(user, '/sign-in/with/one'))
  const first = await user.get(`${url.pathname}${url.search}`)
  expect([first.status, strict.one.redeemed()]).toEqual([200, 0])
  const next = await user.get(/url=(.*)$/.exec(first.headers.get('refresh') ?? '')?.[1] ?? '')
  expect(locationOf(next)).toEqual([303, '/account'])
  expect(locationOf(await signInWith(strict.visitor(), strict.one))).toEqual([303, '/account'])
})
