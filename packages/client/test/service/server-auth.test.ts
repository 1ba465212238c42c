import { createServerAuth } from '@latchkey/client/server'
import { describe, expect, test } from 'vitest'
import { openService, signIn } from './real-service.ts'

async function openServerAuth() {
  const service = await openService()
  const browser = await signIn(service)
  const sent: Headers[] = []
  const serverAuth = createServerAuth({
    url: service.url,
    fetch: (input, init) => {
      const request = new Request(input, init)
      sent.push(request.headers)
      return fetch(request)
    },
  })
  const { origin } = service
  const headers = (given: Record<string, string> = {}) =>
    new Headers({ cookie: browser.cookie(), host: new URL(origin).host, 'sec-fetch-site': 'same-origin', ...given })
  return { service, browser, sent, serverAuth, headers, origin }
}

describe('getState', () => {
  test('returns who has the session, as the client of the page does', async () => {
    const { browser, serverAuth, headers } = await openServerAuth()
    const state = await serverAuth.getState(headers())
    if (state.status !== 'signed-in') throw new Error(state.status)
    expect(state.user).toMatchObject({ id: browser.account.id, email: browser.account.email, role: 'READER' })
    expect(state.session.permissions).toEqual(['notes:write'])
    expect(JSON.stringify(state)).not.toContain('csrfToken')
  })

  test('passes on the cookies of the service alone, and what its journal needs', async () => {
    const { browser, sent, serverAuth, headers } = await openServerAuth()
    const journal = { 'user-agent': 'A browser', 'accept-language': 'de', 'x-forwarded-for': '203.0.113.7' }
    const cookie = `theme=dark; ${browser.cookie()}; analytics=1`
    await serverAuth.getState(headers({ ...journal, cookie, authorization: 'Bearer a', 'x-other': 'b' }))
    const [passed] = sent
    expect(passed?.get('cookie')).toBe(browser.cookie())
    expect(Object.fromEntries(passed ?? [])).toMatchObject(journal)
    expect([passed?.get('authorization'), passed?.get('x-other')]).toEqual([null, null])
  })

  test('without a session is signed out, and without an answer of the service loading', async () => {
    const { serverAuth, headers } = await openServerAuth()
    expect(await serverAuth.getState(headers({ cookie: 'theme=dark' }))).toEqual({
      status: 'signed-out',
      reason: 'none',
    })
    const away = createServerAuth({ url: 'http://127.0.0.1:1/graphql', fetch: () => Promise.reject(new TypeError()) })
    expect(await away.getState(headers())).toEqual({ status: 'loading', isOffline: true })
  })
})

describe('request', () => {
  test('reads with the session, and is refused without it', async () => {
    const { serverAuth, headers } = await openServerAuth()
    expect(await serverAuth.request(headers(), '{ secret }')).toEqual({ data: { secret: 'a secret' }, setCookies: [] })
    const refused = serverAuth.request(headers({ cookie: '' }), '{ secret }')
    await expect(refused).rejects.toMatchObject({ name: 'AuthError', code: 'UNAUTHENTICATED', status: 401 })
  })

  test.each([
    ['and the browser says where it comes from', (origin: string) => ({ origin })],
    ['and the browser sends no Origin', () => ({})],
  ])('runs a mutation of its own page once, %s', async (_what, given) => {
    const { service, serverAuth, headers, origin } = await openServerAuth()
    expect((await serverAuth.request(headers(given(origin)), 'mutation { write }')).data).toEqual({ write: 1 })
    expect(service.writes.count).toBe(1)
  })

  test('hands out the cookies that a mutation sets', async () => {
    const { browser, serverAuth, headers, origin } = await openServerAuth()
    const query = 'mutation($i:ConfirmPasswordInput!){confirmPassword(input:$i){status}}'
    const { setCookies } = await serverAuth.request(headers({ origin }), query, {
      i: { currentPassword: browser.password },
    })
    const cookie = setCookies.map((line) => line.split(';')[0]).join('; ')
    expect(cookie).not.toBe(browser.cookie())
    expect((await serverAuth.getState(headers({ cookie }))).status).toBe('signed-in')
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another site with an own Origin', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { 'sec-fetch-site': 'same-site', origin: 'https://other.example.com' }],
    ['an Origin that only begins like its host', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:1' }],
    ['nobody knows where', { 'sec-fetch-site': '' }],
    ['a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('rejects a mutation from %s, unsent', async (_what, given) => {
    const { service, sent, serverAuth, headers } = await openServerAuth()
    const forged = serverAuth.request(headers(given), 'mutation { write }')
    await expect(forged).rejects.toMatchObject({ name: 'AuthError', code: 'CSRF_REJECTED' })
    expect([sent.length, service.writes.count]).toEqual([0, 0])
  })
})
