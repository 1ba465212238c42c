import type { HttpRequest } from '@latchkey/http'
import type { ServerContext } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { createTestServer } from '@latchkey/server/testing'
import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createBench, policy } from '../support/bench.ts'
import { oneStream } from '../support/one-stream.ts'
import { createVisitor, outcomeOf } from '../support/visitor.ts'

const own = policy.withOwnership({ notes: { ownerOf: ({ writer }: { writer: string }) => writer } })
const local = { baseUrl: 'http://127.0.0.1:4000' } as const

describe('"context" adds to the context of resolvers', () => {
  const typeDefs = 'type Query { tenant: String! @public, name: String @authenticated }'
  const resolvers = {
    Query: {
      tenant: (_source: unknown, _args: unknown, { tenant }: { readonly tenant: string }) => tenant,
      name: (_source: unknown, _args: unknown, { name }: { readonly name: () => Promise<string | null> }) => name(),
    },
  }

  test('context receives the request, the identity and the accounts', async () => {
    const bench = createBench({
      options: {
        typeDefs,
        resolvers,
        context: ({ accounts, identity }: ServerContext<typeof policy>, request: HttpRequest) => ({
          tenant: request.headers.get('x-tenant') ?? 'none',
          name: async () => (identity && (await accounts.get(identity.subject))?.name) ?? null,
        }),
      } as never,
    })
    const visitor = await bench.signedIn()
    expect((await visitor.ask('{ tenant name viewer { id } }', {}, { 'x-tenant': 'otters' })).data).toEqual({
      tenant: 'otters',
      name: visitor.account.name,
      viewer: { id: visitor.account.id },
    })
    expect((await bench.visitor().ask('{ tenant }')).data).toEqual({ tenant: 'none' })
  })

  test('context works in a test server too', async () => {
    const bench = createBench({
      options: { ...local, typeDefs, resolvers, context: () => ({ tenant: 'seals' }) } as never,
    })
    const { visitor } = await createTestServer(bench.server)
    expect((await visitor().graphql('{ tenant }')).data).toEqual({ tenant: 'seals' })
  })

  test.each([
    ['a name of the server', () => ({ accounts: null }), '"accounts" is a name of the access itself'],
    ['a name of the access', () => ({ identity: null, authorize: null }), 'is a name of the access itself'],
    ['a promise', async () => ({ tenant: 'late' }), '"context" must return an object, and no promise of one'],
    ['null', () => null, '"context" must return an object'],
  ])('a context that returns %s is answered 500, and no resolver runs', async (_what, context, words) => {
    const bench = createBench({ options: { typeDefs, resolvers, context } as never })
    const answer = await bench.visitor().ask('{ tenant }')
    expect(outcomeOf(answer)).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(answer.data ?? null).toBeNull()
    const failed = bench.events.find(({ type }) => type === 'access.failed')
    expect(String(failed && 'cause' in failed && failed.cause)).toContain(words)
  })
})

