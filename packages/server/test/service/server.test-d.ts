import type { Rejection } from '@latchkey/accounts'
import { allowNativeDelivery } from '@latchkey/accounts'
import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import {
  type AuthorizationParts,
  createServer,
  type Server,
  type ServerContext,
  type ServerEvent,
  type ServerOptions,
} from '@latchkey/server'
import type { GraphQLSchema } from 'graphql'
import { expectTypeOf, test } from 'vitest'

const policy = definePolicy({
  permissions: ['notes:write'],
  roles: { READER: {}, AUTHOR: { permissions: ['notes:write'] } },
})
type Policy = typeof policy
declare const given: Omit<ServerOptions<Policy>, 'signUp' | 'typeDefs' | 'resolvers' | 'schema'> & {
  readonly typeDefs: string
}
declare const schema: GraphQLSchema
const options = { ...given, signUp: 'closed', resolvers: {} } as const

test('a server is a handler for every runtime', () => {
  const server = createServer(options)
  expectTypeOf(server).toExtend<Server>()
  expectTypeOf(server.fetch).toExtend<(request: Request) => Promise<Response>>()
  server.fetch(new Request('https://example.com/'), { peerAddress: '192.0.2.1' })
  expectTypeOf(server.open).parameter(0).toEqualTypeOf<{ readonly migrate?: boolean } | undefined>()
})

test('signUp takes a role of the policy', () => {
  createServer({ ...options, signUp: { role: 'READER' } })
  // @ts-expect-error the policy has no such role
  createServer({ ...options, signUp: { role: 'OWNER' } })
  // @ts-expect-error who may sign up has to be said
  createServer({ ...given, resolvers: {} })
})

test('a second factor is required of all, or of roles of the policy', () => {
  createServer({ ...options, signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } })
  createServer({ ...options, signIn: { secondFactor: { required: ['AUTHOR'] } } })
  // @ts-expect-error the policy has no such role
  createServer({ ...options, signIn: { secondFactor: { required: ['OWNER'] } } })
  // @ts-expect-error of whom has to be said
  createServer({ ...options, signIn: { secondFactor: { graceSeconds: 0 } } })
})

test('no boolean loosens anything', () => {
  createServer({
    ...options,
    sessions: { nativeDelivery: allowNativeDelivery },
    http: { transport: allowPlainHttpOnLoopback },
  })
  // @ts-expect-error the symbol is needed
  createServer({ ...options, sessions: { nativeDelivery: true } })
  // @ts-expect-error the symbol is needed
  createServer({ ...options, http: { transport: false } })
  // @ts-expect-error there are two
  createServer({ ...options, environment: 'prod' })
})

test('the options that protect a service are required', () => {
  const { secrets: _secrets, ...withoutSecrets } = options
  // @ts-expect-error no secrets
  createServer(withoutSecrets)
  const { mails: _mails, ...withoutMails } = options
  // @ts-expect-error no mailer
  createServer(withoutMails)
  // @ts-expect-error no mailer either
  createServer({ ...options, mails: { notifyNewDevices: true } })
})

test('resolvers know the permissions of the policy, and the accounts', () => {
  createServer({
    ...options,
    resolvers: {
      Query: {
        mayWrite: (_source, _args, { can }) => can('notes:write'),
        // @ts-expect-error the policy has no such permission
        mayRead: (_source, _args, { can }) => can('notes:read'),
        token: (_source, _args, { accountSession }) => accountSession.csrfToken(),
        account: (_source, { id }: { id: string }, { accounts }) => accounts.get(id),
      },
    },
  })
  expectTypeOf<ServerContext<typeof policy>['accountSession']['csrfToken']>().returns.toEqualTypeOf<string | null>()
})

test('resolvers after "context" have its added properties in their type', () => {
  createServer({
    ...options,
    context: ({ identity, accounts }, request) => ({
      tenant: request.headers.get('x-tenant'),
      load: async () => (identity ? accounts.get(identity.subject) : null),
    }),
    resolvers: {
      Query: {
        tenant: (_source, _args, { tenant }) => tenant?.toUpperCase(),
        mine: (_source, _args, { can, load }) => can('notes:write') && load(),
        // @ts-expect-error nothing of the kind was added
        other: (_source, _args, { dataLoader }) => dataLoader,
      },
    },
  })
  createServer({
    ...options,
    // @ts-expect-error without "context" nothing is added
    resolvers: { Query: { tenant: (_source, _args, { tenant }) => tenant } },
  })
})

