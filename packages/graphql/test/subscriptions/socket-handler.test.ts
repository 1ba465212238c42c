import { once } from 'node:events'
import { connect } from 'node:net'
import { toUpgradeListener } from '@latchkey/graphql/node'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { createSecurityHeaders } from '@latchkey/http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { patience } from '../support/stream-client.ts'
import {
  cookie,
  forgery,
  type Login,
  origin,
  type StreamingService,
  serveStreams,
} from '../support/streaming-service.ts'

const ticks = 'subscription { ticks }'
const notes = 'subscription { notes { id } }'
const protocol = 'graphql-transport-ws'

interface Opened {
  readonly socket: WebSocket
  readonly heard: { readonly type: string; readonly id?: string; readonly payload?: unknown }[]
  /** The code and the reason with which the socket closed, `null` while it is open. */
  closed: readonly [code: number, reason: string] | null
  say(message: unknown): void
}

/** A socket that sends exactly the messages of the test. */
async function open({ port }: StreamingService, options: ClientOptions = {}, offered = [protocol]): Promise<Opened> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, offered, options)
  onTestFinished(() => socket.terminate())
  const opened: Opened = {
    socket,
    heard: [],
    closed: null,
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
  }
  socket.on('message', (data) => opened.heard.push(JSON.parse(data.toString())))
  socket.on('close', (code, reason) => Object.assign(opened, { closed: [code, reason.toString()] }))
  await once(socket, 'open')
  return opened
}

async function initialised(
  service: StreamingService,
  payload?: unknown,
  { said, ...options }: ClientOptions & { readonly said?: object } = {},
): Promise<Opened> {
  const opened = await open(service, options)
  opened.say({ type: 'connection_init', payload })
  await vi.waitFor(() => expect(opened.heard).toHaveLength(1), patience)
  expect(opened.heard).toEqual([{ type: 'connection_ack', ...(said && { payload: said }) }])
  return opened
}

const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } })
const closing = (opened: Opened): Promise<Opened['closed']> =>
  vi.waitFor(() => {
    if (!opened.closed) throw new Error(`still open: ${JSON.stringify(opened.heard)}`)
    return opened.closed
  }, patience)

