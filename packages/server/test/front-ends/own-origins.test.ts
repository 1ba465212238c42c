import { once } from 'node:events'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createOAuthBench } from '../oauth/support/oauth-bench.ts'
import { type Bench, createBench, password } from '../support/bench.ts'
import { type Answer, newCookies, outcomeOf, signInMutation, type Visitor } from '../support/visitor.ts'

const page = 'https://www.example.com'
const foreign = 'https://app.example.org'
const client = 'https://spa.example.org'
const typeDefs = `
  type Query { hello: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
  type Subscription { ticks: Int! @authenticated }`
const written: string[] = []
const resolvers = {
  Query: { hello: () => 'Hello' },
  Mutation: {
    writeNote: (_source: unknown, { text }: { text: string }) => {
      written.push(text)
      return text
    },
  },
  Subscription: {
    ticks: {
      async *subscribe() {
        yield { ticks: 1 }
      },
    },
  },
}
const http = { allowedOrigins: [page] }
const options = { typeDefs, resolvers, http } as never
const bench = createBench({ options })
const sibling = { origin: page, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }
const write = 'mutation { writeNote(text: "T") }'
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,x-csrf-token',
}
const stream = `/graphql/stream?query=${encodeURIComponent('subscription { ticks }')}`

interface Shared {
  readonly headers: Headers
}
const mayRead = ({ headers }: Shared) => headers.get('access-control-allow-origin')
const withCookies = ({ headers }: Shared) => headers.get('access-control-allow-credentials')

function ask({ server }: Pick<Bench, 'server'>, path: string, origin: string, method = 'OPTIONS') {
  const headers = { origin, ...(method === 'OPTIONS' && preflight) }
  return server.fetch(new Request(`https://example.com${path}`, { method, headers }))
}

/** Origins that are not `https://www.example.com`, for those who try. */
const hostile = [
  'null',
  '*',
  'https://evil.example',
  'http://www.example.com',
  'https://www.example.com:8443',
  'https://www.example.com:443',
  'https://WWW.example.com',
  'HTTPS://www.example.com',
  'https://www.example.com.',
  'https://www.example.com/',
  'https://a.example.com',
  'https://a.www.example.com',
  'https://www.example.com.evil.example',
  'https://evilwww.example.com',
  'https://www.example.com@evil.example',
  'https://a:b@www.example.com',
  'https://www.example.com, https://evil.example',
  'https://www.xn--exmple-cua.com',
  'https://www.example%2ecom',
  foreign,
  client,
]

describe.each([
  ['alone', createBench({ options })],
  ['beside corsOrigins', createBench({ options: { http: { ...http, corsOrigins: [foreign] } } })],
  ['beside an authorization server', createOAuthBench({ options: { http: { ...http, corsOrigins: [foreign] } } })],
])('with allowedOrigins %s', (_what, shared) => {
  test.each(['/graphql', '/graphql/stream'])('their pages alone may read %s with cookies', async (path) => {
    const before = await ask(shared, path, page)
    expect([before.status, mayRead(before), withCookies(before)]).toEqual([204, page, 'true'])
    expect(before.headers.get('access-control-allow-headers')).toContain('X-CSRF-Token')
    for (const method of ['GET', 'POST']) {
      const answer = await ask(shared, path, page, method)
      expect([mayRead(answer), withCookies(answer)]).toEqual([page, 'true'])
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-CSRF-Token')
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })

  test.each(hostile)('a page of %s cannot read responses with cookies', async (origin) => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const before = await ask(shared, path, origin)
      expect([before.status === 204, withCookies(before)]).toEqual([mayRead(before) === origin, null])
      const answer = await ask(shared, path, origin, 'POST')
      expect([withCookies(answer), answer.headers.get('vary')]).toEqual([null, expect.stringContaining('Origin')])
      expect([null, foreign, client]).toContain(mayRead(answer))
    }
  })

  test('responses to no page vary by the origin, too', async () => {
    const { headers } = await shared.server.fetch(new Request('https://example.com/graphql?query={hello}'))
    expect([headers.get('vary'), mayRead({ headers })]).toEqual(['Origin', null])
  })

  test.each(['/sign-in', '/account', '/token', '/userinfo', '/nothing'])(
    '%s is shared with cookies never',
    async (path) => {
      for (const method of ['OPTIONS', 'GET', 'POST'])
        expect(withCookies(await ask(shared, path, page, method))).toBeNull()
    },
  )
})

test('without allowedOrigins there is no response with credentials, also for the own origin', async () => {
  const closed = createBench({ options: { http: { corsOrigins: [foreign] } } })
  for (const origin of ['https://example.com', page, foreign]) {
    for (const method of ['OPTIONS', 'POST'])
      expect(withCookies(await ask(closed, '/graphql', origin, method))).toBeNull()
  }
})

test('pages of corsOrigins may read without cookies if allowedOrigins are set, too', async () => {
  const both = createBench({ options: { http: { ...http, corsOrigins: [foreign] } } })
  for (const method of ['OPTIONS', 'POST']) {
    const answer = await ask(both, '/graphql', foreign, method)
    expect([mayRead(answer), withCookies(answer)]).toEqual([foreign, null])
  }
})

