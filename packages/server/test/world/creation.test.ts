import { globSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createAccounts, createAttemptLimits, createKnownDevices, createMemoryAccountStore } from '@latchkey/accounts'
import { createAuditLog } from '@latchkey/audit'
import { createSealer, randomBytes, randomToken } from '@latchkey/bytes'
import { compileAccess, createGraphqlHandler, createSubscriptions, createTrustedDocuments } from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { createYogaPlugin } from '@latchkey/graphql/yoga'
import {
  createAddressReader,
  createCors,
  createForgeryCheck,
  createHostCheck,
  createHttpHandler,
  createIdentityReader,
  createSecurityHeaders,
  createSessionCookie,
} from '@latchkey/http'
import { createFairQueue } from '@latchkey/http/fair-queue'
import {
  createDenyList,
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  createRemoteKeySet,
  generateJwtKey,
} from '@latchkey/jwt'
import { createAccessTokenVerifier } from '@latchkey/oauth'
import { createOAuthClient, providers } from '@latchkey/oauth/client'
import { createAuthorizationServer, createClientRegistry } from '@latchkey/oauth/server'
import { createPasskeys } from '@latchkey/passkeys'
import { createBreachCheck, createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
import { createRateLimit } from '@latchkey/rate-limit'
import { definePolicy, type Identity } from '@latchkey/rbac'
import { createServer, createTerminalMailer } from '@latchkey/server'
import { createDevelopmentPages, createEnvSecrets, createFileMailer, createFileSecrets } from '@latchkey/server/node'
import { createSmtpMailer } from '@latchkey/server/smtp'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import {
  createPostgresBroadcast,
  createPostgresExecutor,
  createPostgresStores,
  createSqliteStores,
} from '@latchkey/sql'
import {
  createBroadcastReaders,
  createMemoryAuditStore,
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  createOneTimeCredentials,
} from '@latchkey/store'
import { createTelemetry } from '@latchkey/telemetry'
import { withoutPlatform } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'

const url = 'https://example.com'
const secrets = [{ id: 'first', bytes: randomBytes(32) }] as const
const key = await generateJwtKey('ES256')
const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: {} } })
const schema = buildSchema('type Query { hello: String } type Subscription { ticks: Int }')
const rules = { 'Query.hello': 'public', 'Subscription.ticks': 'authenticated' } as const
const mailer = { send: async () => undefined }
const pool = { connect: async () => Promise.reject(new Error('nothing connects')), end: async () => undefined } as const

const records = () => createMemoryRecordStore()
const documents = () => createMemoryDocumentStore()
const counters = () => createMemoryCounterStore()
const keys = () => createKeyRing({ keys: [key] })
const access = () => compileAccess({ schema, policy, rules })
const identify = () => createIdentityReader<Identity>({ bearer: { verify: async () => null } })
const subscriptions = () => createSubscriptions({ access: access(), identify: identify() })
const refreshTokens = () => createRefreshTokens({ records: records(), secrets })
const signer = () => createJwtSigner({ issuer: url, audience: url, keys: keys() })
const limits = () => createAttemptLimits({ counters: counters(), secrets })
const passkeysOf = { relyingParty: { id: 'example.com', name: 'Example', origins: [url] } } as const

const oauthServer = () =>
  createAuthorizationServer({
    issuer: url,
    records: records(),
    documents: documents(),
    secrets,
    keys: keys(),
    refreshTokens: refreshTokens(),
    resources: [`${url}/graphql`],
    claims: async () => null,
    signedIn: async () => null,
    accountState: async () => null,
    pages: { signIn: '/sign-in', consent: '/consent' },
  })

const accounts = () =>
  createAccounts({
    accounts: createMemoryAccountStore(),
    records: records(),
    documents: documents(),
    passwordHasher: createPasswordHasher(),
    passwordPolicy: createPasswordPolicy(),
    sessions: createSessions({ records: records() }),
    refreshTokens: refreshTokens(),
    accessTokens: signer(),
    signUp: { role: 'READER' },
    signIn: {
      attemptLimits: limits(),
      totp: createTotp({ documents: documents(), secrets, issuer: 'Example' }),
      recoveryCodes: createRecoveryCodes({ documents: documents(), secrets }),
    },
    mails: { mailer, baseUrl: url },
  })

/** With every option that makes something at its creation. */
const service = () =>
  createServer({
    baseUrl: url,
    secrets: { load: async () => secrets },
    stores: {
      records: records(),
      accounts: createMemoryAccountStore(),
      documents: documents(),
      counters: counters(),
      lockouts: counters(),
      audit: createMemoryAuditStore(),
    },
    signUp: { role: 'READER' },
    policy,
    http: { fairQueue: createFairQueue, corsOrigins: ['https://app.example.com'], trustedProxies: ['10.0.0.0/8'] },
    signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes },
    mails: { mailer },
    observe: { telemetry: createTelemetry() },
    typeDefs: 'type Query { hello: String! @public } type Subscription { ticks: Int @public }',
    resolvers: { Query: { hello: () => 'Hello' }, Subscription: { ticks: { subscribe: async function* () {} } } },
  })

