import { connect } from 'node:net'
import type { Subscriptions } from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { createAddressReader, createSecurityHeaders } from '@latchkey/http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { patience, subscribed } from '../support/stream-client.ts'
import { cookie, forgery, origin, type StreamingService, serveStreams } from '../support/streaming-service.ts'

const ticks = 'subscription { ticks }'
const accept = { accept: 'text/event-stream' }
const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ query: ticks })
const post = { method: 'POST', headers: { ...accept, ...json } }

/** Opens a stream without a client library; it ends with the test. */
async function open({ url }: StreamingService, init: RequestInit & { readonly search?: string } = {}) {
  const client = new AbortController()
  onTestFinished(() => client.abort())
  const { search = '', ...others } = init
  const response = await fetch(url + search, { headers: accept, signal: client.signal, ...others })
  return { response, leave: () => client.abort() }
}

/** Opens a stream through Fetch, without reading it. */
function handleFetch({ subscriptions }: StreamingService): Promise<Response> {
  const init = { method: 'POST', headers: { ...accept, ...json }, body }
  return createStreamHandler({ subscriptions }).fetch(new Request('https://example.com/', init))
}

/** Reads the body piece by piece, `null` at its end. */
function readerOf({ body }: Response) {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => reader.cancel())
  return { read: async () => (await reader.read()).value ?? null }
}

async function refusalOf(response: Response) {
  const type = response.headers.get('content-type')
  const { errors } = type === null ? { errors: [] } : await response.json()
  return { type, codes: errors.map((error: { extensions: { code: string } }) => error.extensions.code) }
}

test.each([
  ['opens', { search: `?query=${encodeURIComponent(ticks)}` }, 200],
  ['is refused', { search: '?query={' }, 400],
])('the option "headers" is sent with a stream that %s', async (_what, init, status) => {
  const security = createSecurityHeaders({ https: true }).api
  const { response } = await open(await serveStreams({ headers: security }), init)
  expect(response.status).toBe(status)
  for (const [name, value] of security) expect([name, response.headers.get(name)]).toEqual([name, value])
})

test.each<[string, Record<string, string>, string | null]>([
  ['a token that is not valid', { authorization: 'Bearer gone' }, 'invalid'],
  ['a session that has ended', { cookie: `${cookie.name}=gone`, origin }, 'invalid'],
  ['a good token', { authorization: 'Bearer ada' }, null],
  ['no credential', {}, null],
])('with %s the response says so, of a stream and of a refusal', async (_what, headers, said) => {
  const service = await serveStreams()
  for (const [query, status] of [
    [ticks, 200],
    ['subscription { notes { id } }', said === null && headers.authorization ? 200 : 401],
    ['{', 400],
    ['{ hello }', 400],
  ] as const) {
    const { response, leave } = await open(service, {
      search: `?query=${encodeURIComponent(query)}`,
      headers: { ...accept, ...headers },
    })
    expect([response.status, response.headers.get('latchkey-credential')]).toEqual([status, said])
    leave()
  }
  const post = { method: 'POST', headers: { ...accept, ...json, ...headers }, body: '{' }
  const { response } = await open(service, post)
  expect([response.status, response.headers.get('latchkey-credential')]).toEqual([400, said])
})

