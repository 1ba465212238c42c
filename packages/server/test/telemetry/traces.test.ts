import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@latchkey/http/node'
import { createTelemetry } from '@latchkey/telemetry'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { type RecordedTelemetry, recordTelemetry } from '../support/recorded-telemetry.ts'
import { createVisitor } from '../support/visitor.ts'

let sdk: RecordedTelemetry
beforeAll(() => {
  sdk = recordTelemetry()
})
afterAll(() => sdk.end())

const remote = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${remote.traceId}-${remote.spanId}-01`

function createTraced(options: object = {}, given: Parameters<typeof createTelemetry>[0] = {}) {
  const { tracerProvider, meterProvider } = sdk
  const telemetry = createTelemetry({ tracerProvider, meterProvider, ...given })
  const resolvers = {
    Account: { greeting: () => 'Hello' },
    Query: {
      hello: () =>
        tracerProvider.getTracer('application').startActiveSpan('load greeting', async (span) => {
          await Promise.resolve()
          span.end()
          return 'Hello'
        }),
      secretPlan: () => Promise.reject(new Error('the database said: select * from plans')),
    },
    Mutation: { writeNote: (_source: unknown, { text }: { text: string }) => text },
  }
  return createBench({ options: { observe: { telemetry }, resolvers, ...options } as never })
}

/** The spans of the request that `send` sends. */
async function spansOf(send: () => Promise<unknown>) {
  const before = sdk.spans().length
  await send()
  return sdk.spans().slice(before)
}

describe('a request over a socket', () => {
  async function listenTraced() {
    const bench = createTraced()
    const http = createHttpServer((...given) => toNodeListener(bench.at(portOf()))(...given))
    const portOf = () => (http.address() as AddressInfo).port
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    return createVisitor(`http://127.0.0.1:${portOf()}`)
  }

  test('has a span with child spans for its operation and resolvers', async () => {
    const visitor = await listenTraced()
    const spans = await spansOf(() => visitor.ask('query Greeting { hello }', {}, { traceparent }))
    const [resolver, operation, request] = spans
    expect(spans.map(({ name }) => name)).toEqual(['load greeting', 'query', 'POST /graphql'])
    expect(request?.parentSpanContext).toMatchObject({ ...remote, isRemote: true })
    expect(operation?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId)
    expect(resolver?.parentSpanContext?.spanId).toBe(operation?.spanContext().spanId)
    expect(spans.map((span) => span.spanContext().traceId)).toEqual(spans.map(() => remote.traceId))
    expect([request?.kind, operation?.kind]).toEqual([SpanKind.SERVER, SpanKind.SERVER])
    expect(spans.map(({ instrumentationScope: { name } }) => name)).toEqual([
      'application',
      '@latchkey/telemetry',
      '@latchkey/telemetry',
    ])
  })
})

describe('the span of a request', () => {
  test('has exactly the attributes of the semantic conventions for HTTP', async () => {
    let id: string | null = null
    const [, , span] = await spansOf(async () => {
      id = (await createTraced().visitor().ask('{ hello }')).headers.get('x-request-id')
    })
    expect(span?.attributes).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'https',
      'http.route': '/graphql',
      'url.path': '/graphql',
      'http.response.status_code': 200,
      'http.response.header.x-request-id': [id],
    })
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET })
  })

  test.each([
    ['/healthz?token=secret', 'GET /healthz', '/healthz'],
    ['/verify?token=secret', 'GET /verify', '/verify'],
    ['/secret/place?a=secret', 'GET', undefined],
    ['/graphql/secret', 'GET', undefined],
  ])("is named by the route at %s, without the client's input", async (target, name, route) => {
    const spans = await spansOf(() => createTraced().visitor().get(target))
    expect(spans.map((span) => span.name)).toEqual([name])
    expect(spans[0]?.attributes['http.route']).toBe(route)
    expect(spans[0]?.attributes['url.path']).toBe(route)
    expect(JSON.stringify(spans[0]?.attributes)).not.toContain('secret')
  })

  test('is named by the path that the service has', async () => {
    const bench = createTraced({ graphql: { path: '/api/graphql' } })
    const url = 'https://example.com/api/graphql?query={hello}'
    const spans = await spansOf(() => bench.server.fetch(new Request(url)))
    expect(spans.at(-1)?.name).toBe('GET /api/graphql')
  })

  test('is named HTTP for an unknown method', async () => {
    const request = new Request('https://example.com/healthz', { method: 'BREW' })
    const [span] = await spansOf(() => createTraced().server.fetch(request))
    expect(span?.name).toBe('HTTP /healthz')
    expect(span?.attributes['http.request.method']).toBe('_OTHER')
  })

  test.each([
    ['{ viewer { id } }', 401],
    ['{', 400],
  ])('is no failure for %s, which is refused', async (query, status) => {
    const spans = await spansOf(() => createTraced().visitor().ask(query))
    expect(spans.map(({ name }) => name)).toEqual(['POST /graphql'])
    expect(spans[0]?.attributes['http.response.status_code']).toBe(status)
    expect(spans[0]?.attributes).not.toHaveProperty('error.type')
    expect(spans[0]?.status.code).toBe(SpanStatusCode.UNSET)
  })

  test('is a failure for a service that cannot be opened, without the cause', async () => {
    const load = () => Promise.reject(new Error('the vault at 10.0.0.7 is sealed'))
    const spans = await spansOf(() => createTraced({ secrets: { load } }).visitor().ask('{ hello }'))
    expect(spans).toHaveLength(1)
    expect(spans[0]?.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' })
    expect(spans[0]?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(JSON.stringify(spans[0]?.attributes)).not.toContain('10.0.0.7')
    expect(spans[0]?.events).toEqual([])
  })
})

