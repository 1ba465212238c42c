import { createHash, randomUUID } from 'node:crypto'
import { type JWK, SignJWT } from 'jose'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'

/** A key of a provider: how it is published, and how it signs. */
export interface ProviderKey {
  readonly published: JWK
  readonly privateKey: CryptoKey
  readonly alg: string
}

export async function createProviderKey(
  alg = 'ES256',
  changes: Readonly<Record<string, unknown>> = {},
): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { published: { ...jwk, kid: randomUUID(), alg, use: 'sig', ...changes } as JWK, privateKey, alg }
}

/** The codes of all providers. */
const everyGrant = new Map<string, Grant>()

/** Making one takes as long as many requests. */
let firstKey: Promise<ProviderKey> | undefined

type Members = Record<string, unknown>

/** What a provider was asked, in order: path and form. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly form: URLSearchParams
  readonly authorization: string | null
}

/** A provider in memory that does as it should, but for what a test has changed of it. */
export interface TestProvider {
  readonly issuer: string
  readonly asked: Asked[]
  readonly fetch: typeof globalThis.fetch
  /** Keys that it publishes; the first one signs. */
  keys: ProviderKey[]
  /** What is different about it. Each gets what is right, and returns what is sent. */
  changes: Changes
  /** Asks its user, who agrees: returns where the browser goes to. */
  authorize(address: string | URL, answers?: Readonly<Record<string, string | null>>): URL
  sign(claims: Members, header?: Members): Promise<string>
  count(path: string): number
}

export interface Changes {
  discovery?: (document: Members) => unknown
  jwks?: (keys: JWK[]) => unknown
  claims?: (claims: Members) => Members
  header?: (header: Members) => Members
  idToken?: (token: string) => string | undefined
  answer?: (answer: Members) => unknown
  userinfo?: (claims: Members) => unknown
  /** It redeems every code of every provider, whatever is shown with it. */
  redeemsAnything?: boolean
  /** Answers a request in place of the provider; `null`: it answers itself. */
  respond?: (asked: Asked) => Response | null | Promise<Response | null>
}

export interface TestProviderOptions {
  readonly issuer?: string
  readonly now: () => number
  /** Whom its id tokens are for. @default 'client' */
  readonly clientId?: string
}

interface Grant {
  readonly nonce: string | null
  readonly challenge: string
  readonly redirectUri: string
  isUsed: boolean
}

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })

export async function createTestProvider(options: TestProviderOptions): Promise<TestProvider> {
  const { issuer = 'https://one.example', now, clientId = 'client' } = options
  firstKey ??= createProviderKey()
  const grants = new Map<string, Grant>()
  const refreshTokens = new Set<string>()
  const seconds = () => Math.floor(now() / 1000)
  const provider: TestProvider = {
    issuer,
    asked: [],
    keys: [await firstKey],
    changes: {},
    async fetch(input, init) {
      const request = new Request(input, init)
      const url = new URL(request.url)
      const asked: Asked = {
        method: request.method,
        path: url.pathname,
        form: new URLSearchParams(request.method === 'POST' ? await request.text() : ''),
        authorization: request.headers.get('authorization'),
      }
      provider.asked.push(asked)
      return (await provider.changes.respond?.(asked)) ?? answer(asked)
    },
    authorize(address, answers = {}) {
      const { searchParams: given } = new URL(address)
      const redirectUri = given.get('redirect_uri') ?? ''
      const code = `code-${randomUUID()}`
      const challenge = given.get('code_challenge') ?? ''
      const grant = { nonce: given.get('nonce'), challenge, redirectUri, isUsed: false }
      grants.set(code, grant)
      everyGrant.set(code, grant)
      const url = new URL(redirectUri)
      for (const [name, value] of Object.entries({ code, state: given.get('state'), iss: issuer, ...answers })) {
        if (value !== null) url.searchParams.set(name, value)
      }
      return url
    },
    async sign(claims, header = {}) {
      const [key] = provider.keys
      if (!key) throw new Error('no key')
      const kid = key.published.kid
      return new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, ...(kid !== undefined && { kid }), ...header })
        .sign(key.privateKey)
    },
    count: (path) => provider.asked.filter((asked) => asked.path === path).length,
  }

  function answer(asked: Asked): Response | Promise<Response> {
    const { changes } = provider
    switch (asked.path.replace(new URL(issuer).pathname.replace(/\/$/, ''), '')) {
      case '/.well-known/openid-configuration':
        return json(changes.discovery ? changes.discovery(discovery()) : discovery())
      case '/jwks': {
        const keys = provider.keys.map(({ published }) => published)
        return json({ keys: changes.jwks ? changes.jwks(keys) : keys })
      }
      case '/token':
        return answerToken(asked.form)
      case '/userinfo': {
        const claims = { sub: 'ada', email: 'ada@one.example', email_verified: true, name: 'Ada' }
        return json(changes.userinfo ? changes.userinfo(claims) : claims)
      }
      case '/revoke':
        refreshTokens.delete(asked.form.get('token') ?? '')
        return new Response(null, { status: 200 })
      default:
        return json({ error: 'not_found' }, 404)
    }
  }

  function discovery(): Members {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      revocation_endpoint: `${issuer}/revoke`,
      end_session_endpoint: `${issuer}/logout`,
      authorization_response_iss_parameter_supported: true,
    }
  }

  async function answerToken(form: URLSearchParams): Promise<Response> {
    const nonce = form.get('grant_type') === 'refresh_token' ? renew(form) : redeem(form)
    if (nonce === undefined) return json({ error: 'invalid_grant' }, 400)
    const refreshToken = `refresh-${randomUUID()}`
    refreshTokens.add(refreshToken)
    const right = {
      access_token: `access-${randomUUID()}`,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: refreshToken,
      id_token: await idToken(nonce),
    }
    return json(provider.changes.answer ? provider.changes.answer(right) : right)
  }

  /** Returns the nonce of a code, `null` for none, `undefined` for a code that is refused. */
  function redeem(form: URLSearchParams): string | null | undefined {
    const code = form.get('code') ?? ''
    if (provider.changes.redeemsAnything) return everyGrant.get(code)?.nonce
    const grant = grants.get(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri')
    if (!grant || !isRight || grant.isUsed) return undefined
    grant.isUsed = true
    return grant.nonce
  }

  function renew(form: URLSearchParams): null | undefined {
    return refreshTokens.delete(form.get('refresh_token') ?? '') ? null : undefined
  }

  async function idToken(nonce: string | null): Promise<string | undefined> {
    const { changes } = provider
    const iat = seconds()
    const right = { iss: issuer, sub: 'ada', aud: clientId, iat, exp: iat + 300, ...(nonce !== null && { nonce }) }
    const claims = { ...right, email: 'ada@one.example', email_verified: true }
    const header = changes.header ? changes.header({ typ: 'JWT' }) : { typ: 'JWT' }
    const token = await provider.sign(changes.claims ? changes.claims(claims) : claims, header)
    return changes.idToken ? changes.idToken(token) : token
  }
  return provider
}
