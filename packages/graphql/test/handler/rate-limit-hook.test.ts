import { AccessError, type RateLimitHook } from '@latchkey/graphql'
import { createAddressReader } from '@latchkey/http'
import { createMemoryCounterStore, StoreError } from '@latchkey/store'
import { afterEach, describe, expect, test } from 'vitest'
import { type Endpoint, openEndpoint } from '../support/endpoint.ts'
import { bearer } from '../support/service.ts'

let ran: string[] = []
let endpoint: Endpoint
const open = async (rateLimit: RateLimitHook, others = {}) => {
  ran = []
  endpoint = await openEndpoint({
    sdl: 'type Query { hello: String }',
    resolvers: { 'Query.hello': () => ran.push('hello') },
    rateLimit,
    ...others,
  })
  return endpoint
}
afterEach(() => endpoint.close())

describe('a rate limit', () => {
  test('over a counter store answers 429 with Retry-After until its window is over', async () => {
    const clock = { time: 1_000_000 }
    const counters = createMemoryCounterStore({ now: () => clock.time })
    const { post } = await open(async ({ addressKey, identity }) => {
      const { count, resetAt } = await counters.hit(identity?.subject ?? String(addressKey), 60_000)
      return count <= 2 ? { ok: true } : { ok: false, retryAfterSeconds: (resetAt - clock.time) / 1000 }
    })
    for (let asked = 0; asked < 2; asked++) expect(await post({ query: '{ hello }' })).toMatchObject({ status: 200 })
    clock.time += 12_345
    const refused = await post({ query: '{ hello }' })
    expect(refused).toMatchObject({ status: 429, codes: ['RATE_LIMITED'] })
    expect(refused.headers.get('retry-after')).toBe('48')
    expect(refused.body).not.toHaveProperty('data')
    expect(ran).toHaveLength(2)
    expect(await post({ query: '{ hello }' }, bearer('ADMIN'))).toMatchObject({ status: 200 })
    clock.time += 60_000
    expect(await post({ query: '{ hello }' })).toMatchObject({ status: 200 })
  })

  test('receives identity, address and credential before the body is read', async () => {
    const asked: Parameters<RateLimitHook>[0][] = []
    const addresses = createAddressReader({ trustedProxies: ['127.0.0.1'] })
    const { post, get } = await open(
      async (facts) =>
        ({ ok: asked.push(facts) < 0, retryAfterSeconds: 1 }) as { ok: false; retryAfterSeconds: number },
      {
        addresses,
      },
    )
    const headers = { ...bearer('ADMIN'), 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' }
    // A body that would be refused otherwise.
    expect(await post({ query: 'x'.repeat(200_000) }, headers)).toMatchObject({ status: 429 })
    expect(await get({ query: '{' })).toMatchObject({ status: 429 })
    expect(await get({ query: '{' }, bearer('unknown'))).toMatchObject({ status: 429 })
    expect(asked).toMatchObject([
      {
        address: '2001:db8:1:2:3:4:5:6',
        addressKey: '2001:db8:1:2::/64',
        identity: { subject: 'admin' },
        credential: 'bearer',
        request: { method: 'POST', target: '/graphql' },
      },
      { address: '127.0.0.1', addressKey: '127.0.0.1', identity: null, credential: null, request: { method: 'GET' } },
      { identity: null, credential: 'bearer' },
    ])
    expect(asked[0]?.request.headers.get('x-forwarded-for')).toBe('2001:db8:1:2:3:4:5:6')
    expect(asked[0]?.request).not.toHaveProperty('body')
  })

  test('does not count what no identity and no body could make right', async () => {
    const asked: unknown[] = []
    const { url } = await open(async (facts) => ({ ok: asked.push(facts) > 0 }) as { ok: true })
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(415)
    expect(asked).toEqual([])
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret host 10.0.0.7 is down')
      },
    ],
    ['rejects', () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'secret host 10.0.0.7 is down'))],
    ['rejects with nothing', () => Promise.reject()],
    ['hangs', () => new Promise(() => {})],
    ['answers nothing', () => undefined],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers what is only nearly yes', () => ({ ok: 'true' })],
  ])('that %s is an outage, and never a yes', async (_what, rateLimit) => {
    const { post, events } = await open(rateLimit as RateLimitHook, { requestLimits: { executionMs: 251 } })
    const answer = await post({ query: '{ hello }' })
    expect(answer).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.text).not.toContain('secret')
    expect(ran).toEqual([])
    expect(events).toEqual([
      expect.objectContaining({ type: 'access.failed', id: answer.body.errors[0].extensions.id }),
    ])
  })

  test.each([
    [0.2, '1', 1],
    [47.1, '48', 48],
    [-5, '1', 1],
    [1e300, '31536000', 31_536_000],
    [Number.NaN, '60', undefined],
    [undefined, '60', undefined],
    [null, '60', undefined],
    [Number.POSITIVE_INFINITY, '60', undefined],
    ['7\r\nSet-Cookie: a=b', '60', undefined],
    [{ valueOf: (): number => 7 }, '60', undefined],
  ])('naming %s seconds is 429, with equal seconds in header and body', async (given, header, body) => {
    const answers = [
      async () => ({ ok: false, retryAfterSeconds: given }),
      async () => {
        throw new AccessError('RATE_LIMITED', { retryAfterSeconds: given as number })
      },
    ]
    const { post } = await open((() => answers.pop()?.()) as RateLimitHook)
    for (let asked = 0; asked < 2; asked++) {
      const answer = await post({ query: '{ hello }' })
      const { retryAfterSeconds } = answer.body.errors[0].extensions
      expect([answer.status, answer.headers.get('retry-after'), retryAfterSeconds]).toEqual([429, header, body])
    }
  })

  test('can refuse with its own message', async () => {
    const { post } = await open(() => {
      throw new AccessError('RATE_LIMITED', { message: 'Three a day.', retryAfterSeconds: 3600 })
    })
    const answer = await post({ query: '{ hello }' })
    expect(answer).toMatchObject({ status: 429, codes: ['RATE_LIMITED'] })
    expect(answer.body.errors[0].message).toBe('Three a day.')
  })
})
