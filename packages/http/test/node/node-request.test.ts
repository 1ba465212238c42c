import { createHttpHandler, type HttpRequest } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { expect, test } from 'vitest'
import { exchange, type Handle, ok, open, serve, serveHandler, write } from '../raw-client.ts'

/** Returns what the handler saw of one raw request. */
async function see<T>(head: readonly string[], look: (request: HttpRequest) => T): Promise<T | undefined> {
  let seen: T | undefined
  const port = await serveHandler(async (request) => {
    seen = look(request)
    return ok()
  })
  await exchange(port, write(head))
  return seen
}

test.each([
  ['authorization', ['Authorization: Bearer a', 'authorization: Bearer b'], 'Bearer a, Bearer b'],
  ['content-type', ['Content-Type: application/json', 'Content-Type: text/plain'], 'application/json, text/plain'],
  ['cookie', ['Cookie: __Host-session=a', 'COOKIE: __Host-session=b'], '__Host-session=a; __Host-session=b'],
  [
    'origin',
    ['Origin: https://example.com', 'Origin: https://evil.example'],
    'https://example.com, https://evil.example',
  ],
  ['x-csrf-token', ['X-CSRF-Token: a', 'X-CSRF-Token: b'], 'a, b'],
  ['sec-fetch-site', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'], 'same-origin, cross-site'],
  ['user-agent', ['User-Agent: a', 'User-Agent: b'], 'a, b'],
])('a repeated %s header is joined and never dropped', async (name, lines, joined) => {
  expect(await see(['GET / HTTP/1.1', ...lines], (request) => request.headers.get(name))).toBe(joined)
})

test('a header is found in lower case with any spelling, and a missing header is undefined', async () => {
  const look = (request: HttpRequest) => [request.headers.get('x-a'), request.headers.get('x-b')]
  expect(await see(['GET / HTTP/1.1', 'X-a: 1'], look)).toEqual(['1', undefined])
})

test.each(['__proto__', 'constructor', 'hasownproperty', 'tostring'])(
  'a header named %s is a header like any other',
  async (name) => {
    const look = (request: HttpRequest) => request.headers.get(name)
    expect(await see(['GET / HTTP/1.1', `${name}: 1`, `${name}: 2`], look)).toBe('1, 2')
    expect(await see(['GET / HTTP/1.1'], look)).toBeUndefined()
  },
)

test.each([
  ['/', '/'],
  ['/graphql?query=%7Ba%7D&x=1', '/graphql?query=%7Ba%7D&x=1'],
  ['//evil.example/a', '//evil.example/a'],
  ['/a/../b', '/a/../b'],
  ['http://example.com/a?b', '/a?b'],
  ['http://example.com', '/'],
  ['HTTP://example.com?b', '/?b'],
])('the target %s is given as %s', async (sent, given) => {
  expect(await see([`GET ${sent} HTTP/1.1`], (request) => request.target)).toBe(given)
})

test('the target below a mount point is the whole one', async () => {
  let target: string | undefined
  const handle: Handle = async (request) => {
    target = request.target
    return ok()
  }
  const listener = toNodeListener(createHttpHandler(handle))
  const port = await serve((request, response) => {
    listener(Object.assign(request, { originalUrl: request.url, url: '/' }), response)
  })
  await exchange(port, write(['GET /auth/sign-in?x=1 HTTP/1.1']))
  expect(target).toBe('/auth/sign-in?x=1')
})

test('method and peer address are given as they came', async () => {
  const look = ({ method, peerAddress }: HttpRequest) => ({ method, peerAddress })
  expect(await see(['PATCH / HTTP/1.1'], look)).toEqual({ method: 'PATCH', peerAddress: '127.0.0.1' })
})

test('the signal is aborted when the client goes away before it has the reply', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>()
  const port = await serveHandler(async ({ signal }) => {
    socket.destroy()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    resolve(signal.aborted)
    return ok()
  })
  const { socket } = await open(port)
  socket.write('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n')
  expect(await aborted).toBe(true)
})

test('a signal that is first asked for after the client has gone is aborted already', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>()
  const port = await serve((request, response) => {
    response.once('close', () => {
      toNodeListener(
        createHttpHandler(async ({ signal }) => {
          resolve(signal.aborted)
          return ok()
        }),
      )(request, response)
    })
    socket.destroy()
  })
  const { socket } = await open(port)
  socket.write('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n')
  expect(await aborted).toBe(true)
})

test('the signal is not aborted by a reply that was sent whole', async () => {
  let signal: AbortSignal | undefined
  const port = await serveHandler(async (request) => {
    signal = request.signal
    return ok('done')
  })
  await exchange(port, write(['GET / HTTP/1.1']))
  expect(signal?.aborted).toBe(false)
})
