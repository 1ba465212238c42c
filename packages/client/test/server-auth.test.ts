import { createAuthClient } from '@latchkey/client'
import { createServerAuth } from '@latchkey/client/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { browserFetch, openService } from './support/open-service.ts'

const origin = 'https://app.example.com'
const url = `${origin}/graphql`

async function openSignedIn() {
  const { service, writes } = await openService(origin)
  const { fetch, cookies } = browserFetch(service)
  const { account, password } = await service.signedIn({ role: 'READER' })
  const auth = createAuthClient({ url, fetch })
  onTestFinished(() => auth.dispose())
  await auth.signIn({ email: account.email, password })
  const cookie = ['theme=dark', ...[...cookies].map(([name, value]) => `${name}=${value}`)].join('; ')
  const sent: Request[] = []
  const serverAuth = createServerAuth({
    url,
    fetch: (input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return service.server.fetch(request)
    },
  })
  return { account, password, auth, sent, serverAuth, writes, headers: { cookie, host: 'app.example.com' } }
}

describe('the state of a request', () => {
  test('is who its session belongs to, and hydrates a page', async () => {
    const { account, serverAuth, headers } = await openSignedIn()
    const state = await serverAuth.getState(new Headers(headers))
    expect(state).toMatchObject({ status: 'signed-in', user: { id: account.id, email: account.email } })
    const page = createAuthClient({ url, fetch: () => Promise.reject(new Error('nothing is asked')) })
    page.hydrate(state)
    page.subscribe(() => {})
    expect(page.getState()).toMatchObject({ status: 'signed-in', user: { id: account.id } })
    page.dispose()
  })

  test('is signed out without a session', async () => {
    const { serverAuth } = await openSignedIn()
    const state = await serverAuth.getState(new Headers({ host: 'app.example.com' }))
    expect(state).toEqual({ status: 'signed-out', reason: 'none' })
  })

  test('is the user’s also where a link of another site led here', async () => {
    const { serverAuth, headers } = await openSignedIn()
    const state = await serverAuth.getState(new Headers({ ...headers, 'sec-fetch-site': 'cross-site' }))
    expect(state.status).toBe('signed-in')
  })

  test('is not signed out while the service is away', async () => {
    const serverAuth = createServerAuth({ url, fetch: () => Promise.reject(new TypeError('failed')) })
    await expect(serverAuth.getState(new Headers())).resolves.toEqual({ status: 'loading', isOffline: true })
  })
})

describe('an operation', () => {
  test('passes on the cookies of the service, user agent and language, and nothing else', async () => {
    const { serverAuth, headers, sent } = await openSignedIn()
    const more = { 'user-agent': 'Firefox', 'accept-language': 'de', 'x-forwarded-for': '192.0.2.1', 'x-secret': 'no' }
    await serverAuth.request(new Headers({ ...headers, ...more, authorization: 'Bearer x' }), '{ secret }')
    const [request] = sent
    expect(request?.headers.get('cookie')).not.toContain('theme')
    expect([...(request?.headers.keys() ?? [])].sort()).toEqual(
      ['accept', 'accept-language', 'content-type', 'cookie', 'user-agent', 'x-forwarded-for'].sort(),
    )
  })

  test('that is a mutation of the own origin runs once', async () => {
    const { serverAuth, headers, writes } = await openSignedIn()
    const own = new Headers({ ...headers, origin, 'sec-fetch-site': 'same-origin' })
    await expect(serverAuth.request(own, 'mutation { write }')).resolves.toEqual({ data: { write: 1 }, setCookies: [] })
    expect(writes.count).toBe(1)
  })

  test('that renews the session returns its cookies for the browser', async () => {
    const { serverAuth, headers, password } = await openSignedIn()
    const own = new Headers({ ...headers, origin, 'sec-fetch-site': 'same-origin' })
    const document = 'mutation($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }'
    const { setCookies } = await serverAuth.request(own, document, { input: { currentPassword: password } })
    expect(setCookies).toEqual(expect.arrayContaining([expect.stringMatching(/^__Host-session=/)]))
  })

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling origin', { origin: 'https://blog.example.com', 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: 'https://app.example.com:8443', 'sec-fetch-site': 'same-site' }],
    ['another site, as a link', { 'sec-fetch-site': 'cross-site' }],
    ['the origin null', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['nobody who says so', {}],
    ['a browser that says only its origin, which is another', { origin: 'https://evil.example' }],
  ])('that is a mutation of %s is CSRF_REJECTED, unsent', async (_name, forged) => {
    const { serverAuth, headers, sent, writes } = await openSignedIn()
    const request = serverAuth.request(new Headers({ ...headers, ...forged }), 'mutation { write }')
    await expect(request).rejects.toMatchObject({ name: 'AuthError', code: 'CSRF_REJECTED' })
    expect(sent).toEqual([])
    expect(writes.count).toBe(0)
  })

  test('that is refused rejects with the code of the service', async () => {
    const { serverAuth } = await openSignedIn()
    const request = serverAuth.request(new Headers(), '{ secret }')
    await expect(request).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 })
  })
})