test('resolvers are functions, or objects with one', () => {
  const resolve = (_source: unknown, _args: unknown, { can }: ServerContext<Policy>) => can('notes:write')
  createServer({
    ...options,
    resolvers: {
      Query: { plain: resolve, wrapped: { resolve }, absent: undefined },
      Mood: { CALM: 1, LOUD: 'loud' },
      Node: { __resolveType: (value: { readonly kind: string }, _context: ServerContext<Policy>) => value.kind },
      Subscription: { ticks: { subscribe: resolve, resolve } },
    },
  })
  // @ts-expect-error a text is no resolver
  createServer({ ...options, resolvers: { Query: { plain: resolve, text: 'plain' } } })
  const foreign = (_source: unknown, _args: unknown, { tenant }: { readonly tenant: string }) => tenant
  // @ts-expect-error a ServerContext has no tenant
  createServer({ ...options, resolvers: { Query: { foreign } } })
  // @ts-expect-error neither has that of an object
  createServer({ ...options, resolvers: { Query: { foreign: { resolve: foreign } } } })
})

test('introspection and ownership have the types of the lower layers', () => {
  createServer({
    ...options,
    graphql: {
      ...options.graphql,
      introspection: { permissions: 'notes:write' },
      ownership: 'partial',
      path: '/api/graphql',
    },
  })
  // @ts-expect-error the policy has no such permission
  createServer({ ...options, graphql: { introspection: { permissions: 'notes:read' } } })
  // @ts-expect-error there are two
  createServer({ ...options, graphql: { ownership: 'null' } })
})

test('the verdicts of accountSession have the types of the verdicts of accounts', () => {
  type AccountSession = ServerContext<typeof policy>['accountSession']
  type Verdict = Awaited<ReturnType<AccountSession['signIn' | 'refresh' | 'changePassword']>>
  type Refused = Extract<Verdict, { readonly ok: false }>
  expectTypeOf<Refused>().toEqualTypeOf<Rejection<'invalid-credentials'>>()
  expectTypeOf<Exclude<Verdict, Refused>['ok']>().toEqualTypeOf<true>()
})

test('a schema is given as text with resolvers or as an object, but not both', () => {
  const { typeDefs, resolvers, ...service } = { ...options, typeDefs: '' }
  createServer({ ...service, schema })
  createServer({
    ...service,
    schema,
    graphql: { rules: { 'Query.note': { permissions: 'notes:write' }, 'Query.open': 'public' } },
  })
  // @ts-expect-error the policy has no such permission
  createServer({ ...service, schema, graphql: { rules: { 'Query.note': { permissions: 'notes:read' } } } })
  // @ts-expect-error no schema at all
  createServer(service)
  // @ts-expect-error both
  createServer({ ...service, schema, typeDefs, resolvers })
  // @ts-expect-error half of the one beside the other
  createServer({ ...service, schema, resolvers })
  // @ts-expect-error text without resolvers
  createServer({ ...service, typeDefs })
})

test('events are distinguished by their type', () => {
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'session.created') expectTypeOf(event.delivery).toEqualTypeOf<'session' | 'token' | 'native'>()
    if (event.type === 'service.failed')
      expectTypeOf(event.during).toEqualTypeOf<'page' | 'oauth' | 'jwks' | 'related-origins' | 'readiness' | 'roles'>()
    if (event.type === 'access.denied') expectTypeOf(event.status).toEqualTypeOf<401 | 403>()
  }
  createServer({ ...options, observe: { onEvent } })
})

test('functions in groups of options know their arguments', () => {
  createServer({
    ...options,
    signIn: {
      totp: (parts) => {
        expectTypeOf(parts.issuer).toEqualTypeOf<string>()
        throw parts.documents
      },
      providers: { clients: {} },
    },
    sessions: { accessTokens: { claims: ({ email }) => ({ domain: email.split('@')[1] }) } },
    accounts: { deletion: { onDelete: ({ id }) => void id.length } },
    graphql: {
      rateLimit: ({ address }) => {
        throw address
      },
    },
    observe: { onEvent: (event) => void event.type },
    oauth: (parts) => {
      throw parts.issuer.length
    },
  })
  const { signIn, sessions, oauth } = {} as ServerOptions<Policy>
  expectTypeOf(sessions?.refresh?.graceSeconds).toEqualTypeOf<number | undefined>()
  expectTypeOf(signIn?.secondFactor?.required).toEqualTypeOf<'all' | readonly ('READER' | 'AUTHOR')[] | undefined>()
  expectTypeOf(oauth).parameter(0).toEqualTypeOf<AuthorizationParts>()
})
