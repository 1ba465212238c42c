import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, bearer, json, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

describe('every answer', () => {
  test.each([
    ['an answer', '{ hello }', 200],
    ['a refusal', '{ viewer }', 401],
    ['a parse error', '{', 400],
    ['a failure', '{ failHard(how: "unexpected") }', 500],
    ['an outage', '{ fail(how: "store") }', 503],
    ['a sign-in', 'mutation { signIn(password: "right") { ok } }', 200],
  ])('(%s) is kept by no cache and guessed by no browser', async (_what, query, status) => {
    const { headers, ...answer } = await ask(service, { query })
    expect(answer.status).toBe(status)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('brings the cookies that a resolver queued, an error too', async () => {
    const sent = async (password: string) => {
      const { status, headers } = await ask(service, { query: `mutation { signIn(password: "${password}") { ok } }` })
      return [status, headers.getSetCookie()[0]?.split(';')[0]]
    }
    expect(await sent('right')).toEqual([200, '__Host-session=attempt-5'])
    expect(await sent('INVALID_CREDENTIALS')).toEqual([401, '__Host-session=attempt-19'])
    expect(await sent('unexpected')).toEqual([500, '__Host-session=attempt-10'])
  })

  test('brings the headers that the context queued, but keeps its own', async () => {
    const context = ({ reply }: { reply: { setHeader(name: string, value: string): void } }) => {
      reply.setHeader('X-Request-Id', '7')
      reply.setHeader('Cache-Control', 'public, max-age=600')
      reply.setHeader('Content-Type', 'text/html')
      return {}
    }
    const queueing = await serve({ context })
    for (const [query, headers] of [
      ['{ hello }', {}],
      ['{ fail(how: "FORBIDDEN") }', bearer('author')],
    ] as const) {
      const answer = await ask(queueing, { query, headers, accept: json })
      expect(answer.headers.get('x-request-id')).toBe('7')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
    await queueing.close()
  })
})

test('the same handler answers Fetch requests', async () => {
  const response = await service.handler.fetch(new Request('https://example.com/graphql?query={hello}'))
  expect([response.status, await response.json()]).toEqual([200, { data: { hello: 'Hello you' } }])
})
