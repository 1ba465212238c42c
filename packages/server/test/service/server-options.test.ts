import { authDirectives } from '@latchkey/graphql'
import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { createTerminalMailer } from '@latchkey/server'
import { createMemoryAuditStore } from '@latchkey/store'
import { buildSchema } from 'graphql'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Bench, createBench, createMemoryStores, policy, typeDefs } from '../support/bench.ts'
import { outcomeOf } from '../support/visitor.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** What TypeScript would not let pass, and plain JavaScript does. */
function refusalOf(options: Record<string, unknown>): unknown {
  try {
    createBench({ options })
    return 'nothing was refused'
  } catch (error) {
    return error
  }
}
const weaker = { ...createMemoryStores().records, capabilities: { contract: 1, consistency: 'eventual' } }
const older = { ...createMemoryStores().records, capabilities: { consistency: 'strong' } }

describe('a server is refused at once', () => {
  test.each([
    ['"mails.mailer" is required', { mails: { mailer: undefined } }],
    ['"mails.mailer" is required', { mails: { mailer: { sendMail: () => {} } } }],
    ['"secrets" is required', { secrets: undefined }],
    ['"secrets" is required', { secrets: 'a long text' }],
    ['"stores.records" is required', { stores: undefined }],
    ['"stores.records" is required', { stores: { ...createMemoryStores(), records: undefined } }],
    ['"stores.records" must be strongly consistent', { stores: { ...createMemoryStores(), records: weaker } }],
    ['"stores.records" must implement version 1', { stores: { ...createMemoryStores(), records: older } }],
    [
      '"stores" has no option "document". Did you mean "documents"?',
      { stores: { ...createMemoryStores(), document: createMemoryStores().documents } },
    ],
    [
      '"stores.records" must be a record store: it has no "touch"',
      { stores: { ...createMemoryStores(), records: { ...createMemoryStores().records, touch: undefined } } },
    ],
    [
      '"stores.counters" must implement version 1',
      {
        stores: {
          ...createMemoryStores(),
          counters: { ...createMemoryStores().counters, capabilities: { contract: 2 } },
        },
      },
    ],
    ['createServer has no option "now"', { now: () => 1_800_000_000_000 }],
    ['"stores.accounts" is required', { stores: { ...createMemoryStores(), accounts: undefined } }],
    [
      '"stores.accounts" must be an AccountStore: it has no "list"',
      { stores: { ...createMemoryStores(), accounts: { ...createMemoryStores().accounts, list: undefined } } },
    ],
    [
      '"stores.accounts" must implement version 1 of the store contract: its "capabilities.contract" is 2',
      {
        stores: {
          ...createMemoryStores(),
          accounts: { ...createMemoryStores().accounts, capabilities: { contract: 2 } },
        },
      },
    ],
    [
      '"stores.audit" must be an AuditStore: it has no "prune"',
      { stores: { ...createMemoryStores(), audit: { ...createMemoryAuditStore(), prune: undefined } } },
    ],
    [
      '"stores.audit" must implement version 1 of the store contract: its "capabilities.contract" is 2',
      { stores: { ...createMemoryStores(), audit: { ...createMemoryAuditStore(), capabilities: { contract: 2 } } } },
    ],
    [
      '"stores.records" must have "sweep"',
      { stores: { ...createMemoryStores(), records: { ...createMemoryStores().records, sweep: undefined } } },
    ],
    ['"stores.documents" is required', { stores: { ...createMemoryStores(), documents: {} } }],
    ['"policy" is required', { policy: { roles: ['READER'] } }],
    ['"policy" must have a role', { policy: definePolicy({ permissions: [], roles: {} }), signUp: 'closed' }],
    ['"policy": the role "SUPER-USER"', { policy: definePolicy({ permissions: [], roles: { 'SUPER-USER': {} } }) }],
    ['"policy": the role "true"', { policy: definePolicy({ permissions: [], roles: { true: {} } }) }],
    ['createServer has no option "trustedProxy"', { trustedProxy: ['10.0.0.1'] }],
    ['"signUp" must be', { signUp: undefined }],
    ['"signUp" must be', { signUp: { role: 'OWNER' } }],
    ['"signUp" must be', { signUp: 'open' }],
    ['"baseUrl" must be an origin', { baseUrl: undefined }],
    ['"baseUrl" must be an origin', { baseUrl: 'example.com' }],
    ['"baseUrl" must be an origin', { baseUrl: 'https://example.com/app' }],
    ['"baseUrl" must be an origin', { baseUrl: 'https://example.com?x' }],
    ['"baseUrl" must be an origin', { baseUrl: 'https://user@example.com' }],
    ['"baseUrl" must be an origin', { baseUrl: 'ftp://example.com' }],
    ['"baseUrl" must be an origin', { baseUrl: new URL('https://example.com') }],
    ['"baseUrl" may be http: only on loopback', { baseUrl: 'http://example.com' }],
    ['"baseUrl" may be http: only on loopback', { baseUrl: 'http://127.0.0.1.example.com' }],
    ['"baseUrl" may be http: only on loopback', { baseUrl: 'http://localhost.example.com' }],
    ['"baseUrl" must be https: in production', { baseUrl: 'http://127.0.0.1:4000', environment: 'production' }],
    [
      '"http.transport": allowPlainHttpOnLoopback is refused in production',
      { http: { transport: allowPlainHttpOnLoopback } },
    ],
    [
      '"http.transport": allowPlainHttpOnLoopback needs a "baseUrl"',
      { environment: 'development', http: { transport: allowPlainHttpOnLoopback } },
    ],
    [
      '"http.allowedOrigins" and "http.allowedHosts" on loopback',
      {
        baseUrl: 'http://127.0.0.1:4000',
        http: { allowedOrigins: ['http://example.com'], transport: allowPlainHttpOnLoopback },
      },
    ],
    [
      '"http.allowedOrigins" and "http.allowedHosts" on loopback',
      {
        baseUrl: 'http://127.0.0.1:4000',
        http: { allowedHosts: ['192.168.0.7:4000'], transport: allowPlainHttpOnLoopback },
      },
    ],
    ['"http.allowedOrigins": each must be https: in production', { http: { allowedOrigins: ['http://example.org'] } }],
    ['"http.transport" must be allowPlainHttpOnLoopback', { http: { transport: true }, environment: 'development' }],
    ['"environment" must be "development" or "production"', { environment: 'prod' }],
    ['"environment" must be "development" or "production"', { environment: '' }],
    ['"http.allowedOrigins": each is an origin', { http: { allowedOrigins: ['https://example.com/'] } }],
    ['"http.allowedOrigins": each is an origin', { http: { allowedOrigins: ['*'] } }],
    ['"http.allowedOrigins": each is an origin', { http: { allowedOrigins: ['null'] } }],
    ['"http.trustedProxies": each is an IP address', { http: { trustedProxies: ['proxy.example.com'] } }],
    ['"http.trustedProxies" must be a list', { http: { trustedProxies: true } }],
    ['"sessions.nativeDelivery" must be allowNativeDelivery', { sessions: { nativeDelivery: true } }],
    ['"mails.maxDelayMs" must be a number', { mails: { maxDelayMs: '2s' } }],
    ['"mails.maxDelayMs" must be a number', { mails: { maxDelayMs: 60_001 } }],
    ['"signIn.passwordHasher" must be a hasher', { signIn: { passwordHasher: { memoryKib: 65_536 } } }],
    ['"signIn.passwordPolicy" must be a policy', { signIn: { passwordPolicy: { minimumCharacters: 8 } } }],
    ['"typeDefs" must be a text', { typeDefs: undefined }],
    ['"typeDefs" must be a text', { typeDefs: buildSchema(typeDefs, { assumeValidSDL: true }) }],
    ['"typeDefs" and "resolvers" are not a valid schema', { typeDefs: 'type Query { hello: ' }],
    ['"typeDefs" and "resolvers" are not a valid schema', { resolvers: { Query: { goodbye: () => '' } } }],
  ])('%s %#', (message, options) => {
    const thrown = refusalOf(options)
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain(message)
  })

  test.each([
    ['Query.notes', `${typeDefs} extend type Query { notes: [String!]! }`],
    ['Account.notes', `${typeDefs} extend type Account { notes: [String!]! }`],
    ['Note.text', `${typeDefs} type Note { text: String! } extend type Query { note: Note @public }`],
    ['notes:reed', `${typeDefs} extend type Query { note: String @requires(permissions: "notes:reed") }`],
    ['Account.email', `${typeDefs} extend type Account { email: String @public }`],
  ])('if a coordinate has no rule or a wrong rule, with its name: %s', (name, sdl) => {
    const thrown = refusalOf({ typeDefs: sdl })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain(name)
  })
})

