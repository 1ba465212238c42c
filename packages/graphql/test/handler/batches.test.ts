import type { GraphqlHandlerOptions, RateLimitHook } from '@latchkey/graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Endpoint, openEndpoint } from '../support/endpoint.ts'
import { ask, bearer, graphqlResponse, json, type policy, type Service, serve } from '../support/service.ts'

let asked = 0
let allowed = 100
const rateLimit: RateLimitHook = async () => {
  asked++
  return asked > allowed ? { ok: false, retryAfterSeconds: 7 } : { ok: true }
}

let service: Service
beforeAll(async () => {
  service = await serve({ requestLimits: { batchSize: 10 }, rateLimit })
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
  service.events.length = 0
  asked = 0
  allowed = 100
})

async function send(operations: unknown, headers: Record<string, string> = {}) {
  const accept = `${graphqlResponse}, ${json}`
  const response = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': json, accept, ...headers },
    body: JSON.stringify(operations),
  })
  const body = await response.json()
  const codes = [body].flat().map(({ errors = [] }) => errors[0]?.extensions.code ?? null)
  return { status: response.status, headers: response.headers, body, codes }
}
const hello = { query: '{ hello }' }

describe('a batch', () => {
  test('is refused unless it was asked for', async () => {
    const plain = await serve()
    const body = JSON.stringify([hello])
    const response = await fetch(plain.url, { method: 'POST', headers: { 'content-type': json }, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
    expect(plain.ran).toEqual([])
    await plain.close()
  })

  test('is answered in its order, one after another', async () => {
    const { status, headers, body } = await send([
      { query: 'query ($name: String!) { hello(name: $name) }', variables: { name: 'Ada' } },
      { query: 'mutation { note { id } }' },
      { query: 'query A { hello } query B { articles { id } }', operationName: 'A' },
    ])
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual([
      { data: { hello: 'Hello Ada' } },
      { data: { note: { id: '9' } } },
      { data: { hello: 'Hello you' } },
    ])
    expect(service.ran).toEqual(['Query.hello', 'Mutation.note', 'Query.hello'])
  })

  test('has ten operations at most, and not none', async () => {
    expect(await send(Array(10).fill(hello))).toMatchObject({ status: 200, codes: Array(10).fill(null) })
    service.ran.length = 0
    expect(await send(Array(11).fill(hello))).toMatchObject({ status: 400, codes: ['QUERY_LIMIT_EXCEEDED'] })
    expect(await send([])).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
    expect(service.ran).toEqual([])
  })

  test('counts each operation before any of them runs', async () => {
    await send([hello, hello, hello])
    expect(asked).toBe(3)
    service.ran.length = 0
    allowed = 5
    const refused = await send([hello, hello, hello])
    expect(refused).toMatchObject({ status: 429, codes: ['RATE_LIMITED'] })
    expect(refused.headers.get('retry-after')).toBe('7')
    expect(service.ran).toEqual([])
  })

  test('never tests a secret, and answers the rest', async () => {
    const signIn = { query: 'mutation { signIn(password: "right") { ok } }' }
    expect(await send([signIn, hello, signIn])).toMatchObject({
      status: 200,
      codes: ['QUERY_LIMIT_EXCEEDED', null, 'QUERY_LIMIT_EXCEEDED'],
    })
    expect(await send([signIn])).toMatchObject({ codes: ['QUERY_LIMIT_EXCEEDED'] })
    expect(service.ran).toEqual(['Query.hello'])
    expect(await ask(service, signIn)).toMatchObject({ status: 200, codes: [] })
  })

  test('decides each operation separately, with separate limits', async () => {
    const many = { query: `{ ${Array.from({ length: 101 }, (_none, n) => `a${n}: hello`).join(' ')} }` }
    const { status, body, codes } = await send([
      hello,
      { query: '{ accounts }' },
      { query: '{' },
      many,
      7,
      [hello],
      null,
    ])
    expect(status).toBe(200)
    expect(codes).toEqual([
      null,
      'UNAUTHENTICATED',
      'GRAPHQL_PARSE_FAILED',
      'QUERY_LIMIT_EXCEEDED',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
    ])
    expect(body[1]).not.toHaveProperty('data')
    expect(service.events).toMatchObject([
      { type: 'access.denied', code: 'UNAUTHENTICATED' },
      { type: 'limit.exceeded', limit: 'aliases', value: 101 },
    ])
  })

  test('has the status with the highest precedence, with its headers, if all operations are refused', async () => {
    const viewer = { query: '{ viewer }' }
    const refused = await send([viewer, viewer])
    expect(refused).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED', 'UNAUTHENTICATED'] })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    const accounts = { query: '{ accounts }' }
    expect(await send([accounts, accounts], bearer('reader'))).toMatchObject({ status: 403 })
    const mixed = await send([{ query: '{ fail(how: "store") }' }, accounts], bearer('reader'))
    expect(mixed).toMatchObject({ status: 403, codes: ['SERVICE_UNAVAILABLE', 'FORBIDDEN'] })
    expect(mixed.headers.get('retry-after')).toBeNull()
  })

  test('is not for clients that accept the newer media type alone', async () => {
    expect(await send([hello], { accept: graphqlResponse })).toMatchObject({ status: 406, codes: ['NOT_ACCEPTABLE'] })
    expect(await send([hello], { accept: `${graphqlResponse}, ${json};q=0` })).toMatchObject({ status: 406 })
    expect(service.ran).toEqual([])
  })

  test('brings the cookies that its resolvers queued', async () => {
    const context: GraphqlHandlerOptions<typeof policy>['context'] = ({ response }) => {
      response.setHeader('x-seen', 'yes')
      return {}
    }
    const handler = await serve({ requestLimits: { batchSize: 2 }, context })
    const body = JSON.stringify([hello])
    const response = await fetch(handler.url, { method: 'POST', headers: { 'content-type': json }, body })
    expect(response.headers.get('x-seen')).toBe('yes')
    await handler.close()
  })

  test('by the draft of 2026 is a partial success where something was refused', async () => {
    const draft = await serve({ requestLimits: { batchSize: 10 }, statusProfile: 'draft-2026' })
    const post = (body: unknown) =>
      fetch(draft.url, { method: 'POST', headers: { 'content-type': json }, body: JSON.stringify(body) })
    expect((await post([hello, { query: '{ nothing }' }])).status).toBe(294)
    const refused = await post([{ query: '{ nothing }' }])
    expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'application/json; charset=utf-8'])
    expect((await post([hello])).status).toBe(200)
    await draft.close()
  })

  test('has the time of one operation for all', async () => {
    const slow = await openEndpoint({
      sdl: 'type Query { quick: String, hang: String }',
      resolvers: { 'Query.hang': () => new Promise(() => {}) },
      requestLimits: { batchSize: 10, executionMs: 251 },
    })
    const accept = json
    const answer = await slow.post([{ query: '{ quick }' }, { query: '{ hang }' }, { query: '{ quick }' }], { accept })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject([
      { data: { quick: null } },
      { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
      { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
    ])
    await slow.close()
  })
})

describe('an answer in parts', () => {
  let endpoint: Endpoint
  beforeAll(async () => {
    endpoint = await openEndpoint({
      sdl: `
        directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD
        type Query { hello: String, list: [String] }
      `,
    })
  })
  afterAll(() => endpoint.close())

  test.each([
    ['@defer', '{ ... @defer { hello } }'],
    ['@defer', '{ ... @defer(if: false) { hello } }'],
    ['@defer', '{ ...f @defer } fragment f on Query { hello }'],
    ['@stream', '{ list @stream(initialCount: 1) }'],
    ['@defer', 'query ($if: Boolean!) { ... @defer(if: $if) { hello } }'],
  ])('@defer or @stream is refused with a clear message (%s): %s', async (directive, query) => {
    const answer = await endpoint.post({ query, variables: { if: false } })
    expect(answer).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] })
    expect(answer.body.errors[0].message).toBe(`"${directive}" is not supported. Remove the directive.`)
  })

  test('is unknown to a schema without these directives', async () => {
    const answer = await ask(service, { query: '{ ... @defer { hello } }' })
    expect(answer).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] })
    expect(answer.body.errors[0].message).toBe('Unknown directive "@defer".')
  })
})