describe('the span of an operation', () => {
  test('has its type and name, without the document', async () => {
    const { visitor } = createTraced()
    const [, span] = await spansOf(() => visitor().ask('query Greeting { hello }'))
    expect(span?.attributes).toEqual({ 'graphql.operation.type': 'query', 'graphql.operation.name': 'Greeting' })
  })

  test('has a name of at most 64 characters, for any operation name', async () => {
    const spans = await spansOf(() =>
      createTraced()
        .visitor()
        .ask(`query ${'n'.repeat(5_000)} { hello }`),
    )
    expect(spans[1]?.attributes['graphql.operation.name']).toBe('n'.repeat(64))
    expect(spans[1]?.name).toBe('query')
  })

  test('is there once for each operation of a batch', async () => {
    const { server } = createTraced({ graphql: { requestLimits: { batchSize: 2 } } })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify([{ query: '{ hello }' }, { query: 'query Second { hello }' }])
    const request = new Request('https://example.com/graphql', { method: 'POST', headers, body })
    const spans = await spansOf(() => server.fetch(request))
    expect(
      spans.filter(({ name }) => name === 'query').map(({ parentSpanContext }) => parentSpanContext?.spanId),
    ).toEqual(Array(2).fill(spans.at(-1)?.spanContext().spanId))
  })
})

describe('a traceparent', () => {
  test.each(['', 'secret', `${traceparent}, ${traceparent}`, `00-${'0'.repeat(32)}-${remote.spanId}-01`])(
    'starts a new trace if it is invalid (%s)',
    async (value) => {
      const spans = await spansOf(() => createTraced().visitor().get('/healthz', { traceparent: value }))
      expect(spans[0]?.parentSpanContext).toBeUndefined()
      expect(spans[0]?.links).toEqual([])
    },
  )

  test('becomes a link if strangers may not choose the trace', async () => {
    const { visitor } = createTraced({}, { traceparent: 'link' })
    const [span] = await spansOf(() => visitor().get('/healthz', { traceparent, baggage: 'account=secret' }))
    expect(span?.parentSpanContext).toBeUndefined()
    expect(span?.spanContext().traceId).not.toBe(remote.traceId)
    expect(span?.links).toMatchObject([{ context: remote }])
  })

  test('grants no access: it only names the trace of a request', async () => {
    const { status } = await createTraced().visitor().ask('{ viewer { id } }', {}, { traceparent })
    expect(status).toBe(401)
  })
})

describe('beside an instrumentation that has a span of the request already', () => {
  const instrumented = <Result>(work: () => Promise<Result>) =>
    sdk.tracerProvider
      .getTracer('instrumentation-http')
      .startActiveSpan('POST', { kind: SpanKind.SERVER }, (span) => work().finally(() => span.end()))

  test('its span is a child of that span for any traceparent, and is no server span', async () => {
    const { visitor } = createTraced()
    const spans = await spansOf(() => instrumented(() => visitor().ask('{ hello }', {}, { traceparent })))
    expect(spans.map(({ name }) => name)).toEqual(['load greeting', 'query', 'POST /graphql', 'POST'])
    expect(spans[2]?.kind).toBe(SpanKind.INTERNAL)
    expect(spans[2]?.parentSpanContext?.spanId).toBe(spans[3]?.spanContext().spanId)
  })

  test('the duration of the request is left to it, so that no request counts twice', async () => {
    const total = async () => {
      const points = await sdk.points('http.server.request.duration')
      return points.reduce((sum, { value }) => sum + (value as { readonly count: number }).count, 0)
    }
    const { visitor } = createTraced()
    await visitor().ask('{ hello }')
    const before = await total()
    await instrumented(() => visitor().ask('{ hello }'))
    expect(await total()).toBe(before)
  })
})

test('the span of a request is not active outside of it', async () => {
  await createTraced().visitor().ask('{ hello }')
  expect(trace.getActiveSpan()).toBeUndefined()
})
