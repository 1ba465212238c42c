import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createHttpHandler } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { expect, onTestFinished, test, vi } from 'vitest'
import { exchange, ok, open, serve, serveHandler, write } from '../raw-client.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
// More than the buffers of a loopback connection take at both its ends.
const large = new Uint8Array(32_000_000)

/** What a client that never reads leaves behind: each reply, once its connection is over. */
async function sendAndNeverRead(text: string, replies: number, stallMs = 100): Promise<readonly ServerResponse[]> {
  const listener = toNodeListener(
    createHttpHandler(async () => ok(large)),
    { stallMs },
  )
  const seen: ServerResponse[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const port = await serve((request, response) => {
    if (seen.push(response) === replies) request.socket.once('close', () => resolve())
    listener(request, response)
  })
  const { socket } = await open(port)
  socket.pause()
  socket.write(text)
  await over
  return seen
}

test('a client that reads no byte of its response is disconnected', async () => {
  const [response] = await sendAndNeverRead(get, 1)
  expect(response).toMatchObject({ headersSent: true, writableEnded: true, writableFinished: false })
})

test('a client that reads a part of its response and then stops is disconnected after that time, and before twice the time', async () => {
  const stallMs = 4_000
  const timeOf = async (): Promise<number> => {
    const elapsed = startStopwatch(stallMs)
    const [response] = await sendAndNeverRead(get, 1, stallMs)
    expect(response?.writableFinished).toBe(false)
    return elapsed()
  }
  const times = await Promise.all([timeOf(), timeOf(), timeOf()])
  expect(Math.min(...times)).toBeGreaterThanOrEqual(stallMs)
  expectWithin(7_000, 'a stall of 4 s: cut off after', times)
})

test('a client that reads a little now and then is cut off in the end: after a second for each 16 kB', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const replied = Promise.withResolvers<ServerResponse>()
  const listener = toNodeListener(
    createHttpHandler(async () => ok(large)),
    { stallMs: 60_000 },
  )
  const port = await serve((request, response) => {
    listener(request, response)
    replied.resolve(response)
  })
  const { socket } = await open(port)
  socket.pause()
  socket.write(get)
  const response = await replied.promise
  while (vi.getTimerCount() === 0) await wait(5)
  const longestMs = 60_000 + large.length / 16
  await vi.advanceTimersByTimeAsync(longestMs - 1)
  socket.read()
  expect(response.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(response).toMatchObject({ destroyed: true, writableFinished: false })
})

test('the replies behind one that is not read are dropped with it', async () => {
  const replies = await sendAndNeverRead(get.repeat(3), 3)
  expect(replies.map(({ writableFinished }) => writableFinished)).toEqual([false, false, false])
})

test('a reply that takes long to make is no stall, and neither is a reply that waits for its turn', async () => {
  const handle = async () => {
    await wait(200)
    return ok('late')
  }
  const port = await serveHandler(handle, { stallMs: 20 })
  expect(await exchange(port, get + write(['GET / HTTP/1.1']))).toMatch(/late.*late$/s)
})

test('a client that reads gets all of a large reply', async () => {
  const reply = await exchange(await serveHandler(async () => ok(large)), write(['GET / HTTP/1.1']))
  expect(reply.length).toBeGreaterThan(large.length)
})

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1', null])(
  '"stallMs" must be a whole number of milliseconds, and %s is refused',
  (stallMs) => {
    const handler = createHttpHandler(async () => ok())
    expect(() => toNodeListener(handler, { stallMs: stallMs as number })).toThrow('"stallMs" must be a whole number')
  },
)