describe('"graphql.path" moves the endpoint', () => {
  const options = { ...local, graphql: { path: '/api/graphql' }, ...oneStream } as never

  test('graphql.path moves streams and sockets too, and the default paths are 404', async () => {
    const { server } = createBench({ options })
    expect(server.path).toBe('/api/graphql')
    const listener = await listen(server, { port: 0, closeOn: [], print: null })
    onTestFinished(() => listener.close())
    const origin = `127.0.0.1:${listener.port}`
    const host = { host: '127.0.0.1:4000' }
    const statusOf = async (path: string, query: string, accept: string): Promise<number> => {
      const url = `http://127.0.0.1:4000${path}?query=${encodeURIComponent(query)}`
      return (await server.fetch(new Request(url, { headers: { accept } }))).status
    }
    for (const [path, found] of [
      ['/api/graphql', 200],
      ['/graphql', 404],
      ['/api', 404],
      ['/api/graphql/', 404],
    ] as const) {
      expect([path, await statusOf(path, '{ hello }', 'application/json')]).toEqual([path, found])
    }
    for (const [path, found] of [
      ['/api/graphql/stream', 200],
      ['/graphql/stream', 404],
    ] as const) {
      expect([path, await statusOf(path, 'subscription { ticks }', 'text/event-stream')]).toEqual([path, found])
    }
    const client = (path: string) =>
      createClient({
        url: `ws://${origin}${path}`,
        retryAttempts: 0,
        lazy: true,
        webSocketImpl: class extends WebSocket {
          constructor(address: string, protocols: string[]) {
            super(address, protocols, { headers: host })
          }
        },
      })
    const first = async (path: string): Promise<unknown> =>
      (await client(path).iterate({ query: 'subscription { ticks }' }).next()).value?.data
    expect(await first('/api/graphql')).toEqual({ ticks: 1 })
    await expect(first('/graphql')).rejects.toBeDefined()
  })

  test.each(['graphql', '/graphql/', '/', '', '/a b', '/a?b', '/a/../b', '/./a', '//a', '/%61', 7])(
    'graphql.path cannot be %j',
    (path) => {
      expect(() => createBench({ options: { graphql: { path } } as never })).toThrow(
        '"graphql.path" must be a path such as "/api/graphql"',
      )
    },
  )

  test.each([
    ...['/sign-in', '/sign-in-code', '/account', '/devices', '/reset', '/undo-email-change', '/impersonation/end'],
    ...['/healthz', '/verify/graphql'],
  ])('graphql.path cannot be %s, which has another route', (path) => {
    expect(() => createBench({ options: { graphql: { path } } as never })).toThrow(
      'where the server answers something else',
    )
  })
})

describe('"graphql.introspection" is the rule of the schema', () => {
  const query = '{ __schema { queryType { name } } }'

  test.each([
    ['production', { graphql: { introspection: { permissions: 'notes:write' } } }, [401, 403, 200]],
    ['production', { graphql: { introspection: 'public' } }, [200, 200, 200]],
    ['production', {}, [401, 403, 403]],
    ['development', { ...local, graphql: { introspection: 'authenticated' } }, [401, 200, 200]],
    ['development', { ...local, graphql: { introspection: 'refused' } }, [401, 403, 403]],
    ['development', local, [200, 200, 200]],
  ])(
    'in %s with %j visitors, readers and authors get the statuses of the rule',
    async (environment, options, statuses) => {
      const bench = createBench({ options: { ...options, environment } as never })
      const { server } = bench
      const [reader, author] = [await bench.insert(), await bench.insert({ roles: ['AUTHOR'] })]
      const origin = server.baseUrl
      const visitors = [null, reader, author].map(async (account) => {
        const visitor = createVisitor({
          fetch: (request) => server.fetch(new Request(request.url.replace('https://example.com', origin), request)),
        })
        if (account) await visitor.signIn(account.email, 'otters read quietly at dawn')
        return (await visitor.ask(query)).status
      })
      expect(await Promise.all(visitors)).toEqual(statuses)
    },
  )

  test.each([['open'], [{ permissions: 'notes:reed' }], [true]])(
    'graphql.introspection cannot be %j',
    (introspection) => {
      expect(() => createBench({ options: { graphql: { introspection } } as never })).toThrow(TypeError)
    },
  )
})

describe('"graphql.ownership" sets the effect of a refusal below the root', () => {
  const options = {
    policy: own,
    typeDefs: `type Note { text: String @owner(of: "notes") } type Query { notes: [Note!]! @public }`,
    resolvers: {
      Query: { notes: () => [{ text: 'mine', writer: 'acc_0' }] },
    },
  }

  test.each([
    ['reject', 403, undefined],
    ['partial', 200, { notes: [{ text: null }] }],
    [undefined, 403, undefined],
  ])('%s', async (ownership, status, data) => {
    const bench = createBench({ options: { ...options, ...(ownership && { graphql: { ownership } }) } as never })
    const answer = await (await bench.signedIn()).ask('{ notes { text } }')
    expect([answer.status, answer.data ?? undefined]).toEqual([status, data])
    expect(answer.codes).toEqual(['FORBIDDEN'])
  })

  test('graphql.ownership cannot have another value', () => {
    expect(() => createBench({ options: { graphql: { ownership: 'null' } } as never })).toThrow(
      '"graphql.ownership" must be "reject" or "partial"',
    )
  })
})