/** Every factory of every package, with the least that it is created with. */
const factories: Readonly<Record<string, () => unknown>> = {
  createAccessTokenVerifier: () =>
    createAccessTokenVerifier({
      ...{ issuer: url, resource: `${url}/graphql`, origin: url, algorithms: ['ES256'] },
      keys: createRemoteKeySet({ url: `${url}/jwks` }),
      records: records(),
    }),
  createAccounts: accounts,
  createAddressReader: () => createAddressReader({ trustedProxies: ['10.0.0.0/8'] }),
  createAttemptLimits: limits,
  createAuditLog: () => createAuditLog({ store: createMemoryAuditStore(), secrets }),
  createAuthorizationServer: oauthServer,
  createBreachCheck: () => createBreachCheck({ whenUnavailable: 'accept' }),
  createBroadcastReaders: () => createBroadcastReaders({ unreadAtMost: 100 }),
  createClientRegistry: () => createClientRegistry({ documents: documents() }),
  createCors: () => createCors({ origins: [url] }),
  createDenyList: () => createDenyList({ documents: documents() }),
  createDevelopmentPages: () => createDevelopmentPages(),
  createEnvSecrets: () => createEnvSecrets(),
  createFairQueue: () => createFairQueue({ addresses: createAddressReader() }),
  createFileMailer: () => createFileMailer({ directory: '/nowhere' }),
  createFileSecrets: () => createFileSecrets({ path: '/nowhere/secret' }),
  createForgeryCheck: () => createForgeryCheck({ origins: [url], secrets }),
  createGraphqlHandler: () => createGraphqlHandler({ access: access(), identify: identify() }),
  createHostCheck: () => createHostCheck({ hosts: [url], trustedProxies: ['10.0.0.0/8'] }),
  createHttpHandler: () => createHttpHandler(async () => ({ status: 200, headers: [], body: null })),
  createIdentityReader: identify,
  createJwtSigner: signer,
  createJwtVerifier: () => createJwtVerifier({ issuer: url, audience: url, algorithms: ['ES256'], keys: keys() }),
  createKeyRing: keys,
  createKnownDevices: () => createKnownDevices({ secrets }),
  createMemoryAccountStore: () => createMemoryAccountStore(),
  createMemoryAuditStore: () => createMemoryAuditStore(),
  createMemoryBroadcast: () => createMemoryBroadcast(),
  createMemoryCounterStore: counters,
  createMemoryDocumentStore: documents,
  createMemoryRecordStore: records,
  createOAuthClient: () =>
    createOAuthClient({
      ...{ provider: providers.google, clientId: 'id', clientSecret: 'secret', redirectUri: `${url}/callback` },
      ...{ records: records(), secrets },
    }),
  createOneTimeCredentials: () => createOneTimeCredentials({ records: records(), kind: 'reset', ttlSeconds: 1800 }),
  createPasskeys: () => createPasskeys({ documents: documents(), records: records(), secrets, ...passkeysOf }),
  createPasswordHasher: () => createPasswordHasher(),
  createPasswordPolicy: () => createPasswordPolicy(),
  createPostgresBroadcast: () => createPostgresBroadcast({ connect: async () => ({}) as never }),
  createPostgresExecutor: () => createPostgresExecutor({ pool }),
  createPostgresStores: () => createPostgresStores({ pool }),
  createRateLimit: () =>
    createRateLimit({ counters: counters(), secrets, name: 'posts', limit: 5, windowSeconds: 60, longestSeconds: 600 }),
  createRecoveryCodes: () => createRecoveryCodes({ documents: documents(), secrets }),
  createRefreshTokens: refreshTokens,
  createRemoteKeySet: () => createRemoteKeySet({ url: `${url}/jwks` }),
  createSealer: () => createSealer({ secrets, purpose: 'test' }),
  createSecurityHeaders: () => createSecurityHeaders({ https: true }),
  createServer: service,
  createSessionCookie: () => createSessionCookie(),
  createSessions: () => createSessions({ records: records() }),
  createSmtpMailer: () => createSmtpMailer({ url: 'smtps://mail.example.com', from: 'no-reply@example.com' }),
  createSocketHandler: () => createSocketHandler({ subscriptions: subscriptions() }),
  createSqliteStores: () => createSqliteStores({ database: () => new DatabaseSync(':memory:') }),
  createStreamHandler: () => createStreamHandler({ subscriptions: subscriptions() }),
  createSubscriptions: subscriptions,
  createTelemetry: () => createTelemetry(),
  createTerminalMailer: () => createTerminalMailer(),
  createTotp: () => createTotp({ documents: documents(), secrets, issuer: 'Example' }),
  createTrustedDocuments: () => createTrustedDocuments({ hello: '{ hello }' }),
  createYogaPlugin: () => createYogaPlugin({ access: access(), identify: identify() }),
}

/** They return what is random, or what works at once. */
const made = [
  'createCredential',
  'createPkcePair',
  'createSoftwareAuthenticator',
  'createStoreInProcess',
  'createTestServer',
]
/** In tests of their packages: the client has a `createOAuthClient`, too. */
const elsewhere = ['createRedisStores', 'createAuthClient', 'createMcp', 'createOAuthClient', 'createServerAuth']

test.each(Object.entries(factories))(
  '%s draws no random bytes, starts no timer and opens no resource',
  (_name, create) => {
    withoutPlatform(create)
  },
)

test('they are all factories of all packages', () => {
  const api = new URL('../../../conventions/api/', import.meta.url)
  const texts = globSync('*.txt', { cwd: api }).map((file) => readFileSync(new URL(file, api), 'utf8'))
  const found = texts.flatMap((text) => [...text.matchAll(/^ {2}function (create[A-Z]\w*)/gm)].map(([, name]) => name))
  expect(found.toSorted()).toEqual([...Object.keys(factories), ...made, ...elsewhere].toSorted())
})

test.each<[string, () => unknown]>([
  ['random values', () => randomToken()],
  ['a caught use of them', () => void attempt(() => randomToken())],
  ['a timer', () => setTimeout(() => undefined, 0)],
  ['the clock', () => Date.now()],
  ['a duration', () => performance.now()],
])('what uses %s would be found', (_what, create) => {
  expect(() => withoutPlatform(create)).toThrow('used while it was created')
})

function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // It goes on without.
  }
}
