import { createPasswordHasher } from '@latchkey/password'
import { createTelemetry } from '@latchkey/telemetry'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { type RecordedTelemetry, recordTelemetry } from '../support/recorded-telemetry.ts'

let sdk: RecordedTelemetry
beforeEach(() => {
  sdk = recordTelemetry()
})
afterEach(() => sdk.end())

function createMeasured(options: object = {}) {
  const { tracerProvider, meterProvider } = sdk
  return createBench({
    options: { observe: { telemetry: createTelemetry({ tracerProvider, meterProvider }) }, ...options } as never,
  })
}

describe('http.server.request.duration', () => {
  test('is a histogram in seconds with the buckets that the conventions advise', async () => {
    await createMeasured().visitor().ask('{ hello }')
    expect(await sdk.histogram('http.server.request.duration')).toEqual({
      unit: 's',
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    })
  })

  test("has a series for each method, route and status, independent of the client's input", async () => {
    const visitor = createMeasured().visitor()
    await visitor.ask('query First { hello }')
    await visitor.ask('query Second { hello }')
    await visitor.ask('{ viewer { id } }')
    for (const path of ['/one', '/two', '/three?secret=1']) await visitor.get(path)
    const points = await sdk.points('http.server.request.duration')
    const facts = { 'http.request.method': 'POST', 'url.scheme': 'https', 'http.route': '/graphql' }
    expect(points.map(({ attributes, value }) => [attributes, (value as { readonly count: number }).count])).toEqual([
      [{ ...facts, 'http.response.status_code': 200 }, 2],
      [{ ...facts, 'http.response.status_code': 401 }, 1],
      [{ 'http.request.method': 'GET', 'url.scheme': 'https', 'http.response.status_code': 404 }, 3],
    ])
  })

  test('names failures by error.type', async () => {
    const load = () => Promise.reject(new Error('sealed'))
    await createMeasured({ secrets: { load } }).visitor().ask('{ hello }')
    expect(await sdk.points('http.server.request.duration')).toMatchObject([
      { attributes: { 'http.response.status_code': 500, 'error.type': '500' } },
    ])
  })
})

describe('the duration of executions', () => {
  const seriesOf = async () =>
    (await sdk.points('latchkey.graphql.execution.duration')).map(({ attributes }) => attributes)

  test('has no series by the names that clients choose', async () => {
    const visitor = createMeasured().visitor()
    for (const name of ['First', 'Second', 'Third']) await visitor.ask(`query ${name} { hello }`)
    expect(await seriesOf()).toEqual([{ 'graphql.operation.type': 'query' }])
  })

  test('has a series for each name of a trusted document', async () => {
    const documents = new Map([['greeting', 'query Greeting { hello }']])
    const { server } = createMeasured({ graphql: { trustedDocuments: { documents, mode: 'only' } } })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ documentId: 'greeting' })
    const answer = await server.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
    expect(answer.status).toBe(200)
    expect(await seriesOf()).toEqual([{ 'graphql.operation.type': 'query', 'graphql.operation.name': 'Greeting' }])
  })
})

test('hashes are measured in seconds: how long each took, and how long it had waited', async () => {
  const { insert, visitor, server } = createMeasured({ signIn: { passwordHasher: undefined } })
  const { email } = await insert()
  await visitor().signIn(email, password)
  for (const name of ['latchkey.password.hash.duration', 'latchkey.password.hash.wait']) {
    expect(await sdk.points(name)).toMatchObject([{ attributes: { 'latchkey.password.lane': 'login' } }])
    expect((await sdk.histogram(name)).unit).toBe('s')
  }
  await server.close()
})

test('decisions are counted by their types and reasons', async () => {
  const bench = createMeasured()
  const { email } = await bench.insert()
  await bench.visitor().signIn(email, 'not the password of it')
  await bench.visitor().signIn(email, 'nor is this one')
  await bench.visitor().signIn(email, password)
  await bench.visitor().ask('{ viewer { id } }')
  const points = await sdk.points('latchkey.events')
  const counted = points.map(({ attributes, value }) => [...Object.values(attributes), value])
  expect(counted).toEqual(
    expect.arrayContaining([
      ['sign-in.failed', 'wrong-password', 2],
      ['session.created', 1],
      ['access.denied', 'UNAUTHENTICATED', 1],
    ]),
  )
})

test("telemetry receives events in addition to the application's listeners, and failures are printed without a listener", async () => {
  const measured: unknown[] = []
  const { visitor, events } = createMeasured({ observe: { onMeasurement: (one: unknown) => void measured.push(one) } })
  await visitor().ask('{ viewer { id } }')
  expect(measured).toHaveLength(1)
  expect(events.map(({ type }) => type)).toContain('access.denied')
})

test.each([null, {}, { traceRequest: () => undefined }, createPasswordHasher])(
  'an invalid telemetry option is refused by name',
  (telemetry) => {
    expect(() => createBench({ options: { observe: { telemetry } } as never })).toThrow(
      new TypeError('"observe.telemetry" must be createTelemetry() of "@latchkey/telemetry", or be omitted'),
    )
  },
)
