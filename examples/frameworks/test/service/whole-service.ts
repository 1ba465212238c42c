import { DatabaseSync } from 'node:sqlite'
import type { Message } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { createMcp } from '@latchkey/mcp'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createPasskeys } from '@latchkey/passkeys'
import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerOptions } from '@latchkey/server'
import { createSqliteStores } from '@latchkey/sql'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'

export const origin = 'https://example.com'
export const password = 'otters read quietly at dawn'
export const newPassword = 'seven kettles hum along'
/** So few are enough, that a test can show them. */
export const failures = { password: 4, code: 6 }

const policy = definePolicy({
  permissions: ['notes:read', 'accounts:impersonate'],
  roles: {
    READER: { permissions: ['notes:read'] },
    ADMIN: { inherits: ['READER'], permissions: ['accounts:impersonate'] },
  },
})

type ProviderClient = NonNullable<
  NonNullable<NonNullable<ServerOptions<typeof policy>['signIn']>['providers']>['clients']
>[string]

/** A provider whose users agree to everything, and who are called as the state of their sign-in. */
function createProvider(): ProviderClient {
  const begun = new Map<string, { readonly returnTo: string; readonly binding: string | null }>()
  const issuer = 'https://one.example'
  const refused = { ok: false, reason: 'unknown-state', returnTo: null, cookie: null } as const
  return {
    provider: 'one',
    issuer,
    redirectUri: `${origin}/sign-in/with/one/callback`,
    async begin({ returnTo = '/', binding = null } = {}) {
      const state = `state-${begun.size}`
      begun.set(state, { returnTo, binding })
      return { url: `${issuer}/authorize?state=${state}`, cookie: '__Host-one=x; Path=/; Secure' }
    },
    async finish(url) {
      const state = new URL(url, origin).searchParams.get('state') ?? ''
      const start = begun.get(state)
      if (!start) return refused
      const proven = { emailVerified: true, amr: [], sid: null, authenticatedAt: Date.now() }
      return { ok: true, issuer, subject: state, email: null, ...proven, ...start, cookie: null }
    },
    receivePost: async () => refused,
    verifyLogoutToken: async () => refused,
  }
}

export interface WholeService {
  readonly server: Server
  /** Every mail that was sent. */
  readonly mails: readonly Message[]
  readonly clock: { time: number }
  /** Returns the link of the newest mail of a kind to an address, once it was sent. */
  mailedLink(kind: string, to: string): Promise<string>
}

/** A service in production that offers whatever there are pages and mails for. */
export async function createWholeService(): Promise<WholeService> {
  const clock = { time: Date.now() }
  const now = () => clock.time
  const mails: Message[] = []
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const server = createServer<typeof policy>({
    baseUrl: origin,
    http: {
      // On another domain, which has the passkeys as well.
      allowedOrigins: ['https://example.de'],
      trustedProxies: ['127.0.0.1'],
    },
    mails: { mailer: { send: async (message) => void mails.push(message) }, maxDelayMs: 0, notifyNewDevices: true },
    secrets: { load: async () => secrets },
    stores: createSqliteStores({ database: () => new DatabaseSync(':memory:'), now }),
    observe: { onEvent: () => {} },
    signIn: {
      passwordHasher: createPasswordHasher({ argon2id: { memoryKib: 8, iterations: 1 }, strength: allowWeakHashes }),
      totp: (parts) => createTotp({ ...parts, maxFailures: failures.code }),
      passkeys: createPasskeys,
      recoveryCodes: createRecoveryCodes,
      trustedDevices: { days: 30 },
      emailCode: {},
      attemptLimits: { passwordFailures: failures.password },
      providers: { clients: { one: createProvider() }, labels: { one: 'One' }, undatedProofs: ['https://one.example'] },
    },
    signUp: { role: 'READER' },
    policy,
    typeDefs: 'type Query { notes: [String!]! @requires(permissions: "notes:read") }',
    resolvers: { Query: { notes: () => ['Buy milk'] } },
    accounts: {
      deletion: { onDelete: async () => {} },
      impersonation: {},
      apiKeys: { prefix: 'lk_', scopes: ['notes:read'] },
    },
    oauth: createAuthorizationServer,
    mcp: (parts) =>
      createMcp({
        ...parts,
        tools: [{ document: 'query notes { notes }', description: 'Lists the notes.' }],
        initialScopes: ['notes:read'],
      }),
  })
  await server.open({ migrate: true })
  return {
    server,
    mails,
    clock,
    async mailedLink(kind, to) {
      const accounts = await server.accounts()
      await accounts.settled()
      const url = mails.findLast((mail) => mail.kind === kind && mail.to === to)?.url
      if (!url) throw new Error(`no ${kind} was sent to ${to}: ${mails.map((mail) => `${mail.kind} ${mail.to}`)}`)
      return url
    },
  }
}
