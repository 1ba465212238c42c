import { createSubscriptions, createTrustedDocuments } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { GraphQLError } from 'graphql'
import { describe, expect, test, vi } from 'vitest'
import { type Asking, ended, patience, subscribe, subscribed, transports } from '../support/stream-client.ts'
import { type Login, type StreamingService, serveStreams } from '../support/streaming-service.ts'

const ticks = 'subscription { ticks }'
const notes = 'subscription { notes { id } }'

describe.each(transports)('over %s', (transport) => {
  test('events arrive in order, each executed as the operation asks', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, {
      query: 'subscription { n: notes { id secret } }',
      token: 'ada',
    })
    service.publish({ id: '1', owner: 'ada' })
    service.publish({ id: '2', owner: 'bob' })
    await vi.waitFor(() => expect(heard.results).toHaveLength(2), patience)
    expect(heard.results).toEqual([
      { data: { n: { id: '1', secret: 'secret' } } },
      { data: { n: { id: '2', secret: 'secret' } } },
    ])
  })

  // The decisions, codes and statuses are those of a query; WebSockets have no status.
  const refusals: readonly (readonly [what: string, asking: Asking, code: string, status: number])[] = [
    ['there is no identity', { query: notes }, 'UNAUTHENTICATED', 401],
    ['the token is not valid', { query: notes, token: 'nonsense' }, 'UNAUTHENTICATED', 401],
    ['the session is not valid', { query: notes, session: 'nonsense' }, 'UNAUTHENTICATED', 401],
    ['a permission is missing', { query: notes, token: 'eve' }, 'FORBIDDEN', 403],
    ['a field below requires more', { query: 'subscription { notes { secret } }', token: 'bob' }, 'FORBIDDEN', 403],
    ['another account owns it', { query: 'subscription { mine(id: 1) { id } }', token: 'bob' }, 'FORBIDDEN', 403],
    ['it cannot be parsed', { query: 'subscription {' }, 'GRAPHQL_PARSE_FAILED', 400],
    ['there is no such field', { query: 'subscription { nothing }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    ['it has two root fields', { query: 'subscription { ticks never }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    ['its only root field is __typename', { query: 'subscription { __typename }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    [
      '__typename stands beside it in a fragment',
      { query: 'subscription { ...F } fragment F on Subscription { ticks __typename }' },
      'GRAPHQL_VALIDATION_FAILED',
      400,
    ],
    [
      'its root field is under two names',
      { query: 'subscription { a: ticks b: ticks }' },
      'GRAPHQL_VALIDATION_FAILED',
      400,
    ],
    [
      'it is introspection',
      { query: 'subscription { __schema { types { name } } }' },
      'GRAPHQL_VALIDATION_FAILED',
      400,
    ],
    ['it has 1000 aliases', { query: `subscription { ${aliases('ticks', 1000)} }` }, 'QUERY_LIMIT_EXCEEDED', 400],
    [
      'it has 1000 aliases below the root',
      { query: `subscription { notes { ${aliases('id', 1000)} } }`, token: 'ada' },
      'QUERY_LIMIT_EXCEEDED',
      400,
    ],
    ['a cost argument is out of range', { query: 'subscription { ticks(first: 101) }' }, 'BAD_USER_INPUT', 400],
    [
      'a variable has the wrong type',
      { query: 'subscription ($n: Int) { ticks(first: $n) }', variables: { n: 'x' } },
      'BAD_USER_INPUT',
      400,
    ],
    ['it is a query', { query: '{ hello }' }, 'OPERATION_RESOLUTION_FAILURE', 400],
    ['it is a mutation', { query: 'mutation { touch }', token: 'ada' }, 'OPERATION_RESOLUTION_FAILURE', 400],
    ['its source fails', { query: 'subscription { broken }' }, 'INTERNAL_SERVER_ERROR', 500],
  ]
  test.each(refusals)('no stream opens when %s', async (_what, asking, code, status) => {
    const service = await serveStreams()
    const heard = await ended(subscribe(service, transport, asking))
    expect(heard).toMatchObject({ ended: 'refused', results: [] })
    expect(new Set(heard.codes)).toEqual(new Set([code]))
    if (transport === 'sse') expect(heard.status).toBe(status)
    expect(JSON.stringify(heard)).not.toContain('secret bug')
    expect([service.sources(), service.subscriptions.open]).toEqual([0, 0])
  })

  // `graphql` 16 does not know this rule.
  const conditions: readonly (readonly [query: string, variables: Record<string, unknown>])[] = [
    ['subscription { ticks @skip(if: true) }', {}],
    ['subscription ($v: Boolean!) { ticks @include(if: $v) }', { v: false }],
    ['subscription ($v: Boolean = false) { ... @include(if: $v) { ticks } }', {}],
    ['subscription { ...F @skip(if: true) } fragment F on Subscription { ticks }', {}],
    [
      'subscription { ...F } fragment F on Subscription { ...G } fragment G on Subscription { ticks @include(if: true) }',
      {},
    ],
    ['subscription ($v: Boolean!) { notes @include(if: $v) { id } }', { v: true }],
    ['subscription ($v: Boolean!) { ... @skip(if: $v) { notes { id } } }', { v: false }],
  ]
  test.each(conditions)('no stream opens with a condition at the root: %s', async (query, variables) => {
    const service = await serveStreams()
    const heard = await ended(subscribe(service, transport, { query, variables }))
    expect(heard).toMatchObject({ ended: 'refused', results: [], codes: ['GRAPHQL_VALIDATION_FAILED'] })
    if (transport === 'sse') expect(heard.status).toBe(400)
    expect([service.sources(), service.subscriptions.open]).toEqual([0, 0])
  })

  test('a client whose token is not valid is anonymous: public fields are streamed', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: ticks, token: 'nonsense' })
    service.publish(1)
    await vi.waitFor(() => expect(heard.results).toEqual([{ data: { ticks: 1 } }]), patience)
  })

  test('an event that the client may not see is not sent, and failures are masked', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, {
      query: 'subscription { notes { id diary inner { id } } }',
      token: 'bob',
    })
    for (const fate of ['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT', 'broken', 'down'] as const) {
      service.publish({ id: fate, owner: 'bob', fate })
    }
    service.publish({ id: 'last', owner: 'ada', inner: null })
    await vi.waitFor(() => expect(heard.results).toHaveLength(4), patience)
    expect(heard.codes).toEqual(['BAD_USER_INPUT', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'FORBIDDEN'])
    expect(heard.results.at(-1)).toMatchObject({ data: { notes: { id: 'last', diary: null } } })
    expect(JSON.stringify(heard.results)).not.toMatch(/10\.0\.0\.7|bug/)
    expect(heard.ended).toBe(null)
  })

  test('an event is decided by the current identity: without its role it gets no data', async () => {
    const service = await serveStreams({ limits: { recheckMs: 2000 } })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    change(service.logins, { roles: [] })
    service.publish({ id: '1', owner: 'ada' })
    await ended(heard)
    expect(JSON.stringify(heard.results)).not.toContain('"id"')
    await vi.waitFor(() => expect(service.sources()).toBe(0), patience)
  })

  const ends: readonly [
    what: string,
    end: (service: StreamingService) => unknown,
    told: { readonly codes: readonly string[]; readonly ended: string; readonly socket: number },
  ][] = [
    [
      'the session is revoked',
      ({ logins }) => logins.delete('ada'),
      { codes: ['UNAUTHENTICATED'], ended: 'completed', socket: 4401 },
    ],
    [
      'the identity expires',
      ({ logins }) => change(logins, { expiresAt: Date.now() + 50 }),
      { codes: ['UNAUTHENTICATED'], ended: 'completed', socket: 4401 },
    ],
    [
      'a role is removed',
      ({ logins }) => change(logins, { roles: ['READER'] }),
      { codes: [], ended: 'broken off', socket: 4403 },
    ],
    [
      'a role is added',
      ({ logins }) => change(logins, { roles: ['KEEPER', 'READER'] }),
      { codes: [], ended: 'broken off', socket: 4403 },
    ],
    [
      'the epoch changes',
      ({ logins }) => change(logins, { epoch: 1 }),
      { codes: [], ended: 'broken off', socket: 4403 },
    ],
    [
      'the store fails for too long',
      (service) => Object.assign(service, { store: 'down' }),
      { codes: [], ended: 'broken off', socket: 1013 },
    ],
    [
      'the store hangs for too long',
      (service) => Object.assign(service, { store: 'hangs' }),
      { codes: [], ended: 'broken off', socket: 1013 },
    ],
    ['the service shuts down', (service) => service.close(), { codes: [], ended: 'broken off', socket: 1001 }],
  ]
  test.each(ends)('a silent stream is closed when %s', async (_what, end, told) => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    end(service)
    await ended(heard)
    expect(heard).toMatchObject({ codes: told.codes, ended: told.ended })
    // Clients of graphql-ws close a socket without subscriptions themselves.
    if (transport === 'ws' && told.ended === 'broken off') {
      await vi.waitFor(() => expect(heard.status).toBe(told.socket), patience)
    }
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test.each<[what: string, end: (service: StreamingService) => unknown]>([
    ['was renewed', ({ logins }) => logins.delete('ada')],
    ['has expired', ({ logins }) => change(logins, { expiresAt: Date.now() })],
  ])('a silent stream whose credential %s ends for a reconnect if another one follows', async (_what, end) => {
    const asked: string[] = []
    const isRenewable = async ({ subject }: Identity) => asked.push(subject) > 0
    const service = await serveStreams({ isRenewable })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    end(service)
    await ended(heard)
    expect(heard).toMatchObject({ results: [], ended: 'broken off' })
    if (transport === 'ws') await vi.waitFor(() => expect(heard.status).toBe(4403), patience)
    expect(asked).toEqual(['ada'])
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('a stream is broken off for a reconnect if isRenewable fails', async () => {
    const isRenewable = async () => Promise.reject(new Error('down'))
    const service = await serveStreams({ isRenewable })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    service.logins.delete('ada')
    await ended(heard)
    expect(heard).toMatchObject({ results: [], ended: 'broken off' })
    if (transport === 'ws') await vi.waitFor(() => expect(heard.status).toBe(1013), patience)
  })

  test('an event is not sent after a renewal', async () => {
    const service = await serveStreams({ isRenewable: async () => true, limits: { recheckMs: 2000 } })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    service.logins.delete('ada')
    service.publish({ id: '1', owner: 'ada' })
    await ended(heard)
    expect(heard).toMatchObject({ results: [], ended: 'broken off' })
  })

  test('a stream continues if the expiry of its identity was extended', async () => {
    const service = await serveStreams({ limits: { recheckMs: 2000 } })
    change(service.logins, { expiresAt: Date.now() + 500 })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    change(service.logins, { expiresAt: Date.now() + 60_000 })
    const read = service.reads()
    await vi.waitFor(() => expect(service.reads()).toBeGreaterThan(read), patience)
    service.publish({ id: '1', owner: 'ada' })
    await vi.waitFor(() => expect(heard.results).toHaveLength(1), patience)
    expect(heard.ended).toBe(null)
  })

  test('a result whose identity is revoked while it is executed is not sent', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    const id = Promise.withResolvers<string>()
    const resolving = vi.fn(() => id.promise)
    service.publish({ id: resolving, owner: 'ada' })
    await vi.waitFor(() => expect(resolving).toHaveBeenCalled(), patience)
    service.logins.delete('ada')
    await ended(heard)
    id.resolve('late')
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
    expect(heard).toMatchObject({ ended: 'completed', codes: ['UNAUTHENTICATED'] })
    expect(JSON.stringify(heard.results)).not.toContain('late')
  })

  test('an identity is read again while its streams are open, and not afterwards', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    const opened = service.reads()
    await vi.waitFor(() => expect(service.reads()).toBeGreaterThan(opened + 1), patience)
    heard.stop()
    await vi.waitFor(() => expect(service.subscriptions.open).toBe(0), patience)
    const closed = service.reads()
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(service.reads()).toBe(closed)
  })

  test('a brief store failure closes no stream', async () => {
    const service = await serveStreams({ limits: { recheckMs: 1_000 } })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    service.store = 'fails once'
    await vi.waitFor(() => expect(service.store).toBe('up'), patience)
    service.publish({ id: '1', owner: 'ada' })
    await vi.waitFor(() => expect(heard.results).toHaveLength(1), patience)
    expect(heard.ended).toBe(null)
  })

  test('an event is not sent while the identity cannot be read', async () => {
    const service = await serveStreams({ limits: { recheckMs: 2000 } })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    service.store = 'down'
    service.publish({ id: '1', owner: 'ada' })
    await ended(heard)
    expect(heard).toMatchObject({ results: [], ended: 'broken off' })
  })

  test('anonymous streams read no identity, and survive an outage of the store', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: ticks })
    service.store = 'down'
    await new Promise((resolve) => setTimeout(resolve, 220))
    service.publish(7)
    await vi.waitFor(() => expect(heard.results).toEqual([{ data: { ticks: 7 } }]), patience)
    expect(service.reads()).toBe(0)
  })

  test('a source or a resolver that hangs closes its stream after eventMs', async () => {
    const service = await serveStreams({ limits: { eventMs: 100 } })
    expect(await ended(subscribe(service, transport, { query: 'subscription { never }' }))).toMatchObject({
      ended: 'refused',
      codes: ['SERVICE_UNAVAILABLE'],
    })
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    service.publish({ id: '1', owner: 'ada', fate: 'hangs' })
    expect(await ended(heard)).toMatchObject({ codes: ['SERVICE_UNAVAILABLE'], ended: 'completed' })
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('a source that fails closes its stream with a masked error', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: ticks })
    service.publish(new Error('secret bug'))
    expect(await ended(heard)).toMatchObject({ codes: ['INTERNAL_SERVER_ERROR'], ended: 'completed' })
    expect(service.events).toMatchObject([{ type: 'access.failed', cause: { message: 'secret bug' } }])
    expect(JSON.stringify(heard)).not.toContain('secret')
  })

  test('a field that is not JSON becomes a masked, reported error, and the stream continues', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: 'subscription { notes { raw } }', token: 'ada' })
    service.publish({ raw: { secret: 1 }, owner: 'ada' })
    service.publish({ raw: { secret: 1n }, owner: 'ada' })
    service.publish({ raw: { secret: 2 }, owner: 'ada' })
    await vi.waitFor(() => expect(heard.results).toHaveLength(3), patience)
    expect(heard.results).toMatchObject([
      { data: { notes: { raw: { secret: 1 } } } },
      { data: { notes: { raw: null } }, errors: [{ path: ['notes', 'raw'] }] },
      { data: { notes: { raw: { secret: 2 } } } },
    ])
    expect(heard.codes).toEqual(['INTERNAL_SERVER_ERROR'])
    expect(service.events).toMatchObject([{ type: 'access.failed', cause: expect.any(TypeError) }])
  })

  test.each([
    ['a code', () => Object.assign(new Error('secret'), { extensions: { code: 'BAD_USER_INPUT', trace: 'secret' } })],
    ['another code', () => Object.assign(new Error('secret'), { extensions: { code: 'DOWNSTREAM' } })],
    ['a code as a GraphQLError', () => new GraphQLError('secret', { extensions: { code: 'DOWNSTREAM' } })],
    ['the code of the end', () => Object.assign(new Error('secret'), { extensions: { code: 'UNAUTHENTICATED' } })],
  ])('an error thrown by a result while it is written is masked, also with %s', async (_what, thrown) => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: 'subscription { notes { raw } }', token: 'ada' })
    const toJSON = () => {
      throw thrown()
    }
    service.publish({ raw: { toJSON }, owner: 'ada' })
    await vi.waitFor(() => expect(heard.results).toHaveLength(1), patience)
    expect([heard.codes, heard.messages]).toEqual([
      ['INTERNAL_SERVER_ERROR'],
      ['Something went wrong on our end. Try again later.'],
    ])
    expect(JSON.stringify(heard)).not.toContain('secret')
    expect(service.events).toMatchObject([{ type: 'access.failed', cause: { message: 'secret' } }])
  })

  test('a client that unsubscribes frees its source and its slot', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, transport, { query: notes, token: 'ada' })
    heard.stop()
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('each account has at most streamsPerClient streams', async () => {
    const service = await serveStreams({ limits: { streamsPerClient: 2 } })
    for (let count = 0; count < 2; count++) await subscribed(service, transport, { query: notes, token: 'ada' })
    const refused = await ended(subscribe(service, transport, { query: notes, token: 'ada' }))
    expect(refused).toMatchObject({ ended: 'refused', codes: ['RATE_LIMITED'] })
    if (transport === 'sse') expect(refused.status).toBe(429)
    const one = await subscribed(service, transport, { query: notes, token: 'bob' })
    one.stop()
    await vi.waitFor(() => expect(service.subscriptions.open).toBe(2), patience)
    await subscribed(service, transport, { query: notes, token: 'bob' })
  })

  test('the rate limit is called for each subscription, and only { ok: true } opens it', async () => {
    const asked: (string | null)[] = []
    const answers = [{ ok: true }, { ok: false, retryAfterSeconds: 7 }, new Error('secret')] as const
    const service = await serveStreams({
      async rateLimit({ identity }) {
        asked.push(identity?.subject ?? null)
        const answer = answers[asked.length - 1]
        if (!answer || answer instanceof Error) throw answer
        return answer
      },
    })
    await subscribed(service, transport, { query: notes, token: 'ada' })
    for (const code of ['RATE_LIMITED', 'SERVICE_UNAVAILABLE']) {
      const refused = await ended(subscribe(service, transport, { query: notes, token: 'ada' }))
      expect(refused).toMatchObject({ ended: 'refused', codes: [code] })
    }
    expect([asked, service.sources()]).toEqual([['ada', 'ada', 'ada'], 1])
  })

  test('a document that is not trusted opens no stream in mode only', async () => {
    const documents = createTrustedDocuments({ known: ticks })
    const service = await serveStreams({ trustedDocuments: { documents, mode: 'only' } })
    const refused = await ended(subscribe(service, transport, { query: ticks }))
    expect(refused).toMatchObject({ ended: 'refused', codes: ['PERSISTED_QUERY_ONLY'] })
  })

  test.each([
    ['without trusted documents', undefined, 'PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED'],
    ['with them', { known: ticks }, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'],
  ] as const)(
    'a hash of no document opens no stream and gets the message of Apollo, %s',
    async (_what, known, message, code) => {
      const service = await serveStreams(
        known ? { trustedDocuments: { documents: createTrustedDocuments(known), mode: 'also' } } : {},
      )
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } }
      // A socket needs a text, and it may be empty.
      const query = (transport === 'sse' ? undefined : '') as string
      const refused = await ended(subscribe(service, transport, { query, extensions }))
      expect(refused).toMatchObject({ ended: 'refused', codes: [code], messages: [message] })
      expect(service.sources()).toBe(0)
    },
  )

  test('there are at most limits.streams streams in total', async () => {
    const service = await serveStreams({ limits: { streams: 2 } })
    await subscribed(service, transport, { query: ticks })
    await subscribed(service, transport, { query: notes, token: 'bob' })
    const refused = await ended(subscribe(service, transport, { query: notes, token: 'ada' }))
    if (transport === 'sse') expect(refused).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
    expect([service.sources(), service.subscriptions.open]).toEqual([2, 2])
  })
})

