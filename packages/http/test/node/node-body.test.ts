import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpHandler, HttpError } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { expect, test } from 'vitest'
import { exchange, ok, open, serve, serveHandler, write } from '../raw-client.ts'

/** A server that answers with the body it read, or with the code of the refusal. */
function serveEcho(limitBytes: number): Promise<number> {
  return serveHandler(async (request) => {
    try {
      return ok(await request.body(limitBytes))
    } catch (error) {
      if (error instanceof HttpError)
        return { status: error.status, headers: [['x-code', error.code]], body: error.code }
      throw error
    }
  })
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const chunked = ['POST / HTTP/1.1', 'Transfer-Encoding: chunked']
const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4)

test.each([
  ['of exactly the limit', ['POST / HTTP/1.1', 'Content-Length: 10'], '0123456789', '0123456789'],
  ['in chunks', chunked, `${chunk('01234')}${chunk('56789')}${chunk('')}`, '0123456789'],
  ['that is empty', ['POST / HTTP/1.1', 'Content-Length: 0'], '', ''],
  ['that is absent', ['GET / HTTP/1.1'], '', ''],
])('a body %s is given', async (_what, head, body, given) => {
  expect(bodyOf(await exchange(await serveEcho(10), write(head, body)))).toBe(given)
})

test('a character that two chunks share is put together, and a byte order mark is removed', async () => {
  const head = Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\n\ufeff')
  const { socket, heard, ended } = await open(await serveEcho(10))
  const euro = Buffer.from('€')
  socket.write(Buffer.concat([head, euro.subarray(0, 1)]))
  await delay(20)
  socket.write(euro.subarray(1))
  await ended
  expect(Buffer.from(bodyOf(heard()), 'latin1').toString()).toBe('€')
})

test.each([
  ['a byte that never stands in UTF-8', [0xff]],
  ['a sequence that is cut off', [0x61, 0xe2, 0x82]],
  ['a spelling that is too long', [0xc0, 0xaf]],
  ['half a surrogate pair', [0xed, 0xa0, 0x80]],
  ['compressed data', [0x1f, 0x8b, 0x08, 0x00]],
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
])('%s is refused', async (_what, bytes) => {
  const head = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`
  const reply = await exchange(await serveEcho(10), Buffer.concat([Buffer.from(head), Buffer.from(bytes)]))
  expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  expect(bodyOf(reply)).toBe('HTTP_BODY_INVALID')
})

test('a body that declares more than the limit is refused before any of it has come', async () => {
  const port = await serveEcho(10)
  const reply = await exchange(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n')
  expect(reply).toMatch(/^HTTP\/1\.1 413 /)
  expect(reply).toMatch(/^connection: close\r$/im)
  expect(bodyOf(reply)).toBe('HTTP_BODY_TOO_LARGE')
})

test('chunks over the limit are refused while the client still sends, and the connection is closed', async () => {
  const port = await serveEcho(10)
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  const reply = await exchange(port, head + chunk('01234') + chunk('567890'))
  expect(reply).toMatch(/^HTTP\/1\.1 413 /)
  expect(reply).toMatch(/^connection: close\r$/im)
})

test('a request that is smuggled behind a body over the limit is never answered', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  const reply = await exchange(
    await serveEcho(10),
    `${head}${chunk('01234567890')}${chunk('')}${write(['GET / HTTP/1.1'])}`,
  )
  expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1)
})

test('a client that sends without end gets its 413, and only a little of it is read', async () => {
  let received = 0
  const listener = toNodeListener(createHttpHandler(async (request) => ok(await request.body(1_000))))
  const port = await serve((request, response) => {
    request.socket.on('close', () => {
      received = request.socket.bytesRead
    })
    listener(request, response)
  })
  const { socket, heard, ended } = await open(port)
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  const part = chunk('x'.repeat(10_000))
  const flood = setInterval(() => socket.write(part), 1)
  await ended
  clearInterval(flood)
  expect(heard()).toMatch(/^HTTP\/1\.1 413 /)
  expect(received).toBeLessThan(1_000_000)
})

test('no body is read while the handler delays its refusal', async () => {
  const received: number[] = []
  let look = () => {}
  const listener = toNodeListener({
    async handle(request) {
      const refusal = await request.body(1_000).catch((error) => error)
      await delay(50)
      for (let turn = 0; turn < 5; turn++) {
        look()
        await delay(20)
      }
      throw refusal
    },
  })
  const port = await serve((request, response) => {
    look = () => received.push(request.socket.bytesRead)
    response.once('close', look)
    listener(request, response)
  })
  const { socket, ended } = await open(port)
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(20_000_000))}`)
  await ended
  const [before = 0, ...meanwhile] = received
  expect(before).toBeGreaterThan(1_000)
  expect(meanwhile.slice(0, 4)).toEqual([before, before, before, before])
  expect(received.at(-1)).toBeLessThan(2_000_000)
})

