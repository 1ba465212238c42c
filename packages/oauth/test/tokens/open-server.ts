import { randomBytes } from '@latchkey/bytes'
import { createKeyRing, generateJwtKey, type JwtAlgorithm } from '@latchkey/jwt'
import { createPkcePair } from '@latchkey/oauth'
import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type FixedClient,
  type OAuthEvent,
} from '@latchkey/oauth/server'
import { createRateLimit } from '@latchkey/rate-limit'
import { createRefreshTokens } from '@latchkey/sessions'
import {
  createCredential,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type RecordStore,
} from '@latchkey/store'
import { createReplayTrackedCredentials, documentId } from '@latchkey/store/internal'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { expect } from 'vitest'
import { createSigner, type Signer } from './signer.ts'

export const issuer = 'https://id.example.com'
export const resource = `${issuer}/graphql`
export const otherResource = 'https://api.example.com/'
export const redirectUri = 'http://127.0.0.1:4001/callback'
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(5) }] as const

const allScopes = ['openid', 'profile', 'email', 'offline_access', 'articles:read', 'articles:create'] as const
const device = 'urn:ietf:params:oauth:grant-type:device_code'
const web = { redirectUris: [redirectUri], scopes: allScopes }

/** The signer of the client `signed`. */
export const signedClient: Signer = await createSigner('ES256')

export const clients: readonly FixedClient[] = [
  { id: 'spa', name: 'SPA', authentication: ['none'], ...web },
  { id: 'other-spa', name: 'Other', authentication: ['none'], ...web },
  {
    id: 'web',
    name: 'Web',
    authentication: ['client_secret_basic', 'client_secret_post'],
    secret: 'web secret: 100% +/=',
    ...web,
  },
  { id: 'basic', name: 'Basic', authentication: ['client_secret_basic'], secret: 'basic-secret', ...web },
  { id: 'post', name: 'Post', authentication: ['client_secret_post'], secret: 'post-secret', ...web },
  {
    id: 'machine',
    name: 'Machine',
    authentication: ['client_secret_basic', 'client_secret_post'],
    secret: 'machine-secret',
    scopes: ['articles:read', 'articles:create', 'openid', 'offline_access'],
  },
  {
    id: 'signed',
    name: 'Signed',
    authentication: ['private_key_jwt'],
    jwks: { keys: [signedClient.publicJwk] },
    scopes: ['articles:read'],
  },
  { id: 'tv', name: 'TV', authentication: ['none'], grantTypes: [device, 'refresh_token'], scopes: allScopes },
  { id: 'other-tv', name: 'Other TV', authentication: ['none'], grantTypes: [device], scopes: allScopes },
]

/** What a request to the server is answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Answers of a server may be anything; each test says what it expects.
  readonly body: Readonly<Record<string, string>> & { readonly [name: string]: unknown }
}

const started = 1_800_000_000_000

export interface OpenOptions {
  readonly algorithm?: JwtAlgorithm
  readonly graceSeconds?: number
  /** Opens the store of records. @default in memory */
  readonly records?: (now: () => number) => RecordStore | Promise<RecordStore>
  readonly options?: Partial<AuthorizationServerOptions>
}

