import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, bearer, graphqlResponse, json, mediaTypes, read, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve({ statusProfile: 'draft-2026' })
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
})

const post = (body: string, accept: string, headers: Record<string, string> = {}) =>
  fetch(service.url, { method: 'POST', headers: { accept, 'content-type': json, ...headers }, body }).then(read)

describe.each(mediaTypes)('by the draft of 2026, accepting %s,', (accept) => {
  test.each([
    ['a body that is not JSON', '{', 400, 'BAD_REQUEST'],
    ['a body that is no request', '[]', 422, 'BAD_REQUEST'],
    ['a request without a document', '{"qeury":"{ __typename }"}', 422, 'BAD_REQUEST'],
    ['a request with variables of the wrong shape', '{"query":"{ hello }","variables":[7]}', 422, 'BAD_REQUEST'],
    ['a document that cannot be parsed', '{"query":"{"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['a document that is not valid', '{"query":"{ nothing }"}', 422, 'GRAPHQL_VALIDATION_FAILED'],
    ['a document over a limit', `{"query":"{ ${'a: hello '.repeat(101)} }"}`, 422, 'QUERY_LIMIT_EXCEEDED'],
    ['no operation to choose', '{"query":"query A { hello } query B { hello }"}', 422, 'OPERATION_RESOLUTION_FAILURE'],
    ['a variable that cannot be coerced', '{"query":"query ($n: String!) { hello(name: $n) }"}', 422, 'BAD_USER_INPUT'],
  ])('%s is refused', async (_what, body, status, code) => {
    const answer = await post(body, accept)
    expect(answer).toMatchObject({ status, codes: [code] })
    expect(answer.body).not.toHaveProperty('data')
    expect(answer.headers.get('content-type')).toBe(`${graphqlResponse}; charset=utf-8`)
    expect(service.ran).toEqual([])
  })

  test('parameters of a URL that are no request are refused', async () => {
    for (const search of ['', 'query={hello}&query={hello}', 'query={hello}&variables={']) {
      const answer = await fetch(`${service.url}?${search}`, { headers: { accept } }).then(read)
      expect(answer).toMatchObject({ status: 422, codes: ['BAD_REQUEST'] })
    }
    expect(service.ran).toEqual([])
  })

  test.each([
    ['a forbidden field below the root of a mutation', 'mutation { note(how: "FORBIDDEN") { id inner } }', 'FORBIDDEN'],
    ['an input that a use case refuses', 'mutation { fail(how: "BAD_USER_INPUT") }', 'BAD_USER_INPUT'],
    ['a failure beside data', '{ hello fail(how: "unexpected") }', 'INTERNAL_SERVER_ERROR'],
    ['a failure that leaves no data', '{ failHard(how: "unexpected") }', 'INTERNAL_SERVER_ERROR'],
  ])('%s is a partial success', async (_what, query, code) => {
    const answer = await ask(service, { query, accept })
    expect(answer).toMatchObject({ status: 294, codes: [code] })
    expect(answer.body).toHaveProperty('data')
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
  })

  test('success is 200, and refusals of access have the same statuses', async () => {
    const success = await ask(service, { query: '{ hello }', accept })
    expect(success).toMatchObject({ status: 200, codes: [] })
    expect(success.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
    expect(await ask(service, { query: '{ viewer }', accept })).toMatchObject({ status: 401 })
    const headers = bearer('reader')
    expect(await ask(service, { query: '{ accounts }', accept, headers })).toMatchObject({ status: 403 })
    expect(await ask(service, { query: '{ articles { inner } }', accept })).toMatchObject({ status: 403 })
    expect(await ask(service, { query: '{ fail(how: "store") }', accept })).toMatchObject({ status: 503 })
    const overGet = await fetch(`${service.url}?query=mutation{note{id}}`, { headers: { accept } }).then(read)
    expect(overGet).toMatchObject({ status: 405, codes: ['METHOD_NOT_ALLOWED'] })
  })
})
