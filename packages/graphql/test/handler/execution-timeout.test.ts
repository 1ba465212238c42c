import { type AuthContext, compileAccess } from '@latchkey/graphql'
import { buildSchema, execute } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Endpoint, openEndpoint } from '../support/endpoint.ts'
import { since17 } from '../support/graphql-version.ts'
import { json, policy } from '../support/service.ts'
import { patience } from '../support/stream-client.ts'

const sdl = `
  type Query { quick: String, hang: String, late(how: String!): Nested, owned(id: ID!): String }
  type Nested { after: String }
  type Mutation { hang: String }
`
/** Long enough for an answer, and used by no other timer of this file. */
const executionMs = 251

let signals: AbortSignal[]
let ran: string[]
let settle: (how: string) => void
let endpoint: Endpoint

const hang = (_source: never, _args: never, { signal }: AuthContext<typeof policy>) => {
  signals.push(signal)
  return new Promise(() => {})
}
const resolvers = {
  'Query.quick': (_source: never, _args: never, { signal }: AuthContext<typeof policy>) => {
    signals.push(signal)
    return 'quick'
  },
  'Query.hang': hang,
  'Mutation.hang': hang,
  'Query.late': () =>
    new Promise((resolve, reject) => {
      settle = (how) => (how === 'result' ? resolve({}) : reject(new Error('secret and late')))
    }),
  'Nested.after': () => {
    ran.push('Nested.after')
    return 'after'
  },
}

beforeAll(async () => {
  endpoint = await openEndpoint({ sdl, resolvers, requestLimits: { executionMs } })
})
afterAll(() => endpoint.close())
beforeEach(() => {
  signals = []
  ran = []
  endpoint.events.length = 0
})

describe('an operation that takes too long', () => {
  test.each(['query { quick hang }', 'mutation { hang }'])(
    '%s is answered 503, and the signal of its resolvers is aborted',
    async (query) => {
      const answer = await endpoint.post({ query })
      expect(answer).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.body).not.toHaveProperty('data')
      for (const signal of signals)
        expect(signal).toMatchObject({ aborted: true, reason: { name: 'ExecutionTimeoutError' } })
      expect(signals.length).toBeGreaterThan(0)
    },
  )

  test('is logged under the id that the client gets', async () => {
    const { body } = await endpoint.post({ query: '{ hang }' })
    expect(endpoint.events).toEqual([
      expect.objectContaining({ type: 'access.failed', code: 'SERVICE_UNAVAILABLE', id: body.errors[0].extensions.id }),
    ])
    expect(endpoint.events[0]).toHaveProperty('cause.message', 'The operation took longer than 251 ms.')
  })

  test.each(['rejection', ...since17('result')])('drops a late %s and runs no later resolver', async (how) => {
    expect(await endpoint.post({ query: '{ late(how: "") { after } }' })).toMatchObject({ status: 503 })
    endpoint.events.length = 0
    settle(how)
    expect(await endpoint.post({ query: '{ quick }' })).toMatchObject({ status: 200 })
    expect(ran).toEqual([])
    expect(endpoint.events).toEqual([])
  })

  test.each(since17('aborts'))('%s the signal that GraphQL itself hands to resolvers', async () => {
    let own: AbortSignal | undefined
    const other = await openEndpoint({
      sdl,
      requestLimits: { executionMs },
      resolvers: {
        'Query.hang': (_source, _args, _context, info) => {
          own = info.getAbortSignal()
          return new Promise(() => {})
        },
      },
    })
    expect(await other.post({ query: '{ hang }' })).toMatchObject({ status: 503 })
    expect(own?.aborted).toBe(true)
    await other.close()
  })

  test('is refused before it runs if its owners do not load in time', async () => {
    const slow = policy.withOwnership({ slow: { ownersById: () => new Promise<never>(() => {}) } })
    const other = await openEndpoint({
      sdl,
      requestLimits: { executionMs },
      resolvers: { 'Query.owned': () => ran.push('Query.owned') },
      rules: { 'Query.owned': { owner: { of: 'slow', argument: 'id' } } as never },
      compile: { policy: slow as never },
      identify: {
        read: async () => ({ credential: 'bearer', identity: slow.identify({ subject: 'a', roles: ['READER'] }) }),
      },
    })
    expect(await other.post({ query: '{ owned(id: 1) }' })).toMatchObject({
      status: 503,
      codes: ['SERVICE_UNAVAILABLE'],
    })
    expect(ran).toEqual([])
    await other.close()
  })
})

