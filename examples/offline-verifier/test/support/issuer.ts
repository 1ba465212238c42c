import { allowNativeDelivery, unknownAttempt as attempt } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerEvent, type ServerOptions } from '@latchkey/server'
import { type Listener, listen } from '@latchkey/server/node'
import type { SqlStores } from '@latchkey/sql'
import { onTestFinished } from 'vitest'

const policy = definePolicy({ permissions: [], roles: { READER: {}, AUTHOR: {} } })

const password = 'otters read quietly at dawn'

export interface IssuerOptions {
  readonly accessTokens?: NonNullable<ServerOptions<typeof policy>['sessions']>['accessTokens']
  readonly stores: SqlStores
  readonly secrets: SecretKeys
  /** The origin of all processes of the issuer. Omitted: that of this one. */
  readonly baseUrl?: string
}

/** One process of the service that signs the tokens. */
export interface Issuer {
  readonly server: Server
  readonly url: string
  readonly events: readonly ServerEvent[]
  close(): Promise<void>
}

/** Starts a process of an issuer on a free port. It ends with the test. */
export async function startIssuer({ stores, secrets, baseUrl, accessTokens }: IssuerOptions): Promise<Issuer> {
  const passwords = createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 1 }, strength: allowWeakHashes })
  const events: ServerEvent[] = []
  let server: Server | undefined
  const listener: Listener = await listen(
    ({ port }) => {
      server = createServer({
        baseUrl: baseUrl ?? `http://127.0.0.1:${port}`,
        http: { allowedHosts: [`127.0.0.1:${port}`] },
        mails: { mailer: { send: async () => {} } },
        secrets: { load: async () => secrets },
        stores,
        signUp: 'closed',
        policy,
        sessions: { nativeDelivery: allowNativeDelivery, ...(accessTokens && { accessTokens }) },
        signIn: { passwordHasher: passwords },
        typeDefs: 'type Query { hello: String! @public }',
        resolvers: { Query: { hello: () => 'Hello' } },
        observe: { onEvent: (event) => void events.push(event) },
      })
      return server
    },
    { port: 0, migrate: true, closeOn: [], print: null },
  )
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= listener.close().then(() => passwords.close())
    return closed
  }
  onTestFinished(close)
  if (!server) throw new Error('the listener asks for its server')
  return { server, url: `http://127.0.0.1:${listener.port}`, events, close }
}

/** Signs a new account in, and returns its tokens. */
export async function signIn({ server }: Issuer, email: string, role = 'READER') {
  const accounts = await server.accounts()
  const account = await accounts.create({ email, name: 'A Reader', roles: [role], password, attempt })
  const device = { userAgent: null, address: null }
  const result = await accounts.signIn({ email, password, delivery: 'native', device, attempt })
  if (!account || !result.ok || result.status !== 'signed-in') throw new Error('the sign-in was refused')
  if (result.credentials.delivery === 'session') throw new Error('no tokens were issued')
  return { id: account.id, ...result.credentials }
}
