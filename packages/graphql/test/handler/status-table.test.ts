import { AccessError } from '@latchkey/graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, bearer, cookie, mediaTypes, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
  service.events.length = 0
})

describe.each(mediaTypes)('accepting %s,', (accept) => {
  const send = (query: string, headers: Record<string, string> = {}, variables?: unknown) =>
    ask(service, { query, headers, accept, ...(variables !== undefined && { variables }) })

  test('row 9: no identity, and a field that is not public: 401, and a refused token is named', async () => {
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

  test('row 10: a bad credential does not hinder a public operation', async () => {
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
    expect(answer.body.errors[0].extensions).toEqual({
      code: 'STEP_UP_REQUIRED',
      challenge: 'insufficient_user_authentication',
      factors: [],
      maxAgeSeconds: 300,
    })
    expect(answer.body).not.toHaveProperty('data')
    expect(service.ran).toEqual([])
  })

  test('row 11: 401 wins over 403, and no permission is named', async () => {
    expect(await send('{ accounts viewer }')).toMatchObject({
      status: 401,
      codes: ['UNAUTHENTICATED', 'UNAUTHENTICATED'],
    })
    expect((await send('{ accounts }', bearer('reader'))).text).not.toContain('accounts:read')
  })

  test('row 13: the object of another account is 403 before any root field runs', async () => {
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

  test('row 15: below the root of a mutation the field is null and the effect is reported', async () => {
    const answer = await send('mutation { note(how: "FORBIDDEN") { id inner } }')
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ note: { id: '9', inner: null } })
    expect(answer.body.errors[0].path).toEqual(['note', 'inner'])
  })

  test('row 15: with another root field in the mutation too', async () => {
    const answer = await send('mutation { note { id } fail(how: "FORBIDDEN") }')
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ note: { id: '9' }, fail: null })
  })

  test('row 15: with partial ownership a forbidden field of a query is null and the rest is given', async () => {
    const partial = await serve({ ownership: 'partial' })
    const answer = await ask(partial, { query: '{ hello fail(how: "FORBIDDEN") }', accept })
    expect(answer).toMatchObject({ status: 200, codes: ['FORBIDDEN'] })
    expect(answer.body.data).toEqual({ hello: 'Hello you', fail: null })
    const many = await ask(partial, { query: '{ articles { inner } }', accept })
    expect(many).toMatchObject({ status: 200, codes: Array(10).fill('FORBIDDEN') })
    expect(many.body.data.articles).toHaveLength(12)
    expect(await ask(partial, { query: '{ fail(how: "UNAUTHENTICATED") }', accept })).toMatchObject({ status: 401 })
    await partial.close()
  })

  test('row 16: a failed sign-in is 401, and the same bytes whatever the reason was', async () => {
    const answer = await send('mutation { signIn(password: "INVALID_CREDENTIALS") { ok } }')
    expect(answer).toMatchObject({ status: 401, codes: ['INVALID_CREDENTIALS'] })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    expect(answer.body).toEqual({
      errors: [
        {
          message: 'The credentials are incorrect.',
          locations: [{ line: 1, column: 12 }],
          path: ['signIn'],
          extensions: { code: 'INVALID_CREDENTIALS' },
        },
      ],
    })
  })

  test('row 16b: a wrong secret is 403 with the same bytes if the resolver called authorize', async () => {
    const query = 'mutation ($password: String!) { signIn(password: $password) { ok } }'
    const variables = { password: 'the wrong one of who is signed in' }
    const known = await send(query, bearer('reader'), variables)
    expect(known).toMatchObject({ status: 403, codes: ['INVALID_CREDENTIALS'] })
    expect(known.headers.get('www-authenticate')).toBeNull()
    const unknown = await send(query, bearer('reader'), { password: 'INVALID_CREDENTIALS' })
    expect(unknown.status).toBe(401)
    expect(known.text).toBe(unknown.text)
    expect(await send(query, {}, variables)).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
  })

  test('row 16: the bytes do not reveal why', async () => {
    const query = 'mutation ($password: String!) { signIn(password: $password) { ok } }'
    const reasons = ['INVALID_CREDENTIALS', 'a locked account', 'a disabled account']
    const answers = await Promise.all(reasons.map((password) => send(query, {}, { password })))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.get('www-authenticate'))).size).toBe(1)
  })

  test('row 16: a sole root field in a fragment is refused alike', async () => {
    const query =
      'mutation { ...f __typename } fragment f on Mutation { ...g } fragment g on Mutation { fail(how: "INVALID_CREDENTIALS") }'
    expect(await send(query)).toMatchObject({ status: 401, codes: ['INVALID_CREDENTIALS'] })
  })

  test('row 16: a sole root field in doubling fragments is refused alike', async () => {
    const doubling = Array.from({ length: 8 }, (_none, n) => `fragment f${n} on Mutation { ...f${n + 1} ...f${n + 1} }`)
    const query = `mutation { ...f0 } ${doubling.join(' ')} fragment f8 on Mutation { fail(how: "FORBIDDEN") }`
    expect(await send(query)).toMatchObject({ status: 403, codes: ['FORBIDDEN'] })
  })

  test('row 16b: a wrong current password of a signed-in account is 403', async () => {
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

  test('row 18: an unexpected error is masked, with status 200 if there is data, else 500', async () => {
    const beside = await send('{ hello fail(how: "unexpected") }')
    expect(beside).toMatchObject({ status: 200, codes: ['INTERNAL_SERVER_ERROR'] })
    expect(beside.body.data).toEqual({ hello: 'Hello you', fail: null })
    const alone = await send('{ hello failHard(how: "unexpected") }')
    expect(alone).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'], body: { data: null } })
    for (const { text, body } of [beside, alone]) {
      expect(text).not.toContain('secret')
      const { id } = body.errors[0].extensions
      expect(service.events).toContainEqual(expect.objectContaining({ type: 'access.failed', id }))
    }
  })

  test('row 17: the refused input is named', async () => {
    const answer = await send('{ fail(how: "BAD_USER_INPUT") }')
    expect(answer.body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.title' })
  })

  test('row 19: an overload is 503 if translateError returns SERVICE_UNAVAILABLE', async () => {
    const isBusy = (error: unknown) =>
      error instanceof Error && 'code' in error && error.code === 'PASSWORD_HASHER_UNAVAILABLE'
    const busy = await serve({
      translateError: (error) =>
        isBusy(error) ? new AccessError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2 }) : null,
    })
    const answer = await ask(busy, { query: 'mutation { signIn(password: "busy") { ok } }', accept })
    expect(answer).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.body).not.toHaveProperty('data')
    await busy.close()
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

describe('accepting either media type,', () => {
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

  test('401 wins over 403 where resolvers disagree, and only its errors are sent', async () => {
    const query = '{ a: fail(how: "FORBIDDEN") b: fail(how: "UNAUTHENTICATED") c: fail(how: "unexpected") }'
    expect(await ask(service, { query })).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
  })

  test('STEP_UP_REQUIRED from a resolver has its age and factors', async () => {
    const answer = await ask(service, { query: 'mutation { fail(how: "STEP_UP_REQUIRED") }' })
    expect(answer).toMatchObject({ status: 401, codes: ['STEP_UP_REQUIRED'] })
    expect(answer.body.errors[0].extensions).toMatchObject({ maxAgeSeconds: 300, factors: ['totp'] })
    expect(answer.headers.get('www-authenticate')).toContain('max_age="300"')
  })

  test('a bearer token takes precedence over a cookie, and an invalid token does not fall back', async () => {
    const headers = { ...cookie('admin'), ...bearer('expired') }
    expect(await ask(service, { query: '{ accounts }', headers })).toMatchObject({ status: 401 })
    expect(await ask(service, { query: '{ accounts }', headers: { ...headers, ...bearer('reader') } })).toMatchObject({
      status: 403,
    })
    expect(service.ran).toEqual([])
  })
})