describe('a client that goes away', () => {
  test('aborts the signal, and is no failure', async () => {
    const controller = new AbortController()
    const patient = await openEndpoint({ sdl, resolvers })
    const request = patient.post({ query: '{ hang }' }, {}, { signal: controller.signal })
    await vi.waitFor(() => expect(signals).toHaveLength(1), patience)
    controller.abort()
    await expect(request).rejects.toThrow()
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), patience)
    expect(await patient.post({ query: '{ quick }' })).toMatchObject({ status: 200 })
    expect(patient.events).toEqual([])
    await patient.close()
  })

  test('before the operation starts, runs no resolver', async () => {
    const controller = new AbortController()
    const headers = { 'content-type': json }
    const body = '{"query":"{ quick }"}'
    const request = new Request(endpoint.url, { method: 'POST', headers, body, signal: controller.signal })
    const gone = await openEndpoint({
      sdl,
      resolvers,
      context: () => {
        controller.abort()
        return {}
      },
    })
    const response = await gone.handler.fetch(request)
    expect(response.status).toBe(503)
    expect(signals).toEqual([])
    await gone.close()
  })
})

describe('an operation in time', () => {
  test('clears its timer after success and failure, and starts no timer without asynchronous work', async () => {
    const patientMs = 77_777
    const patient = await openEndpoint({
      sdl,
      requestLimits: { executionMs: patientMs },
      resolvers: {
        ...resolvers,
        'Query.late': async () => ({}),
        'Mutation.hang': () => Promise.reject(new Error('no')),
      },
    })
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const timersOf = async (queries: readonly string[]): Promise<unknown[]> => {
      started.mockClear()
      for (const query of queries) await patient.post({ query })
      return started.mock.calls.flatMap(([, delay = 0], index) =>
        delay > patientMs / 2 && delay <= patientMs ? [started.mock.results[index]?.value] : [],
      )
    }
    const idle = await timersOf(['{ quick }', '{', '{ nothing }', '{ quick __schema { description } }'])
    const waiting = await timersOf(['{ late(how: "") { after } }', 'mutation { hang }'])
    const ended = new Set(cleared.mock.calls.map(([timer]) => timer))
    vi.restoreAllMocks()
    await patient.close()
    expect(idle).toEqual([])
    expect(waiting).toHaveLength(2)
    expect(waiting.filter((timer) => !ended.has(timer as never))).toEqual([])
  })

  test('keeps a signal that is not aborted', async () => {
    expect(await endpoint.post({ query: '{ quick }' })).toMatchObject({ status: 200 })
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })
})

describe('the signal of a context', () => {
  const schema = buildSchema('type Query { quick: String }')
  schema.getQueryType()!.getFields().quick!.resolve = resolvers['Query.quick'] as never
  const access = compileAccess({ schema, policy, rules: { 'Query.quick': 'public' } })

  test.each(since17('is the one that prepare was given'))('%s, and executes only until then', async () => {
    const controller = new AbortController()
    const verdict = await access.prepare({ query: '{ quick }' }, { identity: null, signal: controller.signal })
    expect(verdict.ok && (await execute(verdict.args))).toEqual({ data: { quick: 'quick' } })
    expect(signals).toEqual([controller.signal])
    controller.abort(new Error('too late'))
    await expect(async () => verdict.ok && execute(verdict.args)).rejects.toThrow('too late')
  })

  test('is never aborted where prepare was given none', async () => {
    const verdict = await access.prepare({ query: '{ quick }' }, { identity: null })
    expect(verdict.ok && (await execute(verdict.args))).toEqual({ data: { quick: 'quick' } })
    expect(signals).toMatchObject([{ aborted: false }])
  })

  test('is no name for something else', async () => {
    const extend = () => ({ signal: 'mine' })
    const prepare = () => access.prepare({ query: '{ quick }' }, { identity: null, extend })
    expect(prepare).toThrow('"signal" is a name of the access itself')
  })
})