describe('an application cannot redefine what belongs to the accounts, which could loosen a rule', () => {
  test.each([
    ['Account.email', 'extend type Account { email: String @public }'],
    ['Account.role', 'type Account { role: Role! @authenticated }'],
    ['Query.viewer', 'type Query { viewer: Account! @public }'],
    [
      'Mutation.setRole',
      'type Mutation { setRole(input: SetRoleInput!): Account! @requires(permissions: "notes:write") }',
    ],
    ['Mutation.signIn', 'extend type Mutation { signIn(input: SignInInput!): SignInPayload! @public }'],
    ['SignInInput.email', 'extend input SignInInput { email: String }'],
  ])('%s', (coordinate, sdl) => {
    const thrown = refusalOf({ typeDefs: [typeDefs, sdl] })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain(`${coordinate} already exists`)
  })

  test.each([
    ['Role', 'enum Role { OWNER }', 'Leave your definition out'],
    ['Role', 'extend enum Role { OWNER }', 'Leave your definition out'],
    ['Account', 'type Account { nickname: String @public }', 'extend type Account'],
    ['Session', 'type Session { note: String @public }', 'extend type Session'],
    ['SignInPayload', 'interface SignInPayload { more: String @public }', 'extend type SignInPayload'],
    ['SignInStatus', 'enum SignInStatus { MAYBE }', 'Use another name'],
    ['SignInStatus', 'extend enum SignInStatus { MAYBE }', 'Use another name'],
    ['CredentialDelivery', 'scalar CredentialDelivery', 'Use another name'],
    ['SignInInput', 'input SignInInput { captcha: String }', 'Use another name'],
    ['TokenPayload', 'union TokenPayload = Account', 'extend type TokenPayload'],
    ['@public', 'directive @public on FIELD_DEFINITION | OBJECT', 'the directive of a rule'],
    ['@owner', 'directive @owner(of: String, by: String) on FIELD_DEFINITION', 'the directive of a rule'],
  ])('%s, by %s', (name, sdl, advice) => {
    for (const texts of [[typeDefs, sdl], [sdl, typeDefs], `${typeDefs} ${sdl}`]) {
      const thrown = refusalOf({ typeDefs: texts })
      expect(thrown).toBeInstanceOf(TypeError)
      expect(String(thrown)).toContain(`${name} already exists`)
      expect(String(thrown)).toContain(advice)
    }
  })

  test('the application may extend a type, split root types over texts, and repeat the directives of the rules', () => {
    const bench = createBench({
      options: {
        typeDefs: [
          typeDefs,
          authDirectives,
          'type Query { more: String @public }',
          'extend type Session { label: String @public }',
        ],
      },
    })
    const coordinates = bench.server.access.fields.map(({ coordinate }) => coordinate)
    expect(coordinates).toEqual(expect.arrayContaining(['Query.more', 'Query.hello', 'Session.label']))
  })

  test('with changing roles the application may define the enum Role', () => {
    const options = {
      accounts: { changingRoles: {} },
      typeDefs: [typeDefs, 'enum Role { GUEST } extend type Query { guest: Role @public }'],
    }
    expect(createBench({ options }).server.access.schema.getType('Role')).toBeDefined()
  })

  test('an interface over an account type removes no rule', () => {
    const sdl = 'interface Reachable { email: String @public } extend type Account implements Reachable'
    const rulesOf = ({ server }: Bench) =>
      server.access.fields.find(({ coordinate }) => coordinate === 'Account.email')?.rules
    expect(rulesOf(createBench({ options: { typeDefs: [typeDefs, sdl] } }))).toEqual(rulesOf(createBench()))
  })
})

