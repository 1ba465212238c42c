import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, bearer, cookie, forgery, json, mediaTypes, read, type Service, serve } from './service.ts'

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

describe.each(mediaTypes)('in %s', (accept) => {
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

  test('row 1: a mutation over GET is 405, whoever asks', async () => {
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

  test('row 3: a client that accepts neither type gets 406', async () => {
    const refusing = `${accept};q=0, text/html`
    const answer = await ask(service, { query: '{ hello }', accept: refusing })
    expect(answer).toMatchObject({ status: 406, codes: ['NOT_ACCEPTABLE'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
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
    ['a choice that was not made', { query: 'query A { hello } query B { hello }' }, 'OPERATION_RESOLUTION_FAILURE'],
    ['a subscription', { query: 'subscription { ticks }' }, 'OPERATION_RESOLUTION_FAILURE'],
  ])('row 8: %s', async (_what, params, code) => {
    const answer = await ask(service, { ...params, accept })
    expect(answer).toMatchObject({ status: row8, codes: [code] })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test('row 9: nobody asks for what is not public: 401, and a refused token is named', async () => {
    const anonymous = await send('{ hello viewer }')
    expect(anonymous).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    const expired = await send('{ hello viewer }', bearer('expired'))
    expect(expired).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
    expect(expired.headers.get('www-authenticate')).toBe('Bearer realm="graphql", error="invalid_token"')
    const ended = await send('{ hello viewer }', cookie('ended'))
    expect(ended.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    for (const { body } of [anonymous, expired, ended]) {
      expect(body).not.toHaveProperty('data')
      expect(body.errors[0]).toMatchObject({ path: ['viewer'], locations: [{ line: 1, column: 9 }] })
    }
    expect(service.ran).toEqual([])
  })

  test('row 10: a bad credential does not keep anybody from what is public', async () => {
    for (const headers of [bearer('expired'), cookie('ended'), { authorization: 'Bearer' }]) {
      expect(await send('{ hello __typename }', headers)).toMatchObject({ status: 200, codes: [] })
      expect(await send('mutation { signIn(password: "right") { ok } }', headers)).toMatchObject({ status: 200 })
    }
  })

  test('row 11: a missing permission is 403 and is not named', async () => {
    const answer = await send('{ hello accounts }', bearer('reader'))
    expect(answer).toMatchObject({ status: 403, codes: ['FORBIDDEN'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(answer.headers.get('www-authenticate')).toBeNull()
    expect(service.ran).toEqual([])
  })

  test('row 12: a missing second factor is 401 with its challenge', async () => {
    const answer = await send('mutation { publishArticle(id: 1) }', bearer('author'))
    expect(answer).toMatchObject({ status: 401, codes: ['STEP_UP_REQUIRED'] })
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="graphql", error="insufficient_user_authentication", max_age="300"',
    )
    expect(answer.body.errors[0].extensions).toMatchObject({ maxAgeSeconds: 300 })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test("row 13: somebody else's object is 403 before any root field runs", async () => {
    const answer = await send(
      'mutation { a: updateArticle(id: 1) { id } b: updateArticle(id: 2) { id } }',
      bearer('author'),
    )
    expect(answer).toMatchObject({ status: 403, codes: ['FORBIDDEN'] })
    expect(answer.body).not.toHaveProperty('data')
    expect(answer.body.errors[0].path).toEqual(['b'])
    expect(service.ran).toEqual([])
  })

  test('row 14: a refusal found while resolving a query drops the data: 403, at most ten errors', async () => {
    const answer = await send('{ hello articles { id inner } }')
    expect(answer).toMatchObject({ status: 403, codes: Array(10).fill('FORBIDDEN') })
    expect(answer.body).not.toHaveProperty('data')
    expect(answer.body.errors[1]).toMatchObject({ path: ['articles', 1, 'inner'] })
  })

  test('row 15: below the root of a mutation the field is null and the effect is told', async () => {
    const answer = await send('mutation { note(how: "FORBIDDEN") { id inner } }')
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ note: { id: '9', inner: null } })
    expect(answer.body.errors[0].path).toEqual(['note', 'inner'])
  })

  test('row 15: beside another root field of a mutation too', async () => {
    const answer = await send('mutation { note { id } fail(how: "FORBIDDEN") }')
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ note: { id: '9' }, fail: null })
  })

  test('row 16: a failed sign-in is 401, and the same bytes whatever the reason was', async () => {
    const answer = await send('mutation { signIn(password: "INVALID_CREDENTIALS") { ok } }')
    expect(answer).toMatchObject({ status: 401, codes: ['INVALID_CREDENTIALS'] })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    expect(answer.body).toEqual({
      errors: [
        {
          message: 'The credentials are not right.',
          locations: [{ line: 1, column: 12 }],
          path: ['signIn'],
          extensions: { code: 'INVALID_CREDENTIALS' },
        },
      ],
    })
  })

  test('row 16: through a fragment it is the sole root field all the same', async () => {
    const query =
      'mutation { ...f __typename } fragment f on Mutation { ...g } fragment g on Mutation { fail(how: "INVALID_CREDENTIALS") }'
    expect(await send(query)).toMatchObject({ status: 401, codes: ['INVALID_CREDENTIALS'] })
  })

  test('row 16: fragments that double are walked once', async () => {
    const doubling = Array.from({ length: 9 }, (_none, n) => `fragment f${n} on Mutation { ...f${n + 1} ...f${n + 1} }`)
    const query = `mutation { ...f0 } ${doubling.join(' ')} fragment f9 on Mutation { fail(how: "FORBIDDEN") }`
    expect(await send(query)).toMatchObject({ status: 403, codes: ['FORBIDDEN'] })
  })

  test('row 16b: a wrong current password of somebody who is signed in is 403', async () => {
    const answer = await send('mutation { changePassword(current: "wrong") }', bearer('reader'))
    expect(answer).toMatchObject({ status: 403, codes: ['INVALID_CREDENTIALS'] })
    expect(answer.headers.get('www-authenticate')).toBeNull()
    expect(answer.body).not.toHaveProperty('data')
  })

  test.each(['BAD_USER_INPUT', 'NOT_FOUND'])('row 17: %s of a use case is 200', async (code) => {
    for (const kind of ['query', 'mutation']) {
      const answer = await send(`${kind} { fail(how: "${code}") }`)
      expect(answer).toMatchObject({ status: 200, codes: [code], body: { data: { fail: null } } })
    }
  })

  test('row 18: something unexpected is 200 beside data, 500 without, and masked', async () => {
    const beside = await send('{ hello fail(how: "unexpected") }')
    expect(beside).toMatchObject({ status: 200, codes: ['INTERNAL_SERVER_ERROR'] })
    expect(beside.body.data).toEqual({ hello: 'Hello you', fail: null })
    const alone = await send('{ hello failHard(how: "unexpected") }')
    expect(alone).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'], body: { data: null } })
    for (const { text } of [beside, alone]) expect(text).not.toContain('secret')
  })

  test('row 19: an unreachable store is 503 with Retry-After, in a resolver and before', async () => {
    for (const answer of [
      await send('{ hello fail(how: "store") }'),
      await send('mutation { note(how: "wrapped store") { id inner } }'),
      await send('mutation { fail(how: "SERVICE_UNAVAILABLE") }'),
      await send('{ hello }', bearer('down')),
      await send('{ hello }', cookie('down')),
    ]) {
      expect(answer).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.body).not.toHaveProperty('data')
      expect(answer.text).not.toContain('secret')
    }
  })
})

describe('whatever the media type', () => {
  test.each([
    ['{ hello }', {}],
    ['{', {}],
    ['{ viewer }', {}],
    ['{ accounts }', bearer('reader')],
    ['mutation { note(how: "FORBIDDEN") { inner } }', {}],
    ['mutation { signIn(password: "INVALID_CREDENTIALS") { ok } }', {}],
    ['mutation { fail(how: "BAD_USER_INPUT") }', {}],
  ])('the body of %j is the same', async (query, headers) => {
    const [first, second] = await Promise.all(mediaTypes.map((accept) => ask(service, { query, headers, accept })))
    expect(first!.text).toBe(second!.text)
  })

  test('401 wins over 403 where resolvers disagree, and only its errors are told', async () => {
    const query = '{ a: fail(how: "FORBIDDEN") b: fail(how: "UNAUTHENTICATED") c: fail(how: "unexpected") }'
    expect(await ask(service, { query })).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
  })

  test('a step-up that a resolver asks for says how', async () => {
    const answer = await ask(service, { query: 'mutation { fail(how: "STEP_UP_REQUIRED") }' })
    expect(answer).toMatchObject({ status: 401, codes: ['STEP_UP_REQUIRED'] })
    expect(answer.body.errors[0].extensions).toMatchObject({ maxAgeSeconds: 300, factors: ['totp'] })
    expect(answer.headers.get('www-authenticate')).toContain('max_age="300"')
  })

  test('of a bearer and a cookie the bearer alone counts, and a bad one never falls back', async () => {
    const headers = { ...cookie('admin'), ...bearer('expired') }
    expect(await ask(service, { query: '{ accounts }', headers })).toMatchObject({ status: 401 })
    expect(await ask(service, { query: '{ accounts }', headers: { ...headers, ...bearer('reader') } })).toMatchObject({
      status: 403,
    })
    expect(service.ran).toEqual([])
  })
})

describe('an access whose ownership is partial', () => {
  test('row 15: leaves a forbidden field of a query null and gives the rest', async () => {
    const partial = await serve({ ownership: 'partial' })
    const answer = await ask(partial, { query: '{ hello fail(how: "FORBIDDEN") }' })
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ hello: 'Hello you', fail: null })
    const many = await ask(partial, { query: '{ articles { inner } }' })
    expect(many).toMatchObject({ status: 200, codes: Array(10).fill('FORBIDDEN') })
    expect(many.body.data.articles).toHaveLength(12)
    expect(await ask(partial, { query: '{ fail(how: "UNAUTHENTICATED") }' })).toMatchObject({ status: 401 })
    await partial.close()
  })
})
