import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AccessError,
  type AccessEvent,
  type AuthContext,
  compileAccess,
  createGraphqlHandler,
  type GraphqlHandler,
  type GraphqlHandlerOptions,
} from '@latchkey/graphql'
import { createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { definePolicy } from '@latchkey/rbac'
import { StoreError } from '@latchkey/store'
import {
  buildSchema,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql'

export const policy = definePolicy({
  permissions: ['articles:update', 'accounts:read', 'ownership:bypass'],
  roles: {
    READER: {},
    AUTHOR: { permissions: ['articles:update'] },
    ADMIN: { inherits: ['AUTHOR'], permissions: ['accounts:read', 'ownership:bypass'] },
  },
  ownership: { articles: { ownersById: async () => new Map([['1', 'author']]) } },
})

const sdl = `
  type Article { id: ID!, title: String!, inner: String }
  type SignInPayload { ok: Boolean! }
  type Query {
    hello(name: String! = "you"): String!
    articles: [Article!]!
    viewer: String!
    accounts: [String!]!
    fail(how: String!): String
    failHard(how: String!): String!
  }
  type Mutation {
    signIn(password: String!): SignInPayload!
    changePassword(current: String!): Boolean!
    updateArticle(id: ID!, how: String): Article!
    publishArticle(id: ID!): Boolean!
    note(how: String): Article
    fail(how: String!): String
  }
  type Subscription { ticks: Int! }
`

const rules = {
  'Article.id': 'public',
  'Article.title': 'public',
  'Article.inner': 'public',
  'SignInPayload.ok': 'public',
  'Query.hello': 'public',
  'Query.articles': 'public',
  'Query.viewer': 'authenticated',
  'Query.accounts': { permissions: 'accounts:read' },
  'Query.fail': 'public',
  'Query.failHard': 'public',
  'Mutation.signIn': { public: true, credential: true },
  'Mutation.changePassword': { authenticated: true, credential: true },
  'Mutation.updateArticle': { permissions: 'articles:update', owner: { of: 'articles', argument: 'id' } },
  'Mutation.publishArticle': { authenticated: true, stepUp: { maxAgeSeconds: 300 } },
  'Mutation.note': 'public',
  'Mutation.fail': 'public',
  'Subscription.ticks': 'public',
} as const

const theSame = new Error('the secret batch failed')

/** What the resolver of `fail(how:)` throws. */
const failures: Readonly<Record<string, (info: GraphQLResolveInfo) => unknown>> = {
  FORBIDDEN: () => new AccessError('FORBIDDEN'),
  UNAUTHENTICATED: () => new AccessError('UNAUTHENTICATED'),
  STEP_UP_REQUIRED: () => new AccessError('STEP_UP_REQUIRED', { maxAgeSeconds: 300, factors: ['totp'] }),
  INVALID_CREDENTIALS: () => new AccessError('INVALID_CREDENTIALS', { message: 'no such account', field: 'email' }),
  'a locked account': () =>
    new GraphQLError('secret lock', { extensions: { code: 'INVALID_CREDENTIALS', attempts: 5 } }),
  'a disabled account': () =>
    new AccessError('INVALID_CREDENTIALS', { message: 'secret', cause: new Error('disabled'), retryAfterSeconds: 60 }),
  RATE_LIMITED: () => new AccessError('RATE_LIMITED', { retryAfterSeconds: 17.2 }),
  SERVICE_UNAVAILABLE: () => new AccessError('SERVICE_UNAVAILABLE'),
  BAD_USER_INPUT: () => new AccessError('BAD_USER_INPUT', { field: 'input.title', message: 'Too long.' }),
  NOT_FOUND: () => new AccessError('NOT_FOUND'),
  INTERNAL_SERVER_ERROR: () => new AccessError('INTERNAL_SERVER_ERROR', { message: 'secret plan' }),
  store: () => new StoreError('STORE_UNAVAILABLE', 'secret host 10.0.0.7 is down'),
  'wrapped store': () => new Error('loading failed', { cause: new StoreError('STORE_UNAVAILABLE', 'secret host') }),
  unexpected: () => Object.assign(new Error('secret: select * from accounts'), { query: 'secret' }),
  same: () => theSame,
  text: () => 'secret text',
  busy: () => Object.assign(new Error('secret queue'), { code: 'PASSWORD_HASHER_UNAVAILABLE' }),
  'GraphQL error': () => new GraphQLError('secret detail'),
  'GraphQL error with nodes': ({ fieldNodes }) => new GraphQLError('secret detail', { nodes: fieldNodes }),
  'unknown code': () => new GraphQLError('secret detail', { extensions: { code: 'DOWNSTREAM' } }),
  'known code': () =>
    new GraphQLError('Too short.', {
      extensions: { code: 'BAD_USER_INPUT', field: 'title', reason: 'impersonated', stacktrace: ['secret'] },
    }),
  'known reason': () => new AccessError('FORBIDDEN', { reason: 'impersonated' }),
  'unknown reason': () => new AccessError('FORBIDDEN', { reason: 'secret' as 'impersonated' }),
  'known code with a cause': () =>
    new GraphQLError('Too short.', { originalError: new Error('secret'), extensions: { code: 'BAD_USER_INPUT' } }),
  'wrapped refusal': () => new GraphQLError('secret detail', { originalError: new AccessError('NOT_FOUND') }),
  'internal code': () => new GraphQLError('secret detail', { extensions: { code: 'INTERNAL_SERVER_ERROR' } }),
  'pretended code': () => Object.assign(new Error('secret detail'), { extensions: { code: 'BAD_USER_INPUT' } }),
}

export interface Service {
  readonly url: string
  /** The names of the root fields whose resolvers ran. */
  readonly ran: string[]
  readonly events: AccessEvent[]
  readonly handler: GraphqlHandler
  close(): Promise<void>
}

export interface ServiceOptions extends Partial<GraphqlHandlerOptions<typeof policy>> {
  /** Options that are omitted. */
  readonly without?: readonly ('forgery' | 'cookies' | 'observe')[]
  readonly ownership?: 'reject' | 'partial'
}

export const sessionCookie = createSessionCookie()
export const refreshCookie = createSessionCookie({ name: '__Host-refresh', sameSite: 'Strict' })
export const forgery = createForgeryCheck({
  origins: ['https://example.com'],
  secrets: [{ id: '1', bytes: new Uint8Array(32).fill(7) }],
})

const roles = new Map([
  ['reader', 'READER'],
  ['author', 'AUTHOR'],
  ['admin', 'ADMIN'],
])

/** `reader`, `author` and `admin` are good tokens and good sessions. `down` finds the store unreachable. */
async function identify(credential: string, via: 'cookie' | 'bearer') {
  if (credential === 'down') throw new StoreError('STORE_UNAVAILABLE', 'secret host 10.0.0.7 is down')
  if (credential === 'broken') throw new Error('secret bug')
  const role = roles.get(credential)
  return policy.identify(role ? { subject: credential, roles: [role], key: `se_${credential}`, via } : null)
}

function createSchema(ran: string[]) {
  const schema = buildSchema(sdl)
  const resolve = (
    type: string,
    field: string,
    run: GraphQLFieldResolver<unknown, Pick<AuthContext, 'response' | 'authorize'>>,
  ): void => {
    const { [field]: found } = (schema.getType(type) as GraphQLObjectType).getFields()
    found!.resolve = (...given) => {
      ran.push(`${type}.${field}`)
      return run(...given)
    }
  }
  const fail = (how: string | null | undefined, info: GraphQLResolveInfo) => {
    const thrown = how ? failures[how]?.(info) : undefined
    if (thrown) throw thrown
    return 'fine'
  }
  const article = (id: string, how?: string | null) => ({
    id,
    title: 'Title',
    inner: (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => fail(how, info),
  })
  const articles = () => Array.from({ length: 12 }, (_none, index) => article(String(index), 'FORBIDDEN'))
  resolve('Query', 'hello', (_source, { name }) => `Hello ${name}`)
  resolve('Query', 'articles', articles)
  resolve('Query', 'viewer', () => 'you')
  resolve('Query', 'accounts', () => [])
  resolve('Query', 'fail', (_source, { how }, _context, info) => fail(how, info))
  resolve('Query', 'failHard', async (_source, { how }, _context, info) => fail(how, info))
  resolve('Mutation', 'signIn', (_source, { password }, { response, authorize }, info) => {
    if (password === 'the wrong one of who is signed in') {
      authorize('authenticated')
      throw new AccessError('INVALID_CREDENTIALS')
    }
    response.setCookie(sessionCookie.write(`attempt-${String(password).length}`))
    fail(password, info)
    return { ok: true }
  })
  resolve('Mutation', 'changePassword', (_source, { current }, _context, info) => {
    fail(current === 'right' ? null : 'INVALID_CREDENTIALS', info)
    return true
  })
  resolve('Mutation', 'updateArticle', (_source, { id, how }) => article(id, how))
  resolve('Mutation', 'publishArticle', () => true)
  resolve('Mutation', 'note', (_source, { how }) => article('9', how))
  resolve('Mutation', 'fail', (_source, { how }, _context, info) => fail(how, info))
  return schema
}

/** Starts the service on a socket. */
export async function serve(options: ServiceOptions = {}): Promise<Service> {
  const ran: string[] = []
  const events: AccessEvent[] = []
  const { without = [], ownership = 'reject', observe, ...others } = options
  const all: GraphqlHandlerOptions<typeof policy> = {
    access: compileAccess({ schema: createSchema(ran), policy, rules, ownership, introspection: 'public' }),
    identify: createIdentityReader({
      cookie: { cookie: sessionCookie, verify: (credential) => identify(credential, 'cookie') },
      bearer: { verify: (token) => identify(token, 'bearer') },
    }),
    forgery,
    cookies: [sessionCookie, refreshCookie],
    observe: { onEvent: (event) => events.push(event), ...observe },
    now: () => 1_700_000_000_000,
    ...others,
  }
  const given = Object.entries(all).filter(([name]) => !(without as readonly string[]).includes(name))
  const handler = createGraphqlHandler(Object.fromEntries(given) as typeof all)
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    ran,
    events,
    handler,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const graphqlResponse = 'application/graphql-response+json'
export const json = 'application/json'
/** Both media types, for tests that every row passes twice. */
export const mediaTypes = [graphqlResponse, json] as const

export interface Asking {
  readonly query?: string
  readonly variables?: unknown
  readonly operationName?: unknown
  readonly accept?: string
  readonly headers?: Record<string, string>
}

/** Sends one operation as a POST of JSON. */
export async function ask({ url }: Service, { accept = graphqlResponse, headers, ...params }: Asking) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': json, accept, ...headers },
    body: JSON.stringify(params),
  })
  return read(response)
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  readonly body: any
  readonly codes: readonly unknown[]
}

export async function read(response: Response): Promise<Answered> {
  const text = await response.text()
  const body = text === '' ? null : JSON.parse(text)
  const errors: readonly { readonly extensions?: { readonly code?: unknown } }[] = body?.errors ?? []
  const codes = errors.map(({ extensions }) => extensions?.code)
  return { status: response.status, headers: response.headers, text, body, codes }
}

/** The header of a client with a token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
/** The header of a client with a session. */
export const cookie = (credential: string) => ({ cookie: `${sessionCookie.name}=${credential}` })
