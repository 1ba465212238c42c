import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createHttpHandler, type HttpResponse, type HttpStream } from '@latchkey/http'
import { fromNodeRequest, toNodeListener } from '@latchkey/http/node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { exchange, open, serve, serveHandler, write } from './raw-client.ts'

/** For conditions: a machine with other work to do is slow. */
const patience = { timeout: 30_000, interval: 10 }
const get = write(['GET / HTTP/1.1'])
const streaming = (body: HttpStream): HttpResponse => ({ status: 200, headers: [['content-type', 'text/plain']], body })

/** A source that notes what is asked of it. */
function createSource(pieces: Iterable<string>) {
  const source = { asked: 0, returned: 0 }
  const iterator = pieces[Symbol.iterator]()
  const stream: HttpStream = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        source.asked++
        return iterator.next() as IteratorResult<string>
      },
      async return() {
        source.returned++
        return { done: true, value: undefined }
      },
    }),
  }
  return Object.assign(source, { stream })
}

/** Waits until a number no longer changes. */
async function settled(read: () => number): Promise<void> {
  for (let before = -1; before !== read(); await new Promise((resolve) => setTimeout(resolve, 100))) before = read()
}

function* endless(piece: string): Generator<string> {
  for (;;) yield piece
}

describe('a body that comes piece by piece', () => {
  test('is sent in chunks without a length, to its end', async () => {
    const reply = await exchange(await serveHandler(async () => streaming(createSource(['Grü', 'ße']).stream)), get)
    expect(reply).toMatch(/transfer-encoding: chunked/i)
    expect(reply).not.toMatch(/content-length/i)
    expect(Buffer.from(reply, 'latin1').toString()).toMatch(/4\r\nGrü\r\n3\r\nße\r\n0\r\n\r\n$/)
  })

  test('reaches a Fetch client the same way', async () => {
    const { fetch } = createHttpHandler(async () => streaming(createSource(['a', 'b']).stream))
    expect(await (await fetch(new Request('http://localhost/'))).text()).toBe('ab')
  })

  test('is not started for HEAD, over both', async () => {
    const source = createSource(['a'])
    const handle = async () => streaming(source.stream)
    expect(await exchange(await serveHandler(handle), write(['HEAD / HTTP/1.1']))).toMatch(/\r\n\r\n$/)
    await createHttpHandler(handle).fetch(new Request('http://localhost/', { method: 'HEAD' }))
    expect(source).toMatchObject({ asked: 0, returned: 2 })
  })

  test('holds back its source while the client does not read, and is returned when the client goes', async () => {
    const source = createSource(endless('x'.repeat(64 * 1024)))
    const { socket } = await open(await serveHandler(async () => streaming(source.stream)))
    socket.pause()
    socket.write(get)
    await vi.waitFor(() => expect(source.asked).toBeGreaterThan(0), patience)
    await settled(() => source.asked)
    expect(source.asked).toBeLessThan(400)
    socket.destroy()
    await vi.waitFor(() => expect(source.returned).toBeGreaterThan(0), patience)
  })

  test('is cut off in the middle when it says so, over both', async () => {
    const cut = new AbortController()
    const endlessly = () => Object.assign(createSource(endless('x'.repeat(64 * 1024))).stream, { cut: cut.signal })
    const { socket, ended } = await open(await serveHandler(async () => streaming(endlessly())))
    socket.pause()
    socket.write(get)
    const fetched = await createHttpHandler(async () => streaming(endlessly())).fetch(new Request('http://localhost/'))
    const reader = fetched.body?.getReader()
    await reader?.read()
    cut.abort()
    socket.resume()
    await ended
    await expect(reader?.read()).rejects.toThrow('cut off')
  })

  test('is cut off if its source fails, and the error is reported', async () => {
    const errors: unknown[] = []
    const failure = new Error('the source failed')
    async function* fail(): AsyncGenerator<string> {
      yield 'half'
      throw failure
    }
    const handle = async () => streaming(fail())
    const port = await serve(toNodeListener(createHttpHandler(handle), { onError: (error) => errors.push(error) }))
    expect(await exchange(port, get)).not.toMatch(/0\r\n\r\n$/)
    expect(errors).toEqual([failure])
  })
})

test('a request to change the protocol is seen as it was sent, and its signal is aborted when the connection closes', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const upgraded = once(server, 'upgrade')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(
    'GET /graphql?a=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: 1\r\nx-a: 2\r\n\r\n',
  )
  const [message] = await upgraded
  const request = fromNodeRequest(message, null)
  expect(request).toMatchObject({ method: 'GET', target: '/graphql?a=1', peerAddress: '127.0.0.1' })
  expect([request.headers.get('x-a'), request.headers.get('cookie'), request.signal.aborted]).toEqual([
    '1, 2',
    undefined,
    false,
  ])
  await expect(request.body(10)).rejects.toMatchObject({ code: 'HTTP_BODY_ALREADY_READ' })
  message.socket.destroy()
  socket.destroy()
  await vi.waitFor(() => expect(request.signal.aborted).toBe(true), patience)
})
