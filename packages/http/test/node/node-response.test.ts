import type { ServerResponse } from 'node:http'
import { createHttpHandler, type HttpResponse } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { describe, expect, test } from 'vitest'
import { exchange, ok, open, serve, serveHandler, write } from '../raw-client.ts'

const get = write(['GET / HTTP/1.1'])
const linesOf = (reply: string) => reply.slice(0, reply.indexOf('\r\n\r\n')).split('\r\n')
const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4)
const headerLines = (reply: string, name: string) =>
  linesOf(reply).filter((line) => line.toLowerCase().startsWith(`${name}:`))

test.each([
  ['a text', 'Grüße', 7],
  ['bytes', new Uint8Array([1, 2, 3]), 3],
  ['no body', null, 0],
])('%s is sent with its length in bytes', async (_what, body, length) => {
  const reply = await exchange(await serveHandler(async () => ok(body)), get)
  expect(headerLines(reply, 'content-length')).toEqual([`content-length: ${length}`])
  expect(bodyOf(reply)).toHaveLength(length)
  expect(headerLines(reply, 'transfer-encoding')).toEqual([])
})

test.each(['{"data":{}}', 'Grüße, 你好'])('head and body of the text %s go out in one write', async (body) => {
  const listener = toNodeListener(createHttpHandler(async () => ok(body)))
  const written: string[] = []
  const port = await serve((request, response) => {
    const { socket } = request
    const send = socket.write.bind(socket) as (...given: unknown[]) => boolean
    socket.write = (...given: unknown[]) => {
      written.push(String(given[0]))
      return send(...given)
    }
    listener(request, response)
  })
  await exchange(port, get)
  expect(written).toEqual([expect.stringMatching(new RegExp(`^HTTP/1.1 200 [^]*\r\n\r\n${body}$`))])
})

test('a length that the handler wrote is replaced by the true one', async () => {
  const handle = async (): Promise<HttpResponse> => ({ status: 200, headers: [['Content-Length', '99']], body: 'four' })
  const reply = await exchange(await serveHandler(handle), get)
  expect(headerLines(reply, 'content-length')).toEqual(['content-length: 4'])
})

test('HEAD gets the headers of GET and no body, also from a server that refuses to leave one out', async () => {
  const listener = toNodeListener(createHttpHandler(async () => ok('hello')))
  const port = await serve(listener, { rejectNonStandardBodyWrites: true })
  const reply = await exchange(port, write(['HEAD / HTTP/1.1']))
  expect(reply).toMatch(/^HTTP\/1\.1 200 /)
  expect(headerLines(reply, 'content-length')).toEqual(['content-length: 5'])
  expect(bodyOf(reply)).toBe('')
})

test.each([204, 304])('a reply of status %d has neither body nor length', async (status) => {
  const headers = [['Content-Length', '5']] as const
  const reply = await exchange(await serveHandler(async () => ({ status, headers, body: 'hello' })), get)
  expect(reply).toContain(`HTTP/1.1 ${status} `)
  expect(headerLines(reply, 'content-length')).toEqual([])
  expect(bodyOf(reply)).toBe('')
})

test('several cookies and challenges are separate lines, in order', async () => {
  const headers = [
    ['Set-Cookie', 'a=1'],
    ['WWW-Authenticate', 'Bearer'],
    ['set-cookie', 'b=2'],
    ['WWW-Authenticate', 'Basic'],
  ] as const
  const reply = await exchange(await serveHandler(async () => ({ status: 401, headers, body: null })), get)
  expect(headerLines(reply, 'set-cookie').map((line) => line.slice(12))).toEqual(['a=1', 'b=2'])
  expect(headerLines(reply, 'www-authenticate').map((line) => line.slice(18))).toEqual(['Bearer', 'Basic'])
})

test('middleware that replaces writeHead and takes headers in pairs gets none to take apart', async () => {
  const headers = [
    ['Cache-Control', 'no-store'],
    ['Set-Cookie', 'session=1'],
  ] as const
  const listener = toNodeListener(createHttpHandler(async () => ({ status: 200, headers, body: 'hello' })))
  const port = await serve((request, response) => {
    const writeHead = response.writeHead.bind(response) as (status: number) => ServerResponse
    // As on-headers 1.0 does it, and with it express-session, morgan and compression of that time.
    response.writeHead = (status: number, pairs: unknown = []) => {
      for (const [name, value] of pairs as string[]) response.setHeader(name ?? '', value ?? '')
      return writeHead(status)
    }
    listener(request, response)
  })
  const reply = await exchange(port, get)
  expect(linesOf(reply)[0]).toBe('HTTP/1.1 200 OK')
  expect(headerLines(reply, 'cache-control')).toEqual(['Cache-Control: no-store'])
  expect(headerLines(reply, 'set-cookie')).toEqual(['Set-Cookie: session=1'])
})

test('cookies and Vary that the application queued before stay, other headers are replaced', async () => {
  const headers = [
    ['Set-Cookie', 'session=1'],
    ['Vary', 'Cookie'],
    ['Cache-Control', 'no-store'],
  ] as const
  const listener = toNodeListener(createHttpHandler(async () => ({ status: 200, headers, body: null })))
  const port = await serve((request, response) => {
    response.setHeader('Set-Cookie', 'theme=dark').setHeader('Vary', 'Origin').setHeader('Cache-Control', 'public')
    listener(request, response)
  })
  const reply = await exchange(port, get)
  expect(headerLines(reply, 'set-cookie').map((line) => line.slice(12))).toEqual(['theme=dark', 'session=1'])
  expect(headerLines(reply, 'vary').join()).toMatch(/Origin.*Cookie/)
  expect(headerLines(reply, 'cache-control')).toEqual(['Cache-Control: no-store'])
})

