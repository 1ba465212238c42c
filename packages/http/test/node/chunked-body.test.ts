import type { Socket } from 'node:net'
import { createHttpHandler, fromFetchRequest, isHttpError } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { describe, expect, test } from 'vitest'
import { exchange, ok, open, serve, serveHandler } from '../raw-client.ts'

const limitBytes = 100_000
const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
const chunksOf = (size: number, count: number): string =>
  `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(count)

/** Returns the status and the body of the response. */
async function post(size: number, count: number): Promise<readonly [status: number, body: string]> {
  const port = await serveHandler(async (request) => ok(String((await request.body(limitBytes)).length)))
  const reply = await exchange(port, `${head}${chunksOf(size, count)}0\r\n\r\n`)
  return [Number(reply.slice(9, 12)), reply.slice(reply.indexOf('\r\n\r\n') + 4)]
}

/** Returns the length of the body, or the code of the error. */
async function readByFetch(size: number, count: number): Promise<number | string> {
  let left = count
  const body = new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(size).fill(120))
      else controller.close()
    },
  })
  const request = new Request('https://example.com/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  try {
    return (await fromFetchRequest(request).body(limitBytes)).length
  } catch (error) {
    return isHttpError(error) ? error.code : String(error)
  }
}

describe('a body in chunks', () => {
  test.each([
    [1_000, 100],
    [16, 6_250],
    [15, 6_666],
    [4, 5_000],
    [1, 4_266],
  ])('of %i bytes, %i of them, is read', async (size, count) => {
    expect(await post(size, count)).toEqual([200, String(size * count)])
    expect(await readByFetch(size, count)).toBe(size * count)
  })

  test.each([
    [8, 8_001],
    [4, 5_334],
    [1, 4_267],
  ])(
    'of %i bytes, %i of them, is rejected with 413: its chunks have cost 64 kB more than it has',
    async (size, count) => {
      expect((await post(size, count))[0]).toBe(413)
      expect(await readByFetch(size, count)).toBe('HTTP_BODY_TOO_LARGE')
    },
  )
})

describe('bodies that have not arrived as a whole', () => {
  /** Serves, and returns what opens a connection from an address and sends most of a body. */
  async function start(heldLimitBytes: number) {
    const begun: Socket[] = []
    const listener = toNodeListener(
      createHttpHandler(async (request) => ok(await request.body(limitBytes))),
      {
        heldLimitBytes,
        onError: () => undefined,
      },
    )
    const port = await serve((message, response) => {
      begun.push(message.socket)
      listener(message, response)
    })
    const sendMost = async (localAddress: string, framing: string): Promise<Socket> => {
      const count = begun.length
      const { socket } = await open(port, localAddress)
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${framing}`)
      await expect.poll(() => begun.length).toBe(count + 1)
      return begun[count] as Socket
    }
    return { port, sendMost }
  }

  const framings = {
    'of a declared length': `Content-Length: 90000\r\n\r\n${'x'.repeat(60_000)}`,
    'in chunks': `Transfer-Encoding: chunked\r\n\r\n${chunksOf(10_000, 6)}`,
  }
  test.each(Object.entries(framings))(
    '%s disconnect the address that holds most beyond the limit',
    async (_what, framing) => {
      const { sendMost } = await start(400_000)
      const honest = await sendMost('127.0.0.2', framing)
      const hostile: Socket[] = []
      for (let count = 0; count < 8; count++) hostile.push(await sendMost('127.0.0.3', framing))
      await expect.poll(() => hostile.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(1)
      await expect.poll(() => hostile.filter(({ destroyed }) => destroyed).length).toBeLessThan(7)
      expect(hostile[0]?.destroyed).toBe(true)
      expect(honest.destroyed).toBe(false)
    },
  )

  test('no longer count once they have arrived or their connection has closed', async () => {
    const { port, sendMost } = await start(200_000)
    const framing = framings['of a declared length']
    const waiting = await sendMost('127.0.0.2', framing)
    for (let count = 0; count < 20; count++) {
      const whole = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 90000\r\n\r\n`
      const { socket, heard, ended } = await open(port, '127.0.0.2')
      socket.write(whole + 'x'.repeat(60_000))
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (count % 2 === 0) socket.write('x'.repeat(30_000))
      else socket.destroy()
      await ended
      if (count % 2 === 0) expect(heard()).toMatch(/^HTTP\/1\.1 200 /)
    }
    expect(waiting.destroyed).toBe(false)
  })
})
