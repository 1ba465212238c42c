import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  bearer,
  cookie,
  forgery,
  graphqlResponse,
  json,
  mediaTypes,
  read,
  type Service,
  serve,
} from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
  service.events.length = 0
})

const csrf = (who: string) => ({ 'x-csrf-token': forgery.createToken(`se_${who}`) })
const get = async (params: Record<string, string>, headers: Record<string, string> = {}) =>
  read(await fetch(`${service.url}?${new URLSearchParams(params)}`, { headers }))

describe.each(mediaTypes)('accepting %s,', (accept) => {
  const isJson = accept === json
  /** Row 8 is the only one in which the media type decides the status. */
  const row8 = isJson ? 200 : 400

  const send = (query: string, headers: Record<string, string> = {}, variables?: unknown) =>
    ask(service, { query, headers, accept, ...(variables !== undefined && { variables }) })

  test('row 1: another method is 405 with Allow and a typed body', async () => {
    const answer = await read(await fetch(service.url, { method: 'PUT', headers: { accept }, body: '{}' }))
    expect(answer).toMatchObject({ status: 405, codes: ['METHOD_NOT_ALLOWED'] })
    expect(answer.headers.get('allow')).toBe('GET, POST')
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
    expect(answer.body).not.toHaveProperty('data')
  })

  test('row 1: a mutation over GET is 405, for any identity', async () => {
    for (const headers of [{}, bearer('author'), bearer('nonsense'), cookie('author')]) {
      const query = 'mutation { updateArticle(id: 1) { id } }'
      const answer = await get({ query }, { accept, ...headers })
      expect(answer).toMatchObject({ status: 405, codes: ['METHOD_NOT_ALLOWED'] })
      expect(answer.headers.get('allow')).toBe('POST')
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(service.ran).toEqual([])
  })

  test('row 2: a body that is not JSON by its type is 415', async () => {
    const body = JSON.stringify({ query: '{ hello }' })
    const answer = await read(
      await fetch(service.url, { method: 'POST', headers: { accept, 'content-type': 'text/plain' }, body }),
    )
    expect(answer).toMatchObject({ status: 415, codes: ['UNSUPPORTED_MEDIA_TYPE'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON; profile=x; charset=utf-8',
  ])('row 2: %s is JSON', async (type) => {
    const init = { method: 'POST', headers: { accept, 'content-type': type }, body: '{"query":"{ hello }"}' }
    expect(await read(await fetch(service.url, init))).toMatchObject({ status: 200 })
  })

  test('row 3: weights are honoured, and the answer has the type that won', async () => {
    const other = isJson ? graphqlResponse : json
    const answer = await ask(service, { query: '{ hello }', accept: `${other};q=0, text/html, ${accept};q=0.2` })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
  })

  test('row 3: a client that accepts neither type gets 406', async () => {
    const refusing = `${accept};q=0, text/html`
    const answer = await ask(service, { query: '{ hello }', accept: refusing })
    expect(answer).toMatchObject({ status: 406, codes: ['NOT_ACCEPTABLE'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test('row 3: a client that accepts only server-sent events gets 406 with their path', async () => {
    const events = 'text/event-stream, multipart/mixed'
    const answer = await ask(service, { query: 'subscription { ticks }', accept: events })
    expect(answer).toMatchObject({ status: 406, codes: ['NOT_ACCEPTABLE'] })
    expect(answer.body.errors[0].message).toBe('Server-sent events are sent at /graphql/stream. Subscribe there.')
  })

  test('row 4: a body over the limit is 413, a URL over the limit 414', async () => {
    const long = await send(`{ hello(name: "${'x'.repeat(100_000)}") }`)
    expect(long).toMatchObject({ status: 413, codes: ['PAYLOAD_TOO_LARGE'] })
    const far = await get({ query: `{ hello(name: "${'x'.repeat(8_192)}") }` }, { accept })
    expect(far).toMatchObject({ status: 414, codes: ['URI_TOO_LONG'] })
    for (const { body } of [long, far]) expect(body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test('row 5: a malformed request is 400', async () => {
    for (const body of ['{', '[]', '{}', '{"query":1}', '{"query":"{hello}","variables":[]}']) {
      const headers = { accept, 'content-type': json }
      const answer = await read(await fetch(service.url, { method: 'POST', headers, body }))
      expect(answer).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(service.ran).toEqual([])
  })

  test('row 5: a parameter that stands twice in the URL is 400', async () => {
    const answer = await read(await fetch(`${service.url}?query={hello}&query={hello}`, { headers: { accept } }))
    expect(answer).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test("row 6: another site's page is refused with a cookie, and at a credential field without one", async () => {
    const foreign = { 'sec-fetch-site': 'cross-site' }
    for (const answer of [
      await send('{ hello }', { ...foreign, ...cookie('author') }),
      await send('mutation { signIn(password: "right") { ok } }', foreign),
      await send('mutation { signIn(password: "right") { ok } }', { origin: 'https://evil.example' }),
    ]) {
      expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(service.ran).toEqual([])
  })

  test('row 6: a mutation over a session cookie needs the token of this very session', async () => {
    const mutation = 'mutation { updateArticle(id: 1) { id } }'
    for (const token of [{}, { 'x-csrf-token': 'guessed' }, csrf('reader')]) {
      const answer = await send(mutation, { ...cookie('author'), ...token })
      expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(service.ran).toEqual([])
    expect(await send(mutation, { ...cookie('author'), ...csrf('author') })).toMatchObject({ status: 200 })
  })

  test('row 7: a throttled field is 429 with Retry-After', async () => {
    for (const query of ['{ fail(how: "RATE_LIMITED") }', 'mutation { signIn(password: "RATE_LIMITED") { ok } }']) {
      const answer = await send(query)
      expect(answer).toMatchObject({ status: 429, codes: ['RATE_LIMITED'] })
      expect(answer.headers.get('retry-after')).toBe('18')
      expect(answer.body).not.toHaveProperty('data')
    }
  })

  test.each([
    ['a document that is not GraphQL', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['a document over a limit', { query: `{ ${'hello '.repeat(2_001)} }` }, 'QUERY_LIMIT_EXCEEDED'],
    ['a document without an operation', { query: 'fragment F on Query { hello }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a document that does not fit the schema', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable that cannot be coerced',
      { query: 'query ($name: String!) { hello(name: $name) }', variables: { name: null } },
      'BAD_USER_INPUT',
    ],
    [
      'an operation that is not there',
      { query: 'query A { hello }', operationName: 'B' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['a variable that is not given', { query: 'query ($name: String!) { hello(name: $name) }' }, 'BAD_USER_INPUT'],
    ['a choice that was not made', { query: 'query A { hello } query B { hello }' }, 'OPERATION_RESOLUTION_FAILURE'],
    ['a subscription', { query: 'subscription { ticks }' }, 'OPERATION_RESOLUTION_FAILURE'],
  ])('row 8: %s', async (_what, params, code) => {
    const answer = await ask(service, { ...params, accept })
    expect(answer).toMatchObject({ status: row8, codes: [code] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })
})
