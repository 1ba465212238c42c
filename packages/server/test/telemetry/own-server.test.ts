import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createHttpHandler } from '@latchkey/http'
import { createTelemetry } from '@latchkey/telemetry'
import { SpanStatusCode } from '@opentelemetry/api'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { policy } from '../support/bench.ts'
import { type RecordedTelemetry, recordTelemetry } from '../support/recorded-telemetry.ts'

let sdk: RecordedTelemetry
beforeAll(() => {
  sdk = recordTelemetry()
})
beforeEach(() => void handled.splice(0))
afterAll(() => sdk.end())

const handled: unknown[] = []

function createOwnServer() {
  const { tracerProvider, meterProvider } = sdk
  const { traceRequest, traceExecution, onEvent } = createTelemetry({ tracerProvider, meterProvider })
  const schema = buildSchema('type Query { hello: String, slow: String }')
  const { hello, slow } = schema.getQueryType()?.getFields() ?? {}
  if (hello) hello.resolve = () => 'Hello'
  if (slow) slow.resolve = () => new Promise(() => undefined)
  const graphql = createGraphqlHandler({
    access: compileAccess({ schema, policy, rules: { 'Query.hello': 'public', 'Query.slow': 'public' } }),
    identify: { read: async () => ({ credential: null, identity: null }) },
    requestLimits: { executionMs: 50 },
    observe: {
      traceExecution,
      onEvent(event) {
        handled.push(event.type)
        onEvent(event)
      },
    },
  })
  return createHttpHandler((request) =>
    traceRequest(request, { route: '/graphql', scheme: 'https' }, () => graphql.handle(request)),
  )
}

const get = (query: string) =>
  createOwnServer().fetch(new Request(`https://example.com/graphql?query=${encodeURIComponent(query)}`))

test('a server with the GraphQL handler alone has the same two spans', async () => {
  expect((await get('query Greeting { hello }')).status).toBe(200)
  const [operation, request] = sdk.spans()
  expect(operation?.attributes).toEqual({ 'graphql.operation.type': 'query', 'graphql.operation.name': 'Greeting' })
  expect(operation?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId)
  expect(request?.name).toBe('GET /graphql')
})

test('an operation that is not over at its deadline is a failure in both spans, and is counted', async () => {
  expect((await get('{ slow }')).status).toBe(503)
  const [operation, request] = sdk.spans().slice(-2)
  expect(operation?.status.code).toBe(SpanStatusCode.ERROR)
  expect(operation?.attributes['error.type']).toEqual(expect.any(String))
  expect(request?.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' })
  const counted = (await sdk.points('latchkey.events')).map(({ attributes }) => attributes['latchkey.event.type'])
  expect(counted).toEqual([...new Set(handled)])
})
