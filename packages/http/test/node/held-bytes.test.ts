import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createHttpHandler } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, ok, serve, write } from '../raw-client.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
// More than the buffers of a loopback connection take at both its ends.
const large = new Uint8Array(32_000_000)

interface Site {
  readonly port: number
  /** The replies, in the order in which they were written. */
  readonly replies: readonly ServerResponse[]
  /** Resolves when so many requests have been answered. */
  answered(count: number): Promise<void>
}

async function start(heldLimitBytes: number): Promise<Site> {
  const listener = toNodeListener(
    createHttpHandler(({ target }) => (target === '/slow' ? new Promise(() => undefined) : Promise.resolve(ok(large)))),
    { heldLimitBytes },
  )
  const replies: ServerResponse[] = []
  const port = await serve((request, response) => {
    replies.push(response)
    listener(request, response)
  })
  const answered = (count: number) =>
    expect.poll(() => replies.filter(({ writableEnded }) => writableEnded).length).toBe(count) as Promise<unknown>
  return { port, replies, answered: async (count) => void (await answered(count)) }
}

/** Sends the text and never reads. */
function stall(port: number, localAddress: string, text = get): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  socket.pause().write(text)
  onTestFinished(() => void socket.destroy())
  return socket
}

async function lengthOfRest(socket: Socket): Promise<number> {
  let length = 0
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > large.length) socket.destroy()
  })
  await once(socket.resume(), 'close')
  return length
}

describe('replies of all clients together that are not read', () => {
  test('are held up to the limit; beyond it the one that has waited longest is cut off', async () => {
    const { port, replies, answered } = await start(80_000_000)
    for (let opened = 1; opened <= 3; opened++) {
      stall(port, '127.0.0.2')
      await answered(opened)
    }
    expect(replies.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
    stall(port, '127.0.0.2')
    await answered(4)
    expect(replies.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
  })

  test('are cut off at the address that holds most of them, and an older one of another address is read to its end', async () => {
    const { port, replies, answered } = await start(80_000_000)
    const slow = stall(port, '127.0.0.1')
    await answered(1)
    for (let opened = 2; opened <= 5; opened++) {
      stall(port, '127.0.0.2')
      await answered(opened)
    }
    expect(replies.map(({ destroyed }) => destroyed)).toEqual([false, true, true, true, false])
    expect(await lengthOfRest(slow)).toBeGreaterThan(large.length)
  })

  test('count for one connection in sequence, and close it', async () => {
    const { port, replies } = await start(80_000_000)
    const socket = stall(port, '127.0.0.2', get.repeat(3))
    await expect.poll(() => replies.length).toBe(3)
    expect(await lengthOfRest(socket)).toBeLessThan(large.length)
    stall(port, '127.0.0.1')
    stall(port, '127.0.0.1')
    await expect.poll(() => replies.filter(({ writableEnded }) => writableEnded).length).toBe(5)
    // Nothing of the connection that has ended counts any longer.
    expect(replies.slice(3).map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  test('count while they wait for a slow response, and their connection is closed at once', async () => {
    const { port } = await start(80_000_000)
    const socket = stall(port, '127.0.0.2', get.replace('/', '/slow') + get.repeat(3))
    expect(await lengthOfRest(socket)).toBe(0)
  })

  test('count a thousand bytes each in addition to their bodies, so that many small ones of one connection close it', async () => {
    const replies: ServerResponse[] = []
    const answerSmall = ({ target }: { readonly target: string }) =>
      target === '/slow' ? new Promise<never>(() => undefined) : Promise.resolve(ok('x'))
    const listener = toNodeListener(createHttpHandler(answerSmall), { heldLimitBytes: 20 * 1_001 })
    const port = await serve((request, response) => {
      replies.push(response)
      listener(request, response)
    })
    const behindSlow = (count: number) => get.replace('/', '/slow') + get.repeat(count)
    const allowed = stall(port, '127.0.0.2', behindSlow(20))
    await expect.poll(() => replies.filter(({ writableEnded }) => writableEnded).length).toBe(20)
    await new Promise(setImmediate)
    const [first] = replies
    expect(first?.req.socket.destroyed).toBe(false)
    allowed.write(get)
    await expect.poll(() => first?.req.socket.destroyed).toBe(true)
  })

  test('do not count if their connection was closed before they were written', async () => {
    const written: (() => void)[] = []
    const listener = toNodeListener(
      createHttpHandler(async ({ target }) => {
        if (target === '/held') await new Promise<void>((resolve) => written.push(resolve))
        return ok(large)
      }),
      { heldLimitBytes: 80_000_000 },
    )
    const replies: ServerResponse[] = []
    const port = await serve((request, response) => {
      replies.push(response)
      listener(request, response)
    })
    const gone = stall(port, '127.0.0.2', get.replace('/', '/held').repeat(3))
    await expect.poll(() => written.length).toBe(3)
    const ended = once(replies[0]?.req.socket as Socket, 'close')
    gone.destroy()
    await ended
    for (const write of written) write()
    await new Promise(setImmediate)
    for (let opened = 1; opened <= 2; opened++) stall(port, '127.0.0.1')
    await expect.poll(() => replies.slice(3).filter(({ writableEnded }) => writableEnded).length).toBe(2)
    expect(replies.slice(3).map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  test('are followed without a warning, however many there are of one connection', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const { port, answered } = await start(1_000_000_000)
    stall(port, '127.0.0.2', get.repeat(20))
    await answered(20)
    await new Promise(setImmediate)
    expect(warnings).toEqual([])
  })

  test('no longer count once they were read', async () => {
    const { port } = await start(40_000_000)
    const socket = connect(port, '127.0.0.1')
    let length = 0
    // Each once the one before was read.
    socket.on('data', (chunk: Buffer) => {
      const before = Math.floor(length / large.length)
      length += chunk.length
      if (Math.floor(length / large.length) > before) socket.write(get)
      if (length > 4 * large.length) socket.destroy()
    })
    socket.write(get)
    await once(socket, 'close')
    expect(length).toBeGreaterThan(4 * large.length)
  })

  test('may be larger than the limit if there is only one of them', async () => {
    const { port } = await start(1)
    expect((await exchange(port, write(['GET / HTTP/1.1']))).length).toBeGreaterThan(large.length)
  })
})

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null])(
  '"heldLimitBytes" must be a whole number of bytes, and %s is refused',
  (heldLimitBytes) => {
    const handler = createHttpHandler(async () => ok())
    const message = '"heldLimitBytes" must be a whole number of bytes, at least 1'
    expect(() => toNodeListener(handler, { heldLimitBytes: heldLimitBytes as number })).toThrow(new TypeError(message))
  },
)