test('checks that hang hold up no later ones once the store answers again', async () => {
  const service = await serveStreams({ limits: { streamsPerClient: 100 } })
  const first = await Promise.all(
    Array.from({ length: 70 }, () => subscribe(service, 'sse', { query: notes, token: 'ada' })),
  )
  await vi.waitFor(() => expect(service.sources()).toBe(70), patience)
  service.store = 'hangs'
  await Promise.all(first.map(ended))
  service.store = 'up'
  const heard = await subscribed(service, 'sse', { query: notes, token: 'bob' })
  const reads = service.reads()
  await vi.waitFor(() => expect(service.reads()).toBeGreaterThan(reads + 3), patience)
  expect(heard.ended).toBe(null)
})

function change(logins: StreamingService['logins'], to: Partial<Login>): void {
  const login = logins.get('ada')
  if (login) Object.assign(login, to)
}

function aliases(field: string, count: number): string {
  return Array.from({ length: count }, (_none, index) => `a${index}: ${field}`).join(' ')
}

test.each<[string, Partial<Login>]>([
  ['another account', { subject: 'bob' }],
  ['a client', { kind: 'client', firstParty: true }],
  ['another session', { key: 'se_other' }],
  ['a third party', { firstParty: false }],
  ['limited by scopes', { scopes: ['notes:read', 'notes:secret'], firstParty: true }],
  ['another role', { roles: ['WRITER'] }],
])('a stream ends once the credential is that of %s', async (_who, to) => {
  const service = await serveStreams()
  const heard = await subscribed(service, 'ws', { query: notes, token: 'ada' })
  change(service.logins, to)
  await ended(heard)
  await vi.waitFor(() => expect([heard.status, service.sources()]).toEqual([4403, 0]), patience)
})

