import { randomBytes, randomToken, type SecretKeys } from '@latchkey/bytes'
import { fromFetchRequest, type HttpRequest } from '@latchkey/http'
import { createKeyRing, generateJwtKey, type KeyRing } from '@latchkey/jwt'
import { createPkcePair } from '@latchkey/oauth'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type FixedClient,
  type OAuthEvent,
} from '@latchkey/oauth/server'
import { createRefreshTokens } from '@latchkey/sessions'
import { createMemoryDocumentStore, createMemoryRecordStore, type FactorProof, type RecordStore } from '@latchkey/store'

export type SignedIn = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['signedIn']>>>

export const issuer = 'https://id.example.com'
export const callback = 'https://spa.example.com/callback'

const ownScopes = ['openid', 'profile', 'email', 'offline_access']
const scopes = ['articles:read', 'comments:create']

export const spa: FixedClient = {
  id: 'spa',
  name: 'Reader',
  authentication: ['none'],
  redirectUris: [callback],
  postLogoutRedirectUris: ['https://spa.example.com/'],
  scopes: [...ownScopes, ...scopes],
}
export const web: FixedClient = {
  id: 'web',
  name: 'Desk',
  authentication: ['client_secret_basic', 'client_secret_post'],
  secret: 'secret-of-web',
  redirectUris: ['https://web.example.com/callback?tenant=1'],
  scopes: [...ownScopes, 'articles:read'],
}
const native: FixedClient = {
  id: 'native',
  name: 'Pocket',
  kind: 'native',
  authentication: ['none'],
  redirectUris: ['http://127.0.0.1/callback', 'com.example.pocket:/callback'],
  scopes: ['openid'],
}

/** One key for all tests of a file: making one takes as long as many requests. */
let ring: Promise<KeyRing> | undefined
function keysOf(now: () => number): Promise<KeyRing> {
  ring ??= generateJwtKey('ES256').then((key) => createKeyRing({ keys: [key], now }))
  return ring
}

export interface Provider {
  readonly server: AuthorizationServer
  readonly records: RecordStore
  readonly events: OAuthEvent[]
  /** Accounts that exist, with their epochs. */
  readonly accounts: Map<string, number>
  now(): number
  advance(seconds: number): void
  /** A browser of its own, which keeps cookies. */
  openBrowser(): Browser
}

export interface Browser {
  /** Signs in by a session of the application. */
  signIn(subject?: string, factors?: readonly FactorProof[]): SignedIn
  signOut(): void
  /** The cookies that it would send. */
  readonly cookies: Map<string, string>
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  post(
    target: string,
    form: Readonly<Record<string, string>> | string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** A request as pages of the application get it. */
  request(target: string): HttpRequest
}

const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]

export async function createProvider(changes: Partial<AuthorizationServerOptions> = {}): Promise<Provider> {
  let time = 1_790_000_000_000
  const now = changes.now ?? ((): number => time)
  const records = changes.records ?? createMemoryRecordStore({ now })
  const sessions = new Map<string, SignedIn>()
  const accounts = new Map([
    ['acc_ada', 0],
    ['acc_eve', 0],
  ])
  const events: OAuthEvent[] = []
  const server = createAuthorizationServer({
    issuer,
    records,
    documents: createMemoryDocumentStore(),
    secrets,
    keys: await keysOf(now),
    refreshTokens: createRefreshTokens({ records, secrets, now }),
    resources: [`${issuer}/graphql`, 'https://api.example.com/'],
    scopes,
    fixedClients: [spa, web, native],
    claims: async (subject) => ({ name: subject, email: `${subject}@example.com`, email_verified: true }),
    signedIn: async (request) =>
      sessions.get(readCookie(request.headers.get('cookie') ?? null, 'session') ?? '') ?? null,
    accountState: async (subject) => {
      const epoch = accounts.get(subject)
      return epoch === undefined ? null : { epoch }
    },
    pages: { signIn: '/sign-in', consent: '/consent' },
    now,
    onEvent: (event) => events.push(event),
    ...changes,
  })
  return {
    server,
    records,
    events,
    accounts,
    now,
    advance(seconds) {
      time += seconds * 1000
    },
    openBrowser: () => openBrowser(server, sessions, now),
  }
}

function openBrowser(server: AuthorizationServer, sessions: Map<string, SignedIn>, now: () => number): Browser {
  const cookies = new Map<string, string>()
  const headersOf = (given: Readonly<Record<string, string>>): Headers => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return new Headers({ ...(cookie && { cookie }), ...given })
  }
  const keep = (response: Response): Response => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const urlOf = (target: string) => new URL(target, issuer)
  return {
    cookies,
    signIn(subject = 'acc_ada', factors = [{ kind: 'password', at: now(), category: 'know' }]) {
      const session = { subject, key: `se_${randomToken(16)}`, epoch: 0, factors }
      cookies.set('session', session.key)
      sessions.set(session.key, session)
      return session
    },
    signOut: () => void cookies.delete('session'),
    get: async (target, headers = {}) =>
      keep(await server.fetch(new Request(urlOf(target), { headers: headersOf(headers) }))),
    async post(target, form, headers = {}) {
      const body = new URLSearchParams(form)
      return keep(await server.fetch(new Request(urlOf(target), { method: 'POST', body, headers: headersOf(headers) })))
    },
    request: (target) => fromFetchRequest(new Request(urlOf(target), { headers: headersOf({}) })),
  }
}

function readCookie(header: string | null, name: string): string | null {
  return (
    header
      ?.split('; ')
      .find((pair) => pair.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? null
  )
}

export const pair: ReturnType<typeof createPkcePair> = createPkcePair()

/** A request of the client `spa` that nothing is wrong with, with changes; `null` leaves a parameter out. */
export function authorizeTarget(changes: Readonly<Record<string, string | null>> = {}): string {
  const asked = {
    response_type: 'code',
    client_id: 'spa',
    redirect_uri: callback,
    scope: 'openid articles:read',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: pair.challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  const sent = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== null)
  return `/authorize?${new URLSearchParams(sent)}`
}

/** Where a response leads to. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? 'about:blank', issuer)
}

/** The parameters of an answer to a client, which must be a redirect to its address. */
export function answerOf(response: Response, address: string = callback): Record<string, string> {
  const location = response.headers.get('location') ?? ''
  if (response.status !== 303 || !location.startsWith(address))
    throw new Error(`no answer to the client: ${response.status} ${location}`)
  return Object.fromEntries(new URL(location).searchParams)
}

/** Opens the consent page that a response leads to, and allows or denies there. */
export async function decideAt(
  { server }: Provider,
  browser: Browser,
  response: Response,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const location = locationOf(response)
  if (location.pathname !== '/consent') throw new Error(`no consent page: ${location}`)
  const handle = location.searchParams.get('handle') ?? ''
  const shown = await server.readRequest(browser.request(`${location}`), handle)
  const verdict = await server.decide(browser.request('/consent'), { handle, token: shown?.token ?? null, decision })
  if (!verdict.ok) throw new Error(`no decision: ${verdict.reason}`)
  return new URL(verdict.location, issuer)
}
