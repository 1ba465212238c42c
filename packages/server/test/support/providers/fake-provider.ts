import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createOAuthClient, type OAuthClient, type OAuthClientOptions, providers } from '@latchkey/oauth/client'
import type { RecordStore } from '@latchkey/store'

type Members = Readonly<Record<string, unknown>>

/** A provider of OpenID Connect in memory, whose user agrees to everything. */
export interface FakeProvider {
  readonly issuer: string
  readonly client: OAuthClient
  /** Who its user is, and what else its id tokens say. */
  claims: Members
  /** Answers every request in its place; `null`: it answers itself. */
  respond: ((path: string) => Response | Promise<Response | null> | null) | null
  /** Returns where it sends the browser that came to an address, with an answer that can be changed. */
  authorize(address: string, answer?: Readonly<Record<string, string | null>>): URL
  /** Returns a logout token. */
  logoutToken(claims: Members): string
  /** How many codes it has redeemed. */
  redeemed(): number
}

export interface FakeProviderOptions {
  readonly name: string
  readonly issuer?: string
  readonly records: RecordStore
  readonly secrets: OAuthClientOptions['secrets']
  readonly now: () => number
  readonly baseUrl?: string
  /** What differs of the provider, or its client. */
  readonly provider?: OAuthClientOptions['provider']
  readonly client?: Partial<OAuthClientOptions>
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(header: Members, claims: Members): string {
  const text = `${encode({ alg: 'ES256', kid: 'one', ...header })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

const json = (value: unknown, status = 200): Response => Response.json(value, { status })

export function createFakeProvider(options: FakeProviderOptions): FakeProvider {
  const { name, now, records, secrets, baseUrl = 'https://example.com' } = options
  const issuer = options.issuer ?? `https://${name}.example`
  const codes = new Map<string, { readonly nonce: string | null; readonly challenge: string | null }>()
  let redeemed = 0
  const seconds = () => Math.floor(now() / 1000)

  function answerToken(form: URLSearchParams): Response {
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || grant.challenge !== challenge) return json({ error: 'invalid_grant' }, 400)
    codes.delete(code)
    redeemed += 1
    const [iat, nonce] = [seconds(), grant.nonce]
    const right = { iss: issuer, sub: 'ada', aud: 'client', iat, exp: iat + 300, nonce, auth_time: iat }
    const said = { email: 'ada@one.example', email_verified: true, name: 'Ada' }
    const id_token = signed({ typ: 'JWT' }, { ...right, ...said, ...fake.claims })
    return json({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token })
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const given = await fake.respond?.(pathname)
    if (given) return given
    if (pathname === '/.well-known/openid-configuration') {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        authorization_response_iss_parameter_supported: true,
      })
    }
    if (pathname === '/jwks') return json({ keys: [jwk] })
    return pathname === '/token' ? answerToken(new URLSearchParams(await request.text())) : json({}, 404)
  }

  const client = createOAuthClient({
    provider: options.provider ?? providers.openid({ issuer, name }),
    clientId: 'client',
    clientSecret: 'secret-of-client',
    redirectUri: `${baseUrl}/sign-in/with/${name}/callback`,
    records,
    secrets,
    now,
    timeoutMs: 10_000,
    fetch: (input, init) => answer(new Request(input, init)),
    onEvent: () => {},
    ...options.client,
  })
  const fake: FakeProvider = {
    issuer,
    client,
    claims: {},
    respond: null,
    authorize(address, changes = {}) {
      const { searchParams: asked } = new URL(address)
      const code = randomUUID()
      codes.set(code, { nonce: asked.get('nonce'), challenge: asked.get('code_challenge') })
      const url = new URL(asked.get('redirect_uri') ?? '')
      for (const [key, value] of Object.entries({ code, state: asked.get('state'), iss: issuer, ...changes })) {
        if (value !== null) url.searchParams.set(key, value)
      }
      return url
    },
    logoutToken(claims) {
      const iat = seconds()
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const right = { iss: issuer, aud: 'client', iat, exp: iat + 120, jti: randomUUID(), events }
      return signed({ typ: 'logout+jwt' }, { ...right, ...claims })
    },
    redeemed: () => redeemed,
  }
  return fake
}
