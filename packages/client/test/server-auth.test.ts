import { createServerAuth } from '@latchkey/client/server'
import { describe, expect, test, vi } from 'vitest'
import { answer, refuse } from './support/fake-service.ts'

const url = 'https://app.test/graphql'

/** Returns a client of a server, and the requests that it has sent. It answers with these first. */
function openServerAuth(...responses: readonly (() => Response)[]) {
  const fetch = vi.fn(async (_request: Request) => Response.json({ data: { ok: true } }))
  for (const response of responses) fetch.mockImplementationOnce(async () => response())
  return { auth: createServerAuth({ url, fetch: fetch as never }), fetch }
}

const own = { host: 'app.test', origin: 'https://app.test' }
const sameOrigin = { ...own, 'sec-fetch-site': 'same-origin' }

test.each([
  ['of the same origin', sameOrigin],
  ['of the address bar', { ...own, 'sec-fetch-site': 'none' }],
  ['of an https page without Sec-Fetch-Site', own],
  ['of localhost without Sec-Fetch-Site', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
  ['of 127.0.0.1 without Sec-Fetch-Site', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
  ['of ::1 without Sec-Fetch-Site', { host: '[::1]:3000', origin: 'http://[::1]:3000' }],
  ['without Origin, of the same origin', { host: 'app.test', 'sec-fetch-site': 'same-origin' }],
])('a mutation %s is sent', async (_name, headers) => {
  const { auth, fetch } = openServerAuth()
  await expect(auth.request(new Headers(headers), 'mutation { ok }')).resolves.toMatchObject({ data: { ok: true } })
  expect(fetch).toHaveBeenCalledTimes(1)
})

test.each([
  ['of another site', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['with an unknown Sec-Fetch-Site', { ...own, 'sec-fetch-site': 'same-origin, cross-site' }],
  ['of another scheme at the same host', { ...own, origin: 'http://app.test', 'sec-fetch-site': 'same-site' }],
  ['of an http page without Sec-Fetch-Site', { host: 'app.test', origin: 'http://app.test' }],
  ['of the same site', { ...own, 'sec-fetch-site': 'same-site' }],
  ['of another origin', { host: 'app.test', origin: 'https://evil.test', 'sec-fetch-site': 'same-site' }],
  ['of the origin null', { host: 'app.test', origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['without Origin, of the same site', { host: 'app.test', 'sec-fetch-site': 'same-site' }],
  ['without Origin and Sec-Fetch-Site', { host: 'app.test' }],
  ['of an origin that starts with the host', { host: 'app.test', origin: 'https://app.test.evil.test' }],
])('a mutation %s is CSRF_REJECTED and not sent', async (_name, headers) => {
  const { auth, fetch } = openServerAuth()
  const refused = auth.request(new Headers(headers as Record<string, string>), 'mutation { ok }')
  await expect(refused).rejects.toMatchObject({ name: 'AuthError', code: 'CSRF_REJECTED' })
  expect(fetch).not.toHaveBeenCalled()
})

test('a query passes on only the cookies of the service, the user agent, the language and the address', async () => {
  const { auth, fetch } = openServerAuth()
  const cookie = 'theme=dark; __Host-session=a=b; xlatchkey-c=1; latchkey-device=d'
  const passedOn = { 'user-agent': 'u', 'accept-language': 'de-CH, en;q=0.5', 'x-forwarded-for': '192.0.2.1' }
  const others = { authorization: 'Bearer a', referer: 'https://app.test/a', 'x-csrf-token': 'c', ...own }
  await auth.request(new Headers({ cookie, ...passedOn, ...others }), '{ ok }')
  expect(Object.fromEntries(fetch.mock.calls[0]?.[0].headers ?? [])).toEqual({
    accept: 'application/graphql-response+json',
    'content-type': 'application/json',
    cookie: '__Host-session=a=b; latchkey-device=d',
    ...passedOn,
  })
})

test('a mutation passes on Origin and Sec-Fetch-Site as well', async () => {
  const { auth, fetch } = openServerAuth()
  await auth.request(new Headers({ ...sameOrigin, referer: 'https://app.test/a' }), 'mutation { ok }')
  const { host: _host, ...passedOn } = sameOrigin
  expect(Object.fromEntries(fetch.mock.calls[0]?.[0].headers ?? [])).toEqual({
    accept: 'application/graphql-response+json',
    'content-type': 'application/json',
    ...passedOn,
  })
})

describe('the CSRF token', () => {
  const refused = () => refuse(403, { code: 'CSRF_REJECTED' }, { 'x-csrf-token': 'fetched' })
  const shown = ({ mock }: ReturnType<typeof openServerAuth>['fetch']) =>
    mock.calls.map(([request]) => request.headers.get('x-csrf-token'))

  test('of a mutation is fetched from its refusal, and the same mutation is sent with it', async () => {
    const { auth, fetch } = openServerAuth(refused)
    const sent = await auth.request(new Headers(sameOrigin), 'mutation ($n: Int) { ok(n: $n) }', { n: 1 })
    expect([sent.data, shown(fetch)]).toEqual([{ ok: true }, [null, 'fetched']])
    const [first, second] = await Promise.all(fetch.mock.calls.map(([request]) => request.json()))
    expect([first, second]).toEqual([first, first])
  })

  test('that is refused again rejects the mutation', async () => {
    const { auth, fetch } = openServerAuth(refused, refused)
    const sent = auth.request(new Headers(sameOrigin), 'mutation { ok }')
    await expect(sent).rejects.toMatchObject({ code: 'CSRF_REJECTED', status: 403 })
    expect(shown(fetch)).toEqual([null, 'fetched'])
  })

  test.each([
    ['a mutation that is refused without a token', 'mutation { ok }', () => refuse(403, { code: 'FORBIDDEN' })],
    ['a query', '{ ok }', refused],
  ])('is fetched for no second request of %s', async (_name, document, response) => {
    const { auth, fetch } = openServerAuth(response)
    await expect(auth.request(new Headers(sameOrigin), document)).rejects.toMatchObject({ status: 403 })
    expect(shown(fetch)).toEqual([null])
  })
})

test('setCookies are the cookies of the response in their order, those of the last response', async () => {
  const lines = [
    '__Host-session=b; Path=/; HttpOnly; Secure',
    'latchkey-device=d; Expires=Thu, 01 Jan 2026 00:00:00 GMT',
  ]
  const withCookies = (response: Response, cookies: readonly string[]) => {
    for (const line of cookies) response.headers.append('set-cookie', line)
    return response
  }
  const refused = () => withCookies(refuse(403, { code: 'CSRF_REJECTED' }, { 'x-csrf-token': 'c' }), ['old=1'])
  const { auth } = openServerAuth(refused, () => withCookies(answer({ ok: true }), lines))
  const headers = new Headers(sameOrigin)
  expect((await auth.request(headers, 'mutation { ok }')).setCookies).toEqual(lines)
  expect((await auth.request(headers, 'mutation { ok }')).setCookies).toEqual([])
})