describe('an error of a handler', () => {
  const secret = 'password otters read quietly'

  test('is a bare 500 for the client and a report for the developer', async () => {
    const errors: unknown[] = []
    const thrown = new Error(secret)
    const handle = async (): Promise<HttpResponse> => {
      throw thrown
    }
    const reply = await exchange(await serveHandler(handle, { onError: (error) => errors.push(error) }), get)
    expect(linesOf(reply)[0]).toBe('HTTP/1.1 500 Internal Server Error')
    expect(bodyOf(reply)).toBe('')
    expect(reply).not.toContain(secret)
    expect(errors).toEqual([thrown])
  })

  test('at once and not as a rejection is the same', async () => {
    const listener = toNodeListener(
      {
        handle() {
          throw new Error(secret)
        },
      },
      { onError: () => undefined },
    )
    expect(await exchange(await serve(listener), get)).toMatch(/^HTTP\/1\.1 500 /)
  })

  test('does not end the process when the report fails too', async () => {
    const fail = () => {
      throw new Error('the log is full')
    }
    const port = await serveHandler(async () => fail(), { onError: fail })
    expect(await exchange(port, get)).toMatch(/^HTTP\/1\.1 500 /)
    expect(await exchange(port, get)).toMatch(/^HTTP\/1\.1 500 /)
  })

  test('leaves the headers that the application queued', async () => {
    const listener = toNodeListener({ handle: () => Promise.reject(new Error(secret)) }, { onError: () => undefined })
    const port = await serve((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', 'https://example.com')
      listener(request, response)
    })
    expect(headerLines(await exchange(port, get), 'access-control-allow-origin')).toHaveLength(1)
  })

  test('while another reply is on its way cuts the connection', async () => {
    const listener = toNodeListener({ handle: () => Promise.reject(new Error(secret)) }, { onError: () => undefined })
    const port = await serve((request, response) => {
      response.write('half a reply')
      listener(request, response)
    })
    const reply = await exchange(port, get)
    expect(reply).toContain('half a reply')
    expect(reply).not.toContain('\r\n0\r\n\r\n')
  })
})

test.each<[string, HttpResponse]>([
  [
    'a line break in a value',
    {
      status: 200,
      headers: [
        ['X-A', '1'],
        ['X-B', 'b\r\nSet-Cookie: a=1'],
      ],
      body: null,
    },
  ],
  [
    'a line break in a name',
    {
      status: 200,
      headers: [
        ['X-A', '1'],
        ['X-B: 1\r\nX-C', 'b'],
      ],
      body: null,
    },
  ],
  [
    'a NUL',
    {
      status: 200,
      headers: [
        ['X-A', '1'],
        ['X-B', 'b\0'],
      ],
      body: null,
    },
  ],
  ['the status 0', { status: 0, headers: [['X-A', '1']], body: null }],
  ['the status 101', { status: 101, headers: [['X-A', '1']], body: null }],
  ['the status 600', { status: 600, headers: [['X-A', '1']], body: null }],
])('a reply with %s is a bare 500, and nothing of it is sent', async (_what, invalid) => {
  const errors: unknown[] = []
  const reply = await exchange(await serveHandler(async () => invalid, { onError: (error) => errors.push(error) }), get)
  expect(reply).toMatch(/^HTTP\/1\.1 500 /)
  expect(reply).not.toMatch(/x-a|x-b|x-c|set-cookie/i)
  expect(errors).toHaveLength(1)
})

test('a reply that comes after other middleware has answered is dropped, and does not cut the answer off', async () => {
  const errors: unknown[] = []
  const answer = 'x'.repeat(20_000_000)
  const listener = toNodeListener(
    createHttpHandler(async () => ok('late')),
    { onError: (error) => errors.push(error) },
  )
  const port = await serve((request, response) => {
    response.writeHead(503).end(answer)
    listener(request, response)
  })
  const reply = await exchange(port, get)
  expect(reply).toMatch(/^HTTP\/1\.1 503 /)
  expect(reply.length).toBeGreaterThan(answer.length)
  expect(errors).toEqual([])
})

test('a reply to a client that has gone is dropped', async () => {
  const { promise: replied, resolve } = Promise.withResolvers<void>()
  const handler = createHttpHandler(async ({ signal }) => {
    socket.destroy()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    setImmediate(resolve)
    return ok('late')
  })
  let seen: ServerResponse | undefined
  const port = await serve((request, response) => {
    seen = response
    toNodeListener(handler)(request, response)
  })
  const { socket } = await open(port)
  socket.write(get)
  await replied
  expect(seen?.headersSent).toBe(false)
})

test('one connection serves several requests', async () => {
  let count = 0
  const port = await serveHandler(async (request) => ok(`${++count}${await request.body(10)}`))
  const first = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na'
  const reply = await exchange(port, first + get)
  expect(reply.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
  expect(reply).toMatch(/1a.*2$/s)
})

test('promises that a handler starts are passed to the platform that suspends functions after their response', async () => {
  const works: Promise<unknown>[] = []
  const handler = createHttpHandler(async ({ waitUntil }) => {
    waitUntil?.(Promise.resolve('sent'))
    return ok('hello')
  })
  const listener = toNodeListener(handler, { waitUntil: (work) => void works.push(work) })
  expect(bodyOf(await exchange(await serve(listener), get))).toBe('hello')
  expect(await Promise.all(works)).toEqual(['sent'])
  expect(() => toNodeListener(handler, { waitUntil: 'after' as never })).toThrow('"waitUntil" must be a function')
})
