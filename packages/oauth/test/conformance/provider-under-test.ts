import { createKeyRing, generateJwtKey, type KeyRing } from '@latchkey/jwt'
import { createPkcePair } from '@latchkey/oauth'
import type { FixedClient } from '@latchkey/oauth/server'
import { type Browser, createProvider, issuer, type Provider } from '../support/provider.ts'

/** Stands between a client or a browser and the provider: passes requests on, or breaks what goes to and fro. */
export type Between = (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>

export const callback = 'https://rp.example.com/callback'
export const loggedOut = 'https://rp.example.com/logged-out'

export interface Client {
  readonly id: string
  readonly secret: string
  readonly method: 'client_secret_basic' | 'client_secret_post'
}
export const first: Client = { id: 'first', secret: 'first-secret', method: 'client_secret_basic' }
export const second: Client = { id: 'second', secret: 'second-secret', method: 'client_secret_basic' }
export const posting: Client = { id: 'posting', secret: 'posting-secret', method: 'client_secret_post' }

const fixedClients: readonly FixedClient[] = [first, second, posting].map(({ id, secret, method }) => ({
  ...{ id, name: id, secret, authentication: [method], redirectUris: [callback] },
  ...{ postLogoutRedirectUris: [loggedOut], scopes: ['openid', 'profile', 'email', 'offline_access'] },
}))

/** What a browser has come to: an address of the client, or a page of the provider. */
export type Arrival =
  | { readonly at: 'client'; readonly url: URL; readonly answer: Readonly<Record<string, string>> }
  | { readonly at: 'page'; readonly status: number; readonly html: string }

/** A provider as a client and its user see it, with one browser. */
export interface ProviderUnderTest {
  send(path: string, init?: RequestInit): Promise<Response>
  json(path: string, init?: RequestInit): Promise<Json>
  /** Opens an address in the browser; the user signs in where that is asked, and allows what is asked for. */
  browse(path: string, form?: Readonly<Record<string, string>>): Promise<Arrival>
  /** How often the user has signed in, and was asked for a consent. */
  readonly asked: { signIn: number; consent: number }
  readonly verifier: string
  readonly challenge: string
  now(): number
  advance(seconds: number): void
}

/** An answer in JSON, whatever it has: each condition says what is expected. */
export interface Json {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** RS256 is what every provider has (OpenID Connect Discovery §3). One key for all tests: it takes long to make. */
let ring: Promise<KeyRing> | undefined

export async function openProvider(between: Between = (request, next) => next(request)): Promise<ProviderUnderTest> {
  let provider: Provider | null = null
  const now = () => provider?.now() ?? 0
  ring ??= generateJwtKey('RS256').then((key) => createKeyRing({ keys: [key] }))
  provider = await createProvider({
    fixedClients,
    idTokenKeys: await ring,
    signOut: () => [['Set-Cookie', 'session=; Max-Age=0; Path=/']],
  })
  return startBrowser(provider, provider.openBrowser(), { between, now })
}

interface Surroundings {
  readonly between: Between
  now(): number
}

function startBrowser(provider: Provider, browser: Browser, { between, now }: Surroundings): ProviderUnderTest {
  const { server, advance } = provider
  const { verifier, challenge } = createPkcePair()
  const asked = { signIn: 0, consent: 0 }
  const send = (path: string, init: RequestInit = {}) =>
    between(new Request(new URL(path, issuer), init), (request) => server.fetch(request))

  async function open(path: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const init = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
    const response = await send(path, { ...init, headers: { ...(cookie !== '' && { cookie }) } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') browser.cookies.delete(name)
      else browser.cookies.set(name, value)
    }
    return response
  }

  /** What the pages of the application do. */
  async function followTo(url: URL): Promise<Response | URL> {
    if (url.pathname === '/sign-in') {
      asked.signIn++
      browser.signIn()
      return open(url.searchParams.get('return_to') ?? '')
    }
    if (url.pathname !== '/consent') return open(`${url.pathname}${url.search}`)
    asked.consent++
    const handle = url.searchParams.get('handle') ?? ''
    const page = browser.request(`${url.pathname}${url.search}`)
    const token = (await server.readRequest(page, handle))?.token ?? null
    const verdict = await server.decide(page, { handle, token, decision: 'allow' })
    return verdict.ok ? new URL(verdict.location, issuer) : new Response(verdict.reason, { status: 400 })
  }

  return {
    ...{ send, asked, verifier, challenge, now, advance },
    async json(path, init) {
      const response = await send(path, init)
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : {} }
    },
    async browse(path, form) {
      let next: Response | URL = await open(path, form)
      for (let step = 0; step < 10; step++) {
        const to: URL | null = next instanceof URL ? next : locationOf(next)
        if (!to) return { at: 'page', status: (next as Response).status, html: await (next as Response).text() }
        if (to.origin !== issuer) return { at: 'client', url: to, answer: Object.fromEntries(to.searchParams) }
        next = await followTo(to)
      }
      throw new Error('the browser goes round in circles')
    },
  }
}

function locationOf(response: Response): URL | null {
  const location = response.headers.get('location')
  return response.status >= 300 && response.status < 400 && location !== null ? new URL(location, issuer) : null
}
