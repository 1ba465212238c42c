import { createServerAuth } from '@latchkey/client/server'
import { expect, test, vi } from 'vitest'

const url = 'https://app.test/graphql'

/** Returns a client of a server, and the requests that it has sent. */
function openServerAuth() {
  const fetch = vi.fn(async (_request: Request) => Response.json({ data: { ok: true } }))
  return { auth: createServerAuth({ url, fetch: fetch as never }), fetch }
}

const own = { host: 'app.test', origin: 'https://app.test' }

test.each([
  ['of the same origin', { ...own, 'sec-fetch-site': 'same-origin' }],
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

test('a query passes on the cookies of the service and no other header of the browser', async () => {
  const { auth, fetch } = openServerAuth()
  const cookie = 'theme=dark; __Host-session=a=b; xlatchkey-c=1; latchkey-device=d'
  const headers = { cookie, authorization: 'Bearer a', 'user-agent': 'u', 'x-forwarded-for': '192.0.2.1', ...own }
  await auth.request(new Headers(headers), '{ ok }')
  const sent = fetch.mock.calls[0]?.[0].headers ?? new Headers()
  expect(sent.get('cookie')).toBe('__Host-session=a=b; latchkey-device=d')
  expect([...sent.keys()].sort()).toEqual(['accept', 'content-type', 'cookie', 'user-agent', 'x-forwarded-for'])
})