test('a client of node:http that is refused amid a large upload sees the 413', async () => {
  const port = await serveEcho(1_000)
  const upload = send({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 5_000_000 } })
  upload.on('error', () => undefined)
  upload.write('x'.repeat(1_000_000))
  const [response] = await once(upload, 'response')
  upload.destroy()
  expect(response.statusCode).toBe(413)
})

test('a slow body is waited for, byte by byte', async () => {
  const { socket, heard, ended } = await open(await serveEcho(10))
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n')
  for (const byte of '12345') {
    await delay(5)
    socket.write(byte)
  }
  await ended
  expect(bodyOf(heard())).toBe('12345')
})

test.each([
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\n01'],
  ['of a declared length', 'Content-Length: 10\r\n\r\n01'],
])('a body %s that the client abandons is refused, and no error is reported', async (_what, rest) => {
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  const reported: unknown[] = []
  const handle = async (request: { body(limit: number): Promise<string> }) => {
    setTimeout(() => socket.destroy(), 10)
    try {
      return ok(await request.body(100))
    } catch (error) {
      resolve(error)
      throw error
    }
  }
  const port = await serveHandler(handle, { onError: (error) => reported.push(error) })
  const { socket } = await open(port)
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${rest}`)
  expect(await refused).toMatchObject({ name: 'HttpError', code: 'HTTP_BODY_ABORTED', cause: { code: 'ECONNRESET' } })
  expect(reported).toEqual([])
})

test('a body whose stream other code destroys is refused', async () => {
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  const listener = toNodeListener({
    async handle(request) {
      await request.body(100).catch(resolve)
      return ok()
    },
  })
  const port = await serve((request, response) => {
    listener(request, response)
    setImmediate(() => request.destroy())
  })
  const { socket } = await open(port)
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n')
  expect(await refused).toMatchObject({ code: 'HTTP_BODY_ABORTED' })
})

test('a body that is first read after the client has gone is refused', async () => {
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  const port = await serveHandler(async (request) => {
    socket.destroy()
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
    await request.body(100).catch(resolve)
    return ok()
  })
  const { socket } = await open(port)
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n')
  expect(await refused).toMatchObject({ code: 'HTTP_BODY_ABORTED' })
})

test('a body parser that came first is named as the mistake', async () => {
  const errors: unknown[] = []
  const listener = toNodeListener(
    createHttpHandler(async (request) => ok(await request.body(100))),
    { onError: (error) => errors.push(error) },
  )
  const port = await serve(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    listener(Object.assign(request, { body: JSON.parse(text) }), response)
  })
  const reply = await exchange(port, write(['POST / HTTP/1.1', 'Content-Length: 2'], '{}'))
  expect(reply).toMatch(/^HTTP\/1\.1 500 /)
  expect(errors).toMatchObject([
    { code: 'HTTP_BODY_ALREADY_READ', message: expect.stringContaining('before body parsers') },
  ])
})

test.each<[string, (request: IncomingMessage) => Promise<unknown>]>([
  ['read a part of it', (request) => once(request, 'data').then(() => request.pause())],
  ['chose how it is decoded', async (request) => request.setEncoding('latin1')],
])('a body is refused rather than cut short when other code %s', async (_what, meddle) => {
  const listener = toNodeListener(
    createHttpHandler(async (request) => ok(await request.body(100).catch((error) => error.code))),
  )
  const port = await serve(async (request, response) => {
    await meddle(request)
    listener(request, response)
    socket.write('de')
  })
  const { socket, heard, ended } = await open(port)
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nabc')
  await ended
  expect(bodyOf(heard())).toBe('HTTP_BODY_ALREADY_READ')
})

test.each(['{}', ''])('a second read of the body %j is refused', async (body) => {
  const port = await serveHandler(async (request) => {
    await request.body(100)
    return ok(await request.body(100).catch((error) => error.code))
  })
  const reply = await exchange(port, write(['POST / HTTP/1.1', `Content-Length: ${body.length}`], body))
  expect(bodyOf(reply)).toBe('HTTP_BODY_ALREADY_READ')
})

test.each([
  ['{"a":1}', 100, '{"a":1}'],
  ['{"a":1}', 3, 'HTTP_BODY_TOO_LARGE'],
  [Buffer.from([0xff]), 100, 'HTTP_BODY_INVALID'],
])('the bytes that a platform read beforehand are judged the same: %s', async (raw, limit, answer) => {
  const listener = toNodeListener(
    createHttpHandler(async (request) => ok(await request.body(limit).catch((error) => error.code))),
  )
  const port = await serve(async (request, response) => {
    for await (const _part of request);
    listener(Object.assign(request, { rawBody: Buffer.from(raw) }), response)
  })
  expect(bodyOf(await exchange(port, write(['POST / HTTP/1.1', 'Content-Length: 1'], 'x')))).toBe(answer)
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('the limit %d is the developer’s mistake', async (limit) => {
  const { promise: thrown, resolve } = Promise.withResolvers<unknown>()
  const port = await serveHandler(async (request) => {
    await request.body(limit).catch(resolve)
    return ok()
  })
  await exchange(port, write(['GET / HTTP/1.1']))
  expect(await thrown).toBeInstanceOf(TypeError)
})
