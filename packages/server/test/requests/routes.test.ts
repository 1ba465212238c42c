import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'

const bench = createBench()
const send = async (path: string, method = 'GET') => {
  const response = await bench.server.fetch(new Request(`https://example.com${path}`, { method }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('an unknown path or method', () => {
  test.each([
    '/',
    '/graphql/',
    '/graphql/x',
    '//graphql',
    '/GRAPHQL',
    '/graph%71l',
    '/verify/',
    '/healthz/x',
    '/__proto__',
    '/constructor',
    '/.well-known/x',
  ])('%s is 404 in plain text', async (path) => {
    const { status, headers, text } = await send(path)
    expect([status, text]).toEqual([404, 'Not found.'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
  })

  test.each([
    ['/verify', 'PUT', 'GET, HEAD, POST'],
    ['/reset', 'DELETE', 'GET, HEAD, POST'],
    ['/reset', 'OPTIONS', 'GET, HEAD, POST'],
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/readyz', 'constructor', 'GET, HEAD'],
    ['/readyz', '*', 'GET, HEAD'],
  ])('%s with %s is 405 with Allow', async (path, method, allow) => {
    const { status, headers } = await send(path, method)
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test.each(['PUT', 'OPTIONS', 'DELETE'])('/graphql with %s is 405 in the form of GraphQL', async (method) => {
    const { status, headers } = await send('/graphql', method)
    expect([status, headers.get('allow'), headers.get('content-type')]).toEqual([
      405,
      'GET, POST',
      'application/json; charset=utf-8',
    ])
  })

  test('HEAD /graphql is answered like GET without a body, and starts no stream', async () => {
    const [asked, got] = [await send('/graphql?query={hello}', 'HEAD'), await send('/graphql?query={hello}')]
    expect([asked.status, asked.text, got.status]).toEqual([200, '', 200])
    expect(asked.headers.get('content-type')).toBe(got.headers.get('content-type'))
    expect((await send('/graphql/stream', 'HEAD')).status).toBe(405)
  })

  test('no answer lets another origin read it', async () => {
    for (const path of ['/graphql?query={hello}', '/verify?token=t', '/healthz', '/nothing']) {
      const { headers } = await send(path)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('the probes', () => {
  test.each(['/healthz', '/readyz', '/healthz?x=1'])('%s says that all is well', async (path) => {
    const { status, headers, text } = await send(path)
    expect([status, JSON.parse(text).status, headers.get('cache-control')]).toEqual([200, 'ok', 'no-store'])
    expect((await send(path, 'HEAD')).text).toBe('')
  })

  test('while the stores are down /readyz is 503 without the reason, which is an event; /healthz calls no store', async () => {
    const state = { isDown: false, calls: 0 }
    const { stores } = bench
    const { server, events } = createBench({
      beside: bench,
      options: {
        stores: {
          ...stores,
          check: async () => {
            state.calls++
            if (state.isDown) throw new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down')
          },
        },
      },
    })
    const probe = async (path: string) => {
      const response = await server.fetch(new Request(`https://example.com${path}`))
      return [response.status, response.headers.get('retry-after'), await response.text()] as const
    }
    expect(await probe('/healthz')).toEqual([200, null, '{"status":"ok"}'])
    expect(state.calls).toBe(0)
    expect((await probe('/readyz'))[0]).toBe(200)
    state.isDown = true
    const unavailable = [503, '5', '{"status":"unavailable","stores":"unavailable"}']
    await expect.poll(() => probe('/readyz')).toEqual(unavailable)
    expect(events).toContainEqual(expect.objectContaining({ type: 'service.failed', during: 'readiness' }))
    expect(JSON.stringify(events)).not.toContain('10.0.0.7')
    const { calls } = state
    expect((await probe('/healthz'))[0]).toBe(200)
    expect(state.calls).toBe(calls)
    state.isDown = false
    await expect.poll(async () => (await probe('/readyz'))[0]).toBe(200)
  })
})