test.each(transports)('a subscription over a limit is reported to onEvent, over %s', async (transport) => {
  const service = await serveStreams()
  await ended(
    subscribe(service, transport, { query: `subscription Many { notes { ${aliases('id', 101)} } }`, token: 'ada' }),
  )
  const exceeded = { limit: 'aliases', value: 101, allowed: 100, operationName: 'Many', refused: true }
  expect(service.events).toMatchObject([{ type: 'limit.exceeded', accountId: 'ada', ...exceeded }])
})

test('refusals are reported to onEvent', async () => {
  const service = await serveStreams()
  await ended(subscribe(service, 'ws', { query: notes, token: 'eve' }))
  expect(service.events).toMatchObject([{ type: 'access.denied', status: 403, accountId: 'eve', paths: ['notes'] }])
})

test.each([
  ['"access"', { access: undefined }],
  ['"identify"', { identify: {} }],
  ['"reidentify"', { reidentify: {} }],
  ['"limits.streams"', { limits: { streams: 0 } }],
  ['"limits.pingMs"', { limits: { pingMs: 1.5 } }],
  ['"limits.recheckMs"', { limits: { recheckMs: 2001 } }],
  ['"limits.recheckMs"', { limits: { recheckMs: 10 } }],
  ['has no option "recheckMs"', { recheckMs: 1000 }],
])('an option that is not valid is named: %s', (name, wrong) => {
  const options = { access: { prepare: () => undefined }, identify: { read: () => undefined }, ...wrong }
  expect(() => createSubscriptions(options as never)).toThrow(TypeError)
  expect(() => createSubscriptions(options as never)).toThrow(name)
})