describe('a stream', () => {
  const session = { cookie: `${cookie.name}=ada`, origin }
  test.each([
    ['none', {}, 200],
    ['its own', { 'x-csrf-token': forgery.createToken('se_ada') }, 200],
    ['one of another session', { 'x-csrf-token': forgery.createToken('se_bob') }, 403],
    ['a malformed one', { 'x-csrf-token': 'a.b.c' }, 403],
  ])('over a session is checked by its CSRF token: %s', async (_what, token, status) => {
    const service = await serveStreams()
    const { response } = await open(service, { ...post, body, headers: { ...post.headers, ...session, ...token } })
    expect([response.status, service.sources()]).toEqual([status, status === 200 ? 1 : 0])
    const offered = response.headers.get('x-csrf-token')
    expect(status === 403 ? forgery.verifyToken(offered, 'se_ada') : offered === null).toBe(true)
    if (status === 403) expect((await refusalOf(response)).codes).toEqual(['CSRF_REJECTED'])
  })

  test.each([
    ['a GET', { search: `?query=${encodeURIComponent(ticks)}` }],
    ['a POST', { method: 'POST', headers: { ...accept, ...json }, body }],
    [
      'a client that accepts other types too',
      { method: 'POST', headers: { accept: 'text/html, text/*;q=0.1', ...json }, body },
    ],
  ])('opens for %s, with headers that keep proxies from storing and changing it', async (_who, init) => {
    const service = await serveStreams()
    const { response } = await open(service, init)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    service.publish(1)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('data')) text += (await reader?.read())?.value ?? ''
    expect(text).toBe(':\n\nevent: next\ndata: {"data":{"ticks":1}}\n\n')
  })

  test.each<[what: string, init: RequestInit & { readonly search?: string }, status: number, code: string | null]>([
    ['PUT, which reserves a stream in the other mode of the protocol', { method: 'PUT' }, 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', { method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
    ['a client that accepts no events', { headers: { accept: 'application/json' } }, 406, 'NOT_ACCEPTABLE'],
    ['a client that excludes events', { headers: { accept: '*/*, text/event-stream;q=0' } }, 406, 'NOT_ACCEPTABLE'],
    [
      'a form',
      { ...post, headers: accept, body: new URLSearchParams({ query: ticks }) },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['no query', { search: '?x=1' }, 400, 'BAD_REQUEST'],
    ['broken JSON', { ...post, body: '{' }, 400, 'BAD_REQUEST'],
    ['a list', { ...post, body: `[${body}]` }, 400, 'BAD_REQUEST'],
    ['variables of a wrong type', { ...post, body: '{ "query": "", "variables": [] }' }, 400, 'BAD_REQUEST'],
    ['a query twice', { search: `?query=${ticks}&query=${ticks}` }, 400, 'BAD_REQUEST'],
    ['a body too large', { ...post, body: body.padEnd(100_001) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['a URL too long', { search: `?query=${'x'.repeat(8192)}` }, 414, 'URI_TOO_LONG'],
    [
      'a page of another site with a cookie',
      { ...post, headers: { ...post.headers, origin: 'https://evil.example', cookie: `${cookie.name}=ada` }, body },
      403,
      'CSRF_REJECTED',
    ],
  ])('does not open for %s', async (_what, init, status, code) => {
    const service = await serveStreams()
    const { response } = await open(service, init)
    expect([response.status, await refusalOf(response)]).toEqual([
      status,
      { type: 'application/graphql-response+json; charset=utf-8', codes: [code] },
    ])
    expect([service.sources(), service.reads()]).toEqual([0, 0])
  })

  test('opens for a page of the own site with its cookie', async () => {
    const service = await serveStreams()
    const headers = { ...accept, ...json, origin, cookie: `${cookie.name}=ada` }
    const query = JSON.stringify({ query: 'subscription { notes { id } }' })
    expect((await open(service, { method: 'POST', headers, body: query })).response.status).toBe(200)
  })

  test('replaces an event over eventBytes by RESPONSE_TOO_LARGE, and continues', async () => {
    const service = await serveStreams({ limits: { eventBytes: 500 } })
    const socket = connect(service.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(`GET /stream?query=${encodeURIComponent('subscription { notes { id } }')} HTTP/1.1\r\n`)
    socket.write('Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ada\r\n\r\n')
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    service.publish({ id: 'x'.repeat(500), owner: 'ada' })
    service.publish({ id: 'small', owner: 'ada' })
    await vi.waitFor(() => expect(text).toContain('{"data":{"notes":{"id":"small"}}}'), patience)
    expect(text).toContain('"code":"RESPONSE_TOO_LARGE"')
    expect(text).not.toContain('xxx')
  })

  test('requests no events while its client does not read, and is cut off after eventMs', async () => {
    const service = await serveStreams({ limits: { eventMs: 500 } })
    const socket = connect(service.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /stream?query=${encodeURIComponent('subscription { notes { id } }')} HTTP/1.1\r\n`)
    socket.write('Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ada\r\n\r\n')
    socket.pause()
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    const id = 'x'.repeat(900_000)
    for (let count = 0; count < 50; count++) service.publish({ id, owner: 'ada' })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
    socket.resume()
    await closed
    expect(socket.bytesRead).toBeLessThan(20_000_000)
  })

  test('executes only the events that its reader takes, and the events that the streams buffer', async () => {
    const service = await serveStreams()
    const { fetch: handle } = createStreamHandler({ subscriptions: service.subscriptions })
    const query = encodeURIComponent('subscription { notes { id } }')
    const headers = { ...accept, authorization: 'Bearer ada' }
    const response = await handle(new Request(`https://example.com/?query=${query}`, { headers }))
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    onTestFinished(() => reader.cancel())
    let resolved = 0
    const note = {
      get id() {
        return String(++resolved)
      },
    }
    for (let count = 0; count < 50; count++) service.publish(note)
    let text = ''
    for (const taken of [1, 2, 3]) {
      while (!text.includes(`"id":"${taken}"`)) text += (await reader.read()).value ?? ''
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
      // The streams in between hold one chunk each.
      expect(resolved).toBeLessThanOrEqual(taken + 3)
    }
  })

  test('is closed after eventMs if its body is never read', async () => {
    const service = await serveStreams({ limits: { eventMs: 100 } })
    const response = await handleFetch(service)
    expect([response.status, service.sources()]).toEqual([200, 1])
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('writes a comment after pingMs of silence, and loses no event between comments', async () => {
    const service = await serveStreams({ limits: { pingMs: 10 } })
    const reader = readerOf(await handleFetch(service))
    let text = ''
    for (let count = 0; count < 5; count++) text += await reader.read()
    expect(text).toBe(':\n\n'.repeat(5))
    const events = Array.from({ length: 20 }, (_none, index) => index)
    for (const event of events) {
      service.publish(event)
      await new Promise((resolve) => setTimeout(resolve, event % 5 === 0 ? 25 : 0))
      while (!text.includes(`{"ticks":${event}}`)) text += await reader.read()
    }
    expect(text.replaceAll(':\n\n', '')).toBe(
      events.map((event) => `event: next\ndata: {"data":{"ticks":${event}}}\n\n`).join(''),
    )
  })

  test('ends with a complete event when its source does', async () => {
    const service = await serveStreams()
    const reader = readerOf(await handleFetch(service))
    service.publish(1)
    service.finish()
    let text = ''
    for (let piece = await reader.read(); piece !== null; piece = await reader.read()) text += piece
    expect(text).toBe(':\n\nevent: next\ndata: {"data":{"ticks":1}}\n\nevent: complete\ndata:\n\n')
  })

  test('does not take values that look like frames for frames', async () => {
    const service = await serveStreams()
    const heard = await subscribed(service, 'sse', { query: 'subscription { notes { id } }', token: 'ada' })
    const id = '\n\nevent: complete\ndata:\n\n:\r\r\u2028data: {}'
    service.publish({ id, owner: 'ada' })
    await vi.waitFor(() => expect(heard.results).toEqual([{ data: { notes: { id } } }]), patience)
    expect(heard.ended).toBe(null)
  })

  test('is cleaned up whenever its client disconnects', async () => {
    const service = await serveStreams()
    for (const delay of [0, 1, 5, 20]) {
      const client = new AbortController()
      const opening = fetch(service.url, {
        method: 'POST',
        headers: { ...accept, ...json },
        body,
        signal: client.signal,
      })
      setTimeout(() => client.abort(), delay)
      await opening.catch(() => undefined)
      await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
    }
  })

  test('is cleaned up when hundreds of clients disconnect at once', async () => {
    const service = await serveStreams({ limits: { streamsPerClient: 1_000 } })
    const { fetch: handle } = createStreamHandler({ subscriptions: service.subscriptions })
    const leaving = Array.from({ length: 300 }, async (_none, index) => {
      const client = new AbortController()
      const init = { method: 'POST', headers: { ...accept, ...json }, body, signal: client.signal }
      const opening = handle(new Request('https://example.com/', init))
      if (index % 3 === 0) client.abort()
      if (index % 3 === 1) setTimeout(() => client.abort(), index % 7)
      const response = await opening
      if (index % 3 === 2) await response.body?.cancel()
    })
    await Promise.all(leaving)
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('works over Fetch too, and ends with its reader', async () => {
    const service = await serveStreams()
    const { fetch: handle } = createStreamHandler({ subscriptions: service.subscriptions })
    const response = await handle(
      new Request('https://example.com/', { method: 'POST', headers: { ...accept, ...json }, body }),
    )
    const reader = response.body?.getReader()
    service.publish(3)
    let text = ''
    while (!text.includes('data')) text += new TextDecoder().decode((await reader?.read())?.value)
    expect(text).toContain('{"ticks":3}')
    await reader?.cancel()
    await vi.waitFor(() => expect(service.sources()).toBe(0), patience)
  })
})

test('anonymous clients share the slots of their address', async () => {
  const service = await serveStreams({
    limits: { streamsPerClient: 1 },
    addresses: createAddressReader({ trustedProxies: ['127.0.0.1'] }),
  })
  const from = (address: string) =>
    open(service, { method: 'POST', headers: { ...accept, ...json, 'x-forwarded-for': address }, body })
  expect((await from('192.0.2.1')).response.status).toBe(200)
  expect((await from('192.0.2.1')).response.status).toBe(429)
  expect((await from('192.0.2.2')).response.status).toBe(200)
})

test('a stream is refused after close', async () => {
  const service = await serveStreams()
  await subscribed(service, 'sse', { query: ticks })
  service.close()
  const { response } = await open(service, { method: 'POST', headers: { ...accept, ...json }, body })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
})

test.each<[option: string, name: string, wrong: object]>([
  ['no subscriptions', '"subscriptions"', { subscriptions: undefined }],
  ['a limit of 0', '"urlBytes"', { urlBytes: 0 }],
])('%s is a TypeError that names the option', async (_option, name, wrong) => {
  const { subscriptions } = await serveStreams()
  const create = () => createStreamHandler({ subscriptions, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(name)
})

test.each([
  ['a copy', (subscriptions: Subscriptions) => ({ ...subscriptions })],
  ['an object of the same shape', () => ({ limits: {}, open: 0, close() {}, connect() {} })],
  ['null', () => null],
])('%s is not taken for subscriptions', async (_what, change) => {
  const { subscriptions } = await serveStreams()
  const changed = { subscriptions: change(subscriptions) as Subscriptions }
  const message = '"subscriptions" must come from createSubscriptions'
  expect(() => createStreamHandler(changed)).toThrow(new TypeError(message))
  expect(() => createSocketHandler(changed)).toThrow(new TypeError(message))
})
