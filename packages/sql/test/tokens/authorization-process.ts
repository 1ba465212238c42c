// One of several processes of an authorization server over the same stores: answers what its parent sends, all at once.
import { fileURLToPath } from 'node:url'
import { createKeyRing, importJwtKey } from '@latchkey/jwt'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '@latchkey/oauth/server'
import { createRedisStores } from '@latchkey/redis'
import { createRefreshTokens } from '@latchkey/sessions'
import { createPostgresStores } from '@latchkey/sql'
import { Redis } from 'ioredis'
import pg from 'pg'

export interface AuthorizationSettings {
  readonly postgresUrl: string
  /** Where the records lie; `null`: in PostgreSQL. */
  readonly redisUrl: string | null
  readonly secret: string
  readonly key: Parameters<typeof importJwtKey>[0]
}

/** A request, or the answer to the consent page that its address names. */
export interface Question {
  readonly graceSeconds: number
  readonly path: string
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly decision?: 'allow' | 'deny'
}

export interface Reply {
  readonly status: number
  readonly location: string | null
  readonly cookies: readonly string[]
  // Each test says what it expects.
  readonly body: Readonly<Record<string, string>> & { readonly [name: string]: unknown }
}

export const issuer = 'https://id.example.com'
export const redirectUri = 'https://web.example.com/callback'
export const scopes = ['openid', 'offline_access'] as const
export const clientSecret = 'web-secret'
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

// What is shown here is who wins, not how soon.
const deadlineMs = 30_000

/** Opens the stores as every process of a service would. */
export function openStores({ postgresUrl, redisUrl }: Pick<AuthorizationSettings, 'postgresUrl' | 'redisUrl'>) {
  const durable = createPostgresStores({ pool: new pg.Pool({ connectionString: postgresUrl, max: 8 }), deadlineMs })
  const client = redisUrl === null ? null : new Redis(redisUrl)
  const records = client ? createRedisStores({ client, deadlineMs, waitReplicas: 0 }).records : durable.records
  return {
    ...{ records, migrate: () => durable.migrate() },
    durable: { documents: durable.documents },
    async close() {
      client?.disconnect()
      await durable.close()
    },
  }
}

/** Who is signed in is what the request says: sessions are not the matter here. */
async function signedIn(account: string | null): ReturnType<AuthorizationServerOptions['signedIn']> {
  const factors = [{ kind: 'password', at: 1_790_000_000_000, category: 'know' }] as const
  return account === null ? null : { subject: account, key: `se_${account}`, epoch: 0, factors }
}

async function openServers({ secret, key, ...settings }: AuthorizationSettings) {
  const { records, durable } = openStores(settings)
  const secrets = [{ id: 'one', bytes: new Uint8Array(Buffer.from(secret, 'hex')) }] as const
  const keys = createKeyRing({ keys: [await importJwtKey(key)] })
  const open = (graceSeconds: number): AuthorizationServer =>
    createAuthorizationServer({
      ...durable,
      ...{ issuer, records, secrets, keys },
      refreshTokens: createRefreshTokens({ records, secrets, graceSeconds, onEvent: () => undefined }),
      resources: [`${issuer}/graphql`],
      fixedClients: [
        {
          ...{ id: 'web', name: 'Web', authentication: ['client_secret_post'], secret: clientSecret },
          ...{ redirectUris: [redirectUri], scopes },
          grantTypes: ['authorization_code', 'refresh_token', deviceGrant],
        },
      ],
      claims: async () => ({ name: 'Ada' }),
      signedIn: (request) => signedIn(request.headers.get('x-account') ?? null),
      accountState: async () => ({ epoch: 0 }),
      pages: { signIn: '/sign-in', consent: '/consent' },
      onEvent: () => undefined,
    })
  return { 0: open(0), 60: open(60) } as Readonly<Record<number, AuthorizationServer>>
}

type Servers = Awaited<ReturnType<typeof openServers>>

async function answer(
  servers: Servers,
  { graceSeconds, path, form, headers = {}, decision }: Question,
): Promise<Reply> {
  const server = servers[graceSeconds]
  if (!server) throw new Error('no server has this grace')
  if (decision) return decide(server, { path, headers, decision })
  const init = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
  const response = await server.fetch(new Request(`${issuer}${path}`, { ...init, headers }))
  const text = await response.text()
  const body = text.startsWith('{') ? JSON.parse(text) : {}
  const cookies = response.headers.getSetCookie()
  return { status: response.status, location: response.headers.get('location'), cookies, body }
}

type Answered = Required<Pick<Question, 'path' | 'headers' | 'decision'>>

async function decide(server: AuthorizationServer, { path, headers, decision }: Answered): Promise<Reply> {
  const browser = {
    method: 'GET',
    target: path,
    headers: new Map(Object.entries(headers)),
    cookies: cookiesOf(headers.cookie),
    peerAddress: null,
  }
  const handle = new URL(path, issuer).searchParams.get('handle') ?? ''
  const request = { ...browser, body: async () => '', signal: new AbortController().signal }
  const shown = await server.readRequest(request, handle)
  const verdict = await server.decide(request, { handle, token: shown?.token ?? null, decision })
  const nothing = { cookies: [], body: {} }
  return verdict.ok
    ? { status: 303, location: verdict.location, ...nothing }
    : { status: 400, location: null, ...nothing }
}

function cookiesOf(header = ''): ReadonlyMap<string, { readonly name: string; readonly value: string }> {
  return new Map(
    header.split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return [name.toLowerCase(), { name, value }]
    }),
  )
}

// The tests import what stands above; as a program it waits for questions.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const servers = await openServers(JSON.parse(process.argv[2] ?? ''))
  process.on('message', async (questions: readonly Question[]) => {
    const answers = await Promise.all(questions.map((question) => answer(servers, question))).catch(
      (error: Error) => `failed: ${error.stack} ${error.cause}`,
    )
    process.send?.(answers)
  })
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}
