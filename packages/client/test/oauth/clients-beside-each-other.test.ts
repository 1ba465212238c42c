import { createAuthClient } from '@latchkey/client'
import { createOAuthClient, type OAuthClient } from '@latchkey/client/oauth'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pause, reach } from '../support/fake-service.ts'

const issuer = 'https://id.test'
const user = { id: 'ada', name: 'Ada' }
const session = {
  account: user,
  csrfToken: 'csrf',
  expiresIn: 900,
  idleExpiresIn: 900,
  authenticatedAt: 'at',
  factors: [],
}

/** What a service has given and was sent, as far as tokens of one client go. */
class FakeAuthorizationServer {
  readonly sent: string[] = []
  readonly headers: Headers[] = []
  revokeMs = 0
  isRevocable = true
  #tokens = 0
  #isOpen = true

  readonly fetch = async (input: RequestInfo | URL): Promise<Response> => {
    const request = new Request(input)
    const { pathname } = new URL(request.url)
    const form = new URLSearchParams(await request.text())
    if (pathname === '/graphql') {
      this.headers.push(request.headers)
      // The session of the cookie, or the owner of the token.
      const isIn = request.credentials === 'include' || (this.#isOpen && request.headers.has('authorization'))
      return Response.json({ data: { session: isIn ? session : null } })
    }
    const token = form.get('token') ?? form.get('refresh_token')
    this.sent.push(`${pathname} ${token}`)
    return pathname === '/revoke' ? this.#revoke(token) : this.#issue(`${form.get('client_id')}`)
  }

  async #issue(client: string): Promise<Response> {
    const number = ++this.#tokens
    if (number > 1) await pause(100)
    const lifetime = { expires_in: number === 1 ? 0.05 : 600 }
    return Response.json({
      access_token: `access-${client}-${number}`,
      refresh_token: `refresh-${number}`,
      ...lifetime,
    })
  }

  async #revoke(token: string | null): Promise<Response> {
    await pause(this.revokeMs)
    if (!this.isRevocable) throw new TypeError('fetch failed')
    // The newest refresh token and the one before it end their family.
    if (Number(token?.split('-')[1]) >= this.#tokens - 1) this.#isOpen = false
    return Response.json({})
  }
}

/** Signs a client in by the redirect that it is at. */
async function signIn(clientId: string, server: FakeAuthorizationServer): Promise<OAuthClient> {
  sessionStorage.setItem(
    `latchkey ${clientId}`,
    JSON.stringify({ verifier: 'v', returnTo: '/', at: Date.now() / 1000 }),
  )
  const redirectUri = `https://app.test/${clientId}`
  const { origin } = location
  vi.stubGlobal('location', { origin, href: `${redirectUri}?code=c&state=${clientId}&iss=${issuer}` })
  const auth: OAuthClient = createOAuthClient({ issuer, clientId, redirectUri, fetch: server.fetch })
  await auth.handleRedirect()
  await reach(auth as never, 'signed-in')
  return auth
}

beforeEach(() => {
  const values = new Map<string, string>()
  const storage = {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('sessionStorage', storage)
  vi.stubGlobal('location', { origin: 'https://app.test', href: 'https://app.test/' })
  vi.stubGlobal('history', { state: null, replaceState: () => {} })
})
afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['takes long', { revokeMs: 300 }],
  ['fails', { isRevocable: false }],
])(
  'a sign-out during a refresh keeps the state and revokes the newest token if its revocation %s',
  async (_name, change) => {
    const server = new FakeAuthorizationServer()
    const auth = await signIn('shop', server)
    await pause(60)
    Object.assign(server, change)
    const asked = auth.request('{ me }').catch(() => null)
    await pause(20)
    await auth.signOut()
    await asked
    await pause(600)
    expect(auth.getState().status).toBe('signed-out')
    expect(server.sent).toEqual(['/token null', '/token refresh-1', '/revoke refresh-1', '/revoke refresh-2'])
    auth.dispose()
  },
)

test('clients of one service on one origin share no tokens and no sign-out', async () => {
  const server = new FakeAuthorizationServer()
  const own = createAuthClient({ url: `${issuer}/graphql`, fetch: server.fetch })
  await own.refetch()
  const shop = await signIn('shop', server)
  const admin = await signIn('admin', server)
  await pause(150)
  server.headers.length = 0
  await shop.request('{ me }')
  await own.request('mutation { write }')
  const shown = server.headers.map((headers) => headers.get('authorization') ?? headers.get('x-csrf-token'))
  expect(shown.pop()).toBe('csrf')
  expect(new Set(shown)).toEqual(new Set(['DPoP access-shop-3']))
  await admin.signOut()
  await pause(50)
  expect([shop, own].map((auth) => auth.getState().status)).toEqual(['signed-in', 'signed-in'])
  for (const auth of [own, shop, admin]) auth.dispose()
})