describe('the environment', () => {
  const introspection = '{ __schema { queryType { name } } }'
  const misspelt = '{ helo }'

  test.each([
    ['https', { baseUrl: 'https://example.com' }],
    ['https and a slash', { baseUrl: 'https://example.com/' }],
    ['production', { baseUrl: 'https://example.com', environment: 'production' as const }],
  ])('is production with %s: the schema is hidden', async (_what, options) => {
    const { signedIn } = createBench({ options })
    const admin = await signedIn('ADMIN')
    expect((await admin.ask(introspection)).status).toBe(403)
    expect((await admin.ask(misspelt)).text).not.toContain('hello')
  })

  test.each([
    ['http on 127.0.0.1', { baseUrl: 'http://127.0.0.1:4000' }],
    ['http on localhost', { baseUrl: 'http://localhost:4000' }],
    ['http on [::1]', { baseUrl: 'http://[::1]:4000' }],
    ['https, when the option says so', { baseUrl: 'https://example.com', environment: 'development' as const }],
  ])('is development with %s: introspection works', async (_what, options) => {
    const { visitor } = createBench({ options })
    expect((await visitor().ask(introspection)).data.__schema.queryType.name).toBe('Query')
    expect((await visitor().ask(misspelt)).text).toContain('hello')
  })

  test.each(['production', 'prod', 'Production', 'staging'])(
    'is production with NODE_ENV=%s on loopback, too',
    (name) => {
      vi.stubEnv('NODE_ENV', name)
      const thrown = refusalOf({ baseUrl: 'http://127.0.0.1:4000' })
      expect(thrown).toBeInstanceOf(TypeError)
      expect(String(thrown)).toContain('"baseUrl" must be https: in production')
      expect(() =>
        createBench({ options: { baseUrl: 'http://127.0.0.1:4000', environment: 'development' } }),
      ).not.toThrow()
    },
  )

  test('refuses the terminal mailer, which prints working links, in production and takes it in development', () => {
    const mails = { mailer: createTerminalMailer() }
    const thrown = refusalOf({ baseUrl: 'https://example.com', mails })
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain('"mails.mailer" is createTerminalMailer()')
    expect(String(thrown)).toContain('createSmtpMailer of @latchkey/server/smtp')
    for (const development of [{ baseUrl: 'http://127.0.0.1:4000' }, { environment: 'development' as const }]) {
      expect(() => createBench({ options: { baseUrl: 'https://example.com', mails, ...development } })).not.toThrow()
    }
  })

  test('without https there is no Strict-Transport-Security', async () => {
    const { visitor } = createBench({ options: { baseUrl: 'http://127.0.0.1:4000' } })
    expect((await visitor().get('/verify?token=t')).headers.get('strict-transport-security')).toBeNull()
  })
})

