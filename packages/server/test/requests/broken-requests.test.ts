import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'
import { oneStream } from '../support/one-stream.ts'

const security = {
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^[\w-]{16}$/),
  'x-frame-options': 'DENY',
}

/** A service that answers over a stream until its client goes away. */
async function serve(options: object = {}): Promise<number> {
  async function* ticks() {
    for (let tick = 0; ; tick += 1) {
      yield { ticks: tick }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const resolvers = { ...oneStream.resolvers, Subscription: { ticks: { subscribe: ticks } } }
  const { server } = createBench({ options: { ...oneStream, resolvers, ...options } as never })
  const listener = await listen(server, { port: 0, closeOn: [], print: null, drainMs: 0 })
  onTestFinished(() => listener.close())
  return listener.port
}

/** A connection that sends exactly what it gets, and keeps what it receives. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return { socket, heard: () => heard, ended }
}

function parse(text: string) {
  const [head = '', body] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(
    fields.map((field) => field.replace(/^[^:]+/, (name) => name.toLowerCase()).split(/: (.*)/, 2)),
  )
  return { line, headers, body }
}

const host = 'Host: example.com\r\n'
const post = `POST /graphql HTTP/1.1\r\n${host}Content-Type: application/json\r\n`

describe('a malformed request is answered with the security headers, and its connection is closed', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    ['an unknown version', `GET / HTTP/9.9\r\n${host}\r\n`, '400 Bad Request'],
    ['a header without a name', `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, '400 Bad Request'],
    ['no host', 'GET /graphql HTTP/1.1\r\n\r\n', '400 Bad Request'],
    ['no host, for a probe', 'GET /healthz HTTP/1.1\r\n\r\n', '400 Bad Request'],
    ['an unknown expectation', `GET /healthz HTTP/1.1\r\n${host}Expect: tea\r\n\r\n`, '417 Expectation Failed'],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, '400 Bad Request'],
    ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, '400 Bad Request'],
    ['a chunk of no length', `${post}Transfer-Encoding: chunked\r\n\r\nx\r\n`, '400 Bad Request'],
    [
      'a chunk that explains itself at length',
      `${post}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n`,
      '413 Payload Too Large',
    ],
    [
      'headers of 20 kB',
      `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])('%s', async (_what, text, status) => {
    const { socket, heard, ended } = await open(await serve())
    socket.write(text)
    await ended
    const { line, headers, body } = parse(heard())
    expect([line, body]).toEqual([`HTTP/1.1 ${status}`, ''])
    expect(headers).toMatchObject({
      ...security,
      'strict-transport-security': expect.stringContaining('max-age='),
      'cache-control': 'no-store',
      'content-length': '0',
      connection: 'close',
    })
  })
})

test('a malformed request is answered without Strict-Transport-Security by a service over http', async () => {
  const { socket, heard, ended } = await open(await serve({ baseUrl: 'http://127.0.0.1:4000' }))
  socket.write('hello\r\n\r\n')
  await ended
  const { headers } = parse(heard())
  expect(headers).toMatchObject(security)
  expect(headers).not.toHaveProperty('strict-transport-security')
})

test('a malformed request is answered after a complete response', async () => {
  const { socket, heard, ended } = await open(await serve())
  socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
  await vi.waitFor(() => expect(heard()).toContain('{"status":"ok"}'))
  socket.write('hello\r\n\r\n')
  await ended
  expect(heard().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

const stream = `GET /graphql/stream?query=subscription{ticks} HTTP/1.1\r\n${host}Accept: text/event-stream\r\n\r\n`

test('malformed bytes during a response close the connection without an answer', async () => {
  const { socket, heard, ended } = await open(await serve())
  socket.write(stream)
  await vi.waitFor(() => expect(heard()).toContain('"ticks":2'))
  socket.write('hello\r\n\r\n')
  await ended
  expect(heard()).not.toContain('HTTP/1.1 400')
  expect(heard().match(/HTTP\/1\.1 200/g)).toHaveLength(1)
})

test('malformed bytes after a pipelined request wait for the response, without an answer', async () => {
  const { socket, heard } = await open(await serve())
  socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\n${stream}`)
  await vi.waitFor(() => expect(heard()).toContain('"ticks":2'))
  socket.write('hello\r\n\r\n')
  await vi.waitFor(() => expect(heard()).toContain('"ticks":4'))
  expect(heard()).not.toContain('HTTP/1.1 400')
  expect(heard().match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  expect(socket.closed).toBe(false)
})

test('connections that close within a request are answered one per turn of the event loop', async () => {
  const port = await serve()
  const clients = await Promise.all(Array.from({ length: 20 }, () => open(port)))
  for (const { socket } of clients) socket.write(`${post}Content-Length: 100\r\n\r\n{`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  let turn = 0
  let counting = setImmediate(function count() {
    turn++
    counting = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(counting))
  const answeredIn: number[] = []
  const { end } = Socket.prototype
  vi.spyOn(Socket.prototype, 'end').mockImplementation(function (this: Socket, ...given: Parameters<typeof end>) {
    if (`${given[0]}`.startsWith('HTTP/1.1 400')) answeredIn.push(turn)
    return end.apply(this, given)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  for (const { socket } of clients) socket.end()
  await Promise.all(clients.map(({ ended }) => ended))
  for (const { heard } of clients) expect(heard()).toMatch(/^HTTP\/1\.1 400 /)
  expect(answeredIn).toHaveLength(20)
  // The first one is answered before its turn ends.
  expect(new Set(answeredIn).size).toBeGreaterThanOrEqual(19)
})