test('an origin in both lists belongs to this service', async () => {
  const both = createBench({ options: { http: { allowedOrigins: [page], corsOrigins: [page] } } })
  expect(withCookies(await ask(both, '/graphql', page))).toBe('true')
})

describe('a page of an allowed origin', () => {
  async function signedIn(): Promise<Visitor> {
    const account = await bench.insert({ roles: ['AUTHOR'] })
    const visitor = Object.assign(bench.visitor(), { headers: sibling })
    const answer = await visitor.signIn(account.email, password)
    expect([answer.status, mayRead(answer), withCookies(answer)]).toEqual([200, page, 'true'])
    return visitor
  }

  test('signs in, queries, mutates and subscribes with cookies', async () => {
    const visitor = await signedIn()
    expect(visitor.jar.has('__Host-session')).toBe(true)
    expect((await visitor.ask('{ viewer { id } }')).data.viewer).not.toBeNull()
    expect((await visitor.ask(write)).data).toEqual({ writeNote: 'T' })
    const events = await visitor.get(stream, { accept: 'text/event-stream' })
    expect([events.status, mayRead(events), withCookies(events)]).toEqual([200, page, 'true'])
    expect(events.text).toContain('"ticks":1')
  })

  test('needs the CSRF token, and reads a new one from the refusal', async () => {
    const visitor = await signedIn()
    visitor.csrfToken = null
    written.length = 0
    const refused = await visitor.ask(write)
    expect([...outcomeOf(refused), written]).toEqual([403, 'CSRF_REJECTED', []])
    expect([mayRead(refused), withCookies(refused)]).toEqual([page, 'true'])
    visitor.csrfToken = refused.headers.get('x-csrf-token')
    expect((await visitor.ask(write)).status).toBe(200)
  })

  test('gets no tokens of applications outside browsers', async () => {
    const { email } = await bench.insert()
    const visitor = Object.assign(bench.visitor(), { headers: sibling })
    const refused = await visitor.ask(signInMutation, { input: { email, password, delivery: 'NATIVE' } })
    expect([refused.codes, newCookies(refused)]).toEqual([['BAD_USER_INPUT'], []])
  })

  test('posts forms, and a page of another origin does not', async () => {
    const { email } = await bench.insert()
    const fields = { email, password }
    expect((await bench.visitor().post('/sign-in', fields, sibling)).status).toBe(303)
    const refused = await bench.visitor().post('/sign-in', fields, { ...sibling, origin: 'https://a.example.com' })
    expect([refused.status, newCookies(refused)]).toEqual([403, []])
  })
})

const attackers: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ...hostile.map((origin) => [`a sibling at ${origin}`, { ...sibling, origin }] as const),
  ['a sibling without an origin', { 'sec-fetch-site': 'same-site' }],
  ['another site that names the allowed origin', { ...sibling, 'sec-fetch-site': 'cross-site' }],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['an old browser at another origin', { origin: 'https://evil.example' }],
]

describe.each(attackers)('%s', (_who, headers) => {
  const hasNoToken = (answer: Answer) => answer.headers.get('x-csrf-token') === null
  test('reads and changes no data with cookies, and cannot sign in', async () => {
    const victim = await bench.signedIn('AUTHOR')
    written.length = 0
    for (const csrfToken of [victim.csrfToken, null]) {
      victim.csrfToken = csrfToken
      for (const query of [write, '{ viewer { id } }', '{ csrfToken }']) {
        const refused = await victim.ask(query, {}, headers)
        expect([...outcomeOf(refused), refused.data, hasNoToken(refused)]).toEqual([
          403,
          'CSRF_REJECTED',
          undefined,
          true,
        ])
      }
      const events = await victim.get(stream, { accept: 'text/event-stream', ...headers })
      expect(outcomeOf(events)).toEqual([403, 'CSRF_REJECTED'])
    }
    const input = { email: victim.account.email, password }
    const signIn = await bench.visitor().ask(signInMutation, { input }, headers)
    expect([...outcomeOf(signIn), signIn.cookies, hasNoToken(signIn)]).toEqual([403, 'CSRF_REJECTED', [], true])
    expect(written).toEqual([])
  })
})

test('a socket with a cookie is opened by pages of allowed origins alone', async () => {
  const { jar } = await bench.signedIn()
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const connect = (headers: Readonly<Record<string, string>>) => {
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, ['graphql-transport-ws'], {
      headers: { ...headers, cookie },
    })
    return socket.on('error', () => undefined)
  }
  for (const [who, headers] of attackers) {
    const [, response] = await once(connect(headers), 'unexpected-response')
    let text = ''
    for await (const chunk of response) text += chunk
    expect([who, response.statusCode, text]).toEqual([who, 403, expect.stringContaining('CSRF_REJECTED')])
  }
  const socket = connect(sibling)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  expect(JSON.parse(String((await once(socket, 'message'))[0]))).toEqual({ type: 'connection_ack' })
})