/** A server on a clock that stands until it is advanced, whose accounts and stores a test can change. */
export async function openServer({ algorithm = 'ES256', graceSeconds = 10, records: open, options }: OpenOptions = {}) {
  let time = started
  const now = () => time
  const records = (await open?.(now)) ?? createMemoryRecordStore({ now })
  const stores = {
    records,
    documents: createMemoryDocumentStore(),
  }
  const keys = createKeyRing({ keys: [await generateJwtKey(algorithm)], now })
  const refreshTokens = createRefreshTokens({ records, secrets, now, graceSeconds, onEvent: () => {} })
  const epochs = new Map<string, number>([
    ['acc_1', 0],
    ['acc_2', 0],
  ])
  const events: OAuthEvent[] = []
  const counters = createMemoryCounterStore({ now })
  const server = createAuthorizationServer({
    ...stores,
    issuer,
    secrets,
    keys,
    refreshTokens,
    resources: [resource, otherResource],
    scopes: ['articles:read', 'articles:create'],
    fixedClients: clients,
    clientLimit: createRateLimit({ counters, secrets, now, name: 'clients', limit: 30, windowSeconds: 60 }),
    claims: async (subject) =>
      epochs.has(subject) ? { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true } : null,
    signedIn: async () => null,
    accountState: async (subject) => {
      const epoch = epochs.get(subject)
      return epoch === undefined ? null : { epoch }
    },
    pages: { signIn: '/sign-in', consent: '/consent' },
    now,
    onEvent: (event) => events.push(event),
    ...options,
  })

  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await server.fetch(new Request(`${issuer}${path}`, init))
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }

  const post = (path: string, form: Form, headers: Record<string, string> = {}): Promise<Answer> =>
    send(path, { method: 'POST', body: new URLSearchParams(form as Record<string, string>), headers })

  /** Stores the consent of an account, as the page that asks for it does, and returns its id. */
  async function consent(clientId: string, accountId = 'acc_1', scopes: readonly string[] = allScopes) {
    const known = await stores.documents.get('oauth-grant', documentId(accountId, clientId))
    if (known) return JSON.parse(known.value).grantId as string
    const grantId = createCredential('gr').key
    await stores.documents.insert({
      ...{ collection: 'oauth-grant', id: documentId(accountId, clientId), owner: accountId, version: grantId },
      value: JSON.stringify({ v: 2, grantId, clientId, scopes, givenAt: now(), changedAt: now() }),
    })
    return grantId
  }

  /** Revokes the consent of an account, which has one. */
  async function withdraw(clientId: string, accountId = 'acc_1') {
    expect(await server.revokeGrant(accountId, await consent(clientId, accountId))).toBe(true)
  }

  /** Stores a code, as the authorization endpoint does, and returns the parameters that redeem it. */
  async function giveCode(clientId = 'spa', change: object = {}) {
    const { verifier, challenge } = createPkcePair()
    const codes = createReplayTrackedCredentials({ records, kind: 'ac', ttlSeconds: 60, now })
    const { accountId: owner = 'acc_1', ...given } = change as { readonly accountId?: string }
    const value = {
      v: 2,
      clientId,
      redirectUri,
      challenge,
      scopes: ['openid', 'offline_access', 'articles:read'],
      resources: [],
      nonce: 'n-1',
      grantId: await consent(clientId, owner),
      sessionKey: 'se_1',
      epoch: epochs.get(owner) ?? 0,
      factors: [{ kind: 'password', at: now() - 60_000, category: 'know' }],
      authenticatedAt: now() - 60_000,
      keyBinding: null,
      ...given,
    }
    const { credential } = await codes.create({ owner, value: JSON.stringify(value) })
    return {
      grant_type: 'authorization_code',
      code: credential,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: clientId,
    }
  }

  /** Redeems a new code, and returns what it gave. */
  async function signIn(clientId = 'spa', change: object = {}, headers: Record<string, string> = {}) {
    return (await post('/token', await giveCode(clientId, change), headers)).body
  }

  const refresh = (token: string | undefined, form: Form = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    post('/token', { grant_type: 'refresh_token', client_id: 'spa', refresh_token: token ?? '', ...form }, headers)

  const present = (token: string | undefined, scheme = 'Bearer', headers: Record<string, string> = {}) =>
    send('/userinfo', { headers: { authorization: `${scheme} ${token}`, ...headers } })

  /** Everything that is stored of an account. */
  const stored = async (accountId = 'acc_1') => (await records.listByOwner(accountId)).items

  const advance = (seconds: number): void => {
    time += seconds * 1000
  }
  const calls = { send, post, consent, withdraw, giveCode, signIn, refresh, present, stored, advance }
  return { ...calls, ...stores, server, keys, refreshTokens, epochs, events, now }
}

export type Form = Readonly<Record<string, string>>

/** An `Authorization` header with id and secret, each encoded as in a form. */
export function basic(id: string, secret: string): { readonly authorization: string } {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` }
}

export const webClient = basic('web', 'web secret: 100% +/=')

export const claimsOf = (token: unknown): JWTPayload => decodeJwt(String(token))
export const headerOf = (token: unknown) => decodeProtectedHeader(String(token))

/** The random bytes of a text that is no token of the server. */
export const garbage = (): string => Buffer.from(randomBytes(48)).toString('base64url')
