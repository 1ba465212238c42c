// One authorization server in a process of its own, in memory: `latchkey` or `oidc-provider`. Both sign access tokens and id
// tokens with ES256, rotate refresh tokens, ask PKCE of every client, and have one account that is signed in and has consented.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from '@latchkey/bytes'
import { toNodeListener } from '@latchkey/http/node'
import { createKeyRing, importJwtKey } from '@latchkey/jwt'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createRefreshTokens } from '@latchkey/sessions'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { client, machine } from './oauth-clients.ts'

const [, , way] = process.argv
const account = 'acc_1'
const accessSeconds = 900
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })

/** The facts that the parent needs to send requests. */
export interface OAuthHello {
  readonly port: number
  readonly authorizePath: string
  /** Its scope, with which refresh tokens come. */
  readonly scope: string
  readonly cookie: string
}

interface Started {
  readonly listener: RequestListener
  readonly hello: Omit<OAuthHello, 'port' | 'cookie'>
  /** The cookie of `/sign-in`, for servers whose browsers need a session first. */
  readonly cookie: string | null
}

async function startLatchkey(issuer: string): Promise<Started> {
  const records = createMemoryRecordStore()
  const secrets = [{ id: 'one', bytes: randomBytes(32) }] as const
  const key = await importJwtKey({ id: 'k1', algorithm: 'ES256', jwk: privateKey as never })
  const factors = [{ kind: 'password', at: Date.now(), category: 'know' }] as const
  const signedIn = { subject: account, key: 'se_1', epoch: 0, factors }
  const server = createAuthorizationServer({
    ...{ issuer, records, secrets, accessTokenSeconds: accessSeconds },
    documents: createMemoryDocumentStore(),
    keys: createKeyRing({ keys: [key] }),
    refreshTokens: createRefreshTokens({ records, secrets, onEvent: () => undefined }),
    resources: [`${issuer}/graphql`],
    scopes: ['articles:read'],
    fixedClients: [
      {
        ...{ id: client.id, name: 'Web', authentication: ['client_secret_post'], secret: client.secret },
        ...{ redirectUris: [client.redirectUri], scopes: ['openid', 'offline_access'] },
      },
      {
        ...{ id: machine.id, name: 'Machine', authentication: ['client_secret_post'], secret: machine.secret },
        scopes: ['articles:read'],
      },
    ],
    claims: async () => ({ name: 'Ada' }),
    signedIn: async (request) => ((request.headers.get('cookie') ?? null) === 'session=1' ? signedIn : null),
    accountState: async () => ({ epoch: 0 }),
    consent: () => 'granted',
    pages: { signIn: '/sign-in', consent: '/consent' },
    onEvent: () => undefined,
  })
  const hello = { authorizePath: '/authorize', scope: 'openid offline_access' }
  return { listener: toNodeListener(server), hello, cookie: 'session=1' }
}

function startOidcProvider(issuer: string): Started {
  const resource = `${issuer}/graphql`
  const common = {
    ...{ response_types: [], redirect_uris: [], id_token_signed_response_alg: 'ES256' as const },
    token_endpoint_auth_method: 'client_secret_post' as const,
  }
  const configuration: Configuration = {
    clients: [
      {
        ...{ ...common, client_id: client.id, client_secret: client.secret, redirect_uris: [client.redirectUri] },
        ...{ response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'] },
      },
      { ...common, client_id: machine.id, client_secret: machine.secret, grant_types: ['client_credentials'] },
    ],
    jwks: { keys: [{ ...privateKey, use: 'sig', alg: 'ES256', kid: 'k1' }] } as never,
    cookies: { keys: ['a key of the cookies'] },
    scopes: ['openid', 'articles:read'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    ttl: { AccessToken: accessSeconds, ClientCredentials: accessSeconds, IdToken: accessSeconds },
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId, name: 'Ada' }) }),
    interactions: { url: () => '/sign-in' },
    loadExistingGrant: (context) => consentOf(context, resource),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'articles:read',
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
  const provider = new Provider(issuer, configuration)
  const answer = provider.callback()
  const signIn = (request: IncomingMessage, response: ServerResponse) =>
    provider.interactionFinished(request, response, { login: { accountId: account } })
  const listener: RequestListener = (request, response) =>
    void (request.url === '/sign-in' ? signIn(request, response) : answer(request, response))
  return { listener, hello: { authorizePath: '/auth', scope: 'openid' }, cookie: null }
}

let stored: string | undefined

/** Returns a consent that is stored once and looked up at each request, as Latchkey does. */
async function consentOf({ oidc }: KoaContextWithOIDC, resource: string) {
  const known = stored === undefined ? undefined : await oidc.provider.Grant.find(stored)
  if (known) return known
  const grant = new oidc.provider.Grant({ clientId: client.id, accountId: account })
  grant.addOIDCScope('openid')
  grant.addResourceScope(resource, 'articles:read')
  stored = await grant.save()
  return grant
}

let listener: RequestListener = (_request, response) => void response.end()
const http = createServer((request, response) => listener(request, response))
http.listen(0, '127.0.0.1', async () => {
  const { port } = http.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const started = way === 'latchkey' ? await startLatchkey(issuer) : startOidcProvider(issuer)
  listener = started.listener
  process.send?.({ port, ...started.hello, cookie: started.cookie ?? '' } satisfies OAuthHello)
})
process.on('message', (message) => message === 'cpu' && process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())