/** Returns the status and the code of a refused handshake. */
async function refusedHandshake(service: StreamingService, headers: Record<string, string>, path = '/socket') {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}${path}`, [protocol], { headers })
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  return [response.statusCode, /"code":"(\w+)"/.exec(text)?.[1] ?? null]
}

test.each([
  ['that is forged', '/socket', 403],
  ['of another path', '/other', 404],
])('the refusal of a handshake %s has security headers', async (_what, path, status) => {
  const { port } = await serveStreams({ headers: createSecurityHeaders({ https: true }).api })
  const headers = { cookie: `${cookie.name}=ada`, origin: 'https://evil.example' }
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [protocol], { headers })
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  response.destroy()
  expect([response.statusCode, response.headers]).toMatchObject([
    status,
    {
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  ])
})

describe('a handshake', () => {
  const session = { cookie: `${cookie.name}=ada` }
  test.each<[what: string, headers: Record<string, string>, path: string, refused: unknown]>([
    [
      'of another site with a cookie',
      { ...session, origin: 'https://evil.example' },
      '/socket',
      [403, 'CSRF_REJECTED'],
    ],
    [
      'of another site with a cookie and a token',
      { ...session, origin: 'https://evil.example', authorization: 'Bearer ada' },
      '/socket',
      [403, 'CSRF_REJECTED'],
    ],
    ['of an opaque origin with a cookie', { ...session, origin: 'null' }, '/socket', [403, 'CSRF_REJECTED']],
    [
      'that a browser marks as cross-site',
      { ...session, origin, 'sec-fetch-site': 'cross-site' },
      '/socket',
      [403, 'CSRF_REJECTED'],
    ],
    ['of another path', {}, '/other', [404, null]],
  ])('%s is refused, and no identity is read', async (_what, headers, path, refused) => {
    const service = await serveStreams()
    expect(await refusedHandshake(service, headers, path)).toEqual(refused)
    expect(service.reads()).toBe(0)
  })

  test("sent by the service's own site is accepted with its cookie", async () => {
    const service = await serveStreams()
    const opened = await initialised(service, undefined, { headers: { ...session, origin } })
    opened.say(subscribe('1', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
  })

  test.each<[what: string, token: unknown, code: number | null, reason: string | null]>([
    ['none', undefined, null, null],
    ['null', null, null, null],
    ['its own', forgery.createToken('se_ada'), null, null],
    ['one of another session', forgery.createToken('se_bob'), 4403, 'CSRF_REJECTED'],
    ['a malformed one', 'a.b.c', 4403, 'CSRF_REJECTED'],
    ['two', `${forgery.createToken('se_ada')}, ${forgery.createToken('se_ada')}`, 4403, 'CSRF_REJECTED'],
    ['a number', 1, 4400, 'BAD_REQUEST'],
  ])('with the cookie of a session is judged by the CSRF token in the payload: %s', async (_what, token, ...closed) => {
    const service = await serveStreams()
    const opened = await open(service, { headers: { ...session, origin } })
    opened.say({ type: 'connection_init', payload: { 'X-CSRF-Token': token } })
    if (closed[0] === null) {
      await vi.waitFor(() => expect(opened.heard).toEqual([{ type: 'connection_ack' }]), patience)
    } else {
      expect([await closing(opened), opened.heard]).toEqual([closed, []])
    }
  })

  test.each([
    ['a bearer token', { headers: { authorization: 'Bearer ada' } }],
    [
      'a session that has ended',
      { headers: { cookie: `${cookie.name}=gone`, origin }, said: { credential: 'invalid' } },
    ],
  ])('authenticated by %s ignores a CSRF token', async (_what, options) => {
    const service = await serveStreams()
    const payload = { 'x-csrf-token': forgery.createToken('se_bob') }
    const opened = await initialised(service, payload, options)
    opened.say(subscribe('1', ticks))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
  })

  test('authenticated by a cookie is refused without a forgery check', async () => {
    const service = await serveStreams({ forgery: undefined as never })
    const opened = await open(service, { headers: { ...session, origin } })
    opened.say({ type: 'connection_init' })
    expect(await closing(opened)).toEqual([4403, 'CSRF_REJECTED'])
  })

  test('beyond the sockets of an address is refused, until one of them closes', async () => {
    const service = await serveStreams({ limits: { socketsPerAddress: 1 } })
    const first = await open(service)
    expect(await refusedHandshake(service, {})).toEqual([429, 'RATE_LIMITED'])
    first.socket.close()
    await vi.waitFor(async () => (await open(service)).socket, patience)
  })

  test('is refused after close', async () => {
    const service = await serveStreams()
    service.close()
    expect(await refusedHandshake(service, {})).toEqual([503, 'SERVICE_UNAVAILABLE'])
  })

  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  test.each([
    ['no key', `GET /socket HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`, '400'],
    ['an old version', `GET /socket HTTP/1.1\r\nHost: x\r\n${upgrade}${key.replace('13', '7')}\r\n`, '4'],
    ['POST', `POST /socket HTTP/1.1\r\nHost: x\r\n${upgrade}${key}\r\n`, '405'],
    ['another protocol', 'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', '400'],
    [
      'a malformed list of protocols',
      `GET /socket HTTP/1.1\r\nHost: x\r\n${upgrade}${key}Sec-WebSocket-Protocol: ,,\r\n\r\n`,
      '400',
    ],
    ['a malformed path', `GET /%zz\0 HTTP/1.1\r\nHost: x\r\n${upgrade}${key}\r\n`, '4'],
  ])('malformed by %s is answered, and its slot is released', async (_what, text, status) => {
    const service = await serveStreams({ limits: { socketsPerAddress: 1 } })
    const socket = connect(service.port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.write(text)
    await once(socket, 'close')
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
    await initialised(service)
  })

  test('releases its slot if the client disconnects', async () => {
    const service = await serveStreams({ limits: { socketsPerAddress: 1 } })
    for (let count = 0; count < 20; count++) {
      const socket = connect(service.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`GET /socket HTTP/1.1\r\nHost: x\r\n${upgrade}${key}\r\n`, () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
    await vi.waitFor(async () => (await open(service)).socket, patience)
  })
})

describe('a client that breaks the protocol', () => {
  const init = { type: 'connection_init' }
  // The close codes are those of PROTOCOL.md of graphql-ws, and of RFC 6455 §7.4.1.
  test.each<[what: string, messages: readonly unknown[], closed: readonly [number, unknown]]>([
    ['subscribes before it was acknowledged', [subscribe('1', ticks)], [4401, 'Unauthorized']],
    ['initialises twice', [init, init], [4429, 'Too many initialisation requests']],
    ['uses an id twice', [init, subscribe('1', ticks), subscribe('1', ticks)], [4409, expect.any(String)]],
    ['sends no JSON', ['{'], [4400, 'Invalid message received']],
    ['sends no object', ['[]'], [4400, 'Invalid message received']],
    ['sends a message of servers', [{ type: 'connection_ack' }], [4400, 'BAD_REQUEST']],
    ['sends an unknown message', [{ type: 'constructor' }], [4400, 'Invalid message received']],
    ['subscribes without an id', [init, { type: 'subscribe', payload: { query: ticks } }], [4400, expect.any(String)]],
    ['subscribes without a query', [init, { id: '1', type: 'subscribe', payload: {} }], [4400, expect.any(String)]],
    [
      'sends variables of a wrong type',
      [init, { id: '1', type: 'subscribe', payload: { query: ticks, variables: 1 } }],
      [4400, expect.any(String)],
    ],
    ['sends parameters of a wrong type', [{ ...init, payload: [] }], [4400, expect.any(String)]],
    ['sends an object as its token', [{ ...init, payload: { authorization: { $ne: 1 } } }], [4400, 'BAD_REQUEST']],
    ['sends a list as its token', [{ ...init, payload: { Authorization: [] } }], [4400, 'BAD_REQUEST']],
    ['sends a message over the limit', [' '.repeat(100_001)], [1009, '']],
  ])('that %s is closed', async (_what, messages, closed) => {
    const service = await serveStreams()
    const opened = await open(service)
    for (const message of messages) {
      opened.say(message)
      if (message === init)
        await vi.waitFor(() => expect(opened.heard.length + Number(!!opened.closed)).toBeGreaterThan(0), patience)
    }
    expect(await closing(opened)).toEqual(closed)
    expect([service.sources(), service.subscriptions.open]).toEqual([0, 0])
  })

  test('is closed if it offers no known subprotocol', async () => {
    const service = await serveStreams()
    const opened = await open(service, {}, [])
    expect(await closing(opened)).toEqual([4406, 'Subprotocol not acceptable'])
  })

  test('is closed if it sends no message', async () => {
    const service = await serveStreams({ limits: { initMs: 50 } })
    expect(await closing(await open(service))).toEqual([4408, 'Connection initialisation timeout'])
  })

  test('is closed if it sends bytes, or a message in a thousand fragments', async () => {
    const service = await serveStreams()
    const bytes = await open(service)
    bytes.socket.send(Buffer.from('{"type":"connection_init"}'))
    expect(await closing(bytes)).toEqual([4400, 'BAD_REQUEST'])
    const pieces = await open(service)
    for (let count = 0; count < 1000 && !pieces.closed; count++) pieces.socket.send('{', { fin: false })
    expect((await closing(pieces))?.[0]).toBe(1008)
  })

  test('gets no compression', async () => {
    const service = await serveStreams()
    const { socket } = await open(service, { perMessageDeflate: true })
    expect(socket.extensions).toBe('')
  })

  test('gains no access by prototype names as ids and parameters', async () => {
    const service = await serveStreams()
    const opened = await open(service)
    opened.say('{"type":"connection_init","payload":{"__proto__":{"authorization":"Bearer ada"}}}')
    await vi.waitFor(() => expect(opened.heard).toHaveLength(1), patience)
    opened.say(subscribe('__proto__', ticks))
    opened.say(subscribe('constructor', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    service.publish(1)
    await vi.waitFor(() => expect(opened.heard).toHaveLength(3), patience)
    expect(opened.heard.slice(1)).toEqual(
      expect.arrayContaining([
        { id: '__proto__', type: 'next', payload: { data: { ticks: 1 } } },
        expect.objectContaining({ id: 'constructor', type: 'error' }),
      ]),
    )
  })
})

describe('a socket', () => {
  const ada = { cookie: `${cookie.name}=ada`, origin }
  const gone = { cookie: `${cookie.name}=gone`, origin }
  test.each<[string, object, Record<string, string>, number]>([
    ['in another case', { AUTHORIZATION: 'Bearer ada' }, {}, 1],
    ['in the header', {}, { authorization: 'Bearer ada' }, 1],
    ['in both, where neither counts', { authorization: 'Bearer ada' }, { authorization: 'Bearer ada' }, 0],
    ['twice', { authorization: 'Bearer ada', Authorization: 'Bearer ada' }, {}, 0],
    ['that is null, beside a session', { authorization: null }, ada, 1],
    ['that is bad, beside a session', { authorization: 'Bearer no' }, ada, 0],
    ['that is good, beside a session that has ended', { authorization: 'Bearer ada' }, gone, 1],
    ['that is malformed', { authorization: 'Bearer a b' }, {}, 0],
    ['that is none, beside a session that has ended', {}, gone, 0],
  ])(
    'takes a token %s, and its acknowledgement says what counts for nothing',
    async (_where, payload, headers, sources) => {
      const service = await serveStreams()
      const said = sources === 0 ? { said: { credential: 'invalid' } } : {}
      const opened = await initialised(service, payload, { headers, ...said })
      opened.say(subscribe('1', notes))
      await vi.waitFor(() => expect(opened.heard.length - 1 + service.sources()).toBe(1), patience)
      expect([service.sources(), opened.closed]).toEqual([sources, null])
    },
  )

  test('without a credential, or with one of another scheme, is acknowledged without a word', async () => {
    const service = await serveStreams()
    await initialised(service)
    await initialised(service, { authorization: 'Basic YTpi' })
  })

  test('has at most streamsPerSocket streams, also when they are requested together', async () => {
    const service = await serveStreams({ limits: { streamsPerSocket: 3 } })
    const opened = await initialised(service)
    for (let id = 0; id < 50; id++) opened.say(subscribe(String(id), ticks))
    await vi.waitFor(() => expect(opened.heard).toHaveLength(48), patience)
    expect(opened.heard.slice(1).every(({ type }) => type === 'error')).toBe(true)
    expect(JSON.stringify(opened.heard.at(-1))).toContain('RATE_LIMITED')
    expect(service.subscriptions.open).toBe(3)
  })

  test('keeps no stream when it reuses its ids', async () => {
    const service = await serveStreams()
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    for (let count = 0; count < 10; count++) {
      opened.say(subscribe('1', notes))
      opened.say({ id: '1', type: 'complete' })
    }
    opened.say(subscribe('2', notes))
    await vi.waitFor(() => expect(service.sources()).toBeGreaterThan(0), patience)
    opened.socket.terminate()
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })

  test('receives a last result and is closed with 4401 when its identity is revoked', async () => {
    const service = await serveStreams()
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    opened.say(subscribe('1', notes))
    opened.say(subscribe('2', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(2), patience)
    service.logins.delete('ada')
    expect(await closing(opened)).toEqual([4401, 'UNAUTHENTICATED'])
    expect(
      opened.heard
        .slice(1)
        .map(({ id, type }) => `${id} ${type}`)
        .sort(),
    ).toEqual(['1 complete', '1 next', '2 complete', '2 next'])
  })

  test.each<[what: string, login: Partial<Login> | null, reason: string]>([
    ['its credential is renewed', null, 'UNAUTHENTICATED'],
    ['its account has another epoch', { epoch: 1 }, 'UNAUTHENTICATED'],
    ['its roles change', { roles: ['READER'] }, 'FORBIDDEN'],
  ])('receives nothing and is closed with 4403 when %s', async (_what, login, reason) => {
    const service = await serveStreams({ isRenewable: async () => true })
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    opened.say(subscribe('1', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    const { ada } = Object.fromEntries(service.logins)
    if (login && ada) service.logins.set('ada', { ...ada, ...login })
    else service.logins.delete('ada')
    expect(await closing(opened)).toEqual([4403, reason])
    expect(opened.heard.slice(1)).toEqual([])
  })

  test('without a stream is also closed when its identity is revoked', async () => {
    const service = await serveStreams()
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    service.logins.delete('ada')
    expect(await closing(opened)).toEqual([4401, 'UNAUTHENTICATED'])
  })

  test('is closed with 1013 if its identity cannot be read', async () => {
    const service = await serveStreams()
    service.store = 'down'
    const opened = await open(service)
    opened.say({ type: 'connection_init', payload: { authorization: 'Bearer ada' } })
    expect(await closing(opened)).toEqual([1013, 'SERVICE_UNAVAILABLE'])
  })

  test('is terminated if it answers no ping, and kept if it does', async () => {
    // Long enough for a pong to be read in time when the machine is busy.
    const service = await serveStreams({ limits: { pingMs: 1_000 } })
    const silent = await open(service, { autoPong: false })
    silent.say({ type: 'connection_init' })
    const lively = await initialised(service)
    expect((await closing(silent))?.[0]).toBe(1006)
    expect(lively.closed).toBe(null)
  })

  test('is closed if it takes no event within eventMs, even when it answers pings', async () => {
    const service = await serveStreams({ limits: { eventMs: 200, pingMs: 100 } })
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    opened.say(subscribe('1', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    opened.socket.pause()
    const pongs = setInterval(() => opened.socket.pong(), 20)
    onTestFinished(() => clearInterval(pongs))
    for (let count = 0; count < 30; count++) service.publish({ id: 'x'.repeat(900_000), owner: 'ada' })
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
    opened.socket.resume()
    await closing(opened)
  })

  test('is terminated if it leaves more than unreadBytes unread, also with only pongs waiting', async () => {
    const service = await serveStreams({ limits: { unreadBytes: 100_000, pingMs: 60_000 } })
    const opened = await initialised(service, { authorization: 'Bearer ada' })
    opened.say(subscribe('1', notes))
    await vi.waitFor(() => expect(service.sources()).toBe(1), patience)
    opened.socket.pause()
    const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(50_000) } })
    const flood = setInterval(() => opened.socket.send(ping, () => undefined), 1)
    onTestFinished(() => clearInterval(flood))
    await vi.waitFor(() => expect([service.sources(), service.subscriptions.open]).toEqual([0, 0]), patience)
  })
})

test.each([
  ['"subscriptions"', () => createSocketHandler({} as never)],
  ['"handler"', () => toUpgradeListener({} as never, { path: '/graphql' })],
  ['"path"', () => toUpgradeListener({ accept() {} } as never, { path: 'graphql' })],
])('an option that is not valid is named: %s', (name, create) => {
  expect(create).toThrow(TypeError)
  expect(create).toThrow(name)
})