test('the limits of a document can be changed', async () => {
  const { visitor } = createBench({ options: { graphql: { documentLimits: { aliases: 1 } } } })
  expect((await visitor().ask('{ a: hello }')).status).toBe(200)
  expect(outcomeOf(await visitor().ask('{ a: hello b: hello }'))).toEqual([400, 'QUERY_LIMIT_EXCEEDED'])
  const thrown = refusalOf({ graphql: { documentLimits: { aliases: -1 } } })
  expect(thrown).toBeInstanceOf(TypeError)
  expect(String(thrown)).toContain('graphql.documentLimits.aliases')
})

test('an application may replace a resolver of the accounts, and its rule stays', async () => {
  const { signedIn, visitor } = createBench({
    options: {
      resolvers: {
        Account: { greeting: () => 'Hi' },
        Query: { hello: () => 'Hello', secretPlan: () => '', sessions: () => [] },
        Mutation: { writeNote: () => '' },
      },
    },
  })
  expect((await (await signedIn()).ask('{ sessions { id } }')).data).toEqual({ sessions: [] })
  expect(outcomeOf(await visitor().ask('{ sessions { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
})

test('the policy of the application may define the ownership of accounts itself', async () => {
  const { signedIn } = createBench({
    options: {
      policy: definePolicy({
        permissions: policy.permissions,
        roles: { READER: {}, AUTHOR: { permissions: ['notes:write'] }, ADMIN: {} },
        ownership: { accounts: { ownerOf: () => 'acc_of_somebody_else' } },
      }) as never,
    },
  })
  expect(outcomeOf(await (await signedIn()).ask('{ viewer { email } }'))).toEqual([403, 'FORBIDDEN'])
})
