import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { listen } from '@latchkey/server/node'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'

const slowAddress = '127.0.0.2'
const hundredThousand = 'x'.repeat(100_000)
const typeDefs = 'type Query { hello: String! @public, many(first: Int!): [String!]! @public }'

/** Megabytes take long on a busy machine. */
const neverLate = { maxLoopDelayMs: Number.POSITIVE_INFINITY }

async function serve(onMany = (): void => undefined): Promise<number> {
  const many = (_source: unknown, { first }: { readonly first: number }): readonly string[] => {
    onMany()
    return Array<string>(first).fill(hundredThousand)
  }
  const resolvers = { Query: { hello: () => 'Hello', many } }
  const listener = await listen(
    ({ port }) =>
      createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, http: neverLate } as never })
        .server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  return listener.port
}

/** Connects from another address than honest clients, sends the text, and reads nothing until it is told to. */
function open(port: number, text: string, localAddress = slowAddress): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  socket.pause().write(text)
  onTestFinished(() => void socket.destroy())
  return socket
}

function post(port: number, body: string, length = body.length): string {
  return `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}

async function isHelloAnswered(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql?query={hello}`)
  return (await response.text()) === '{"data":{"hello":"Hello"}}'
}

async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  await once(socket.resume(), 'close')
  return text
}

describe('over real sockets, while others are answered,', () => {
  test('200 incomplete bodies are kept, and each is read once it is complete', async () => {
    const port = await serve()
    const begun = '{"query":"{ hello }'
    const sockets = Array.from({ length: 200 }, () => open(port, post(port, begun, begun.length + 2)))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (let asked = 0; asked < 20; asked++) expect(await isHelloAnswered(port)).toBe(true)
    const [first] = sockets
    if (!first) throw new Error('there is none')
    first.write('"}')
    const [answer] = (await once(first.resume(), 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a slow body over the limit is refused before it is complete', async () => {
    const port = await serve()
    const socket = open(port, post(port, '{', 10_000_000))
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 413 /)
    expect(await isHelloAnswered(port)).toBe(true)
  })

  test('clients that do not read megabytes of responses delay no other client, and get all of it once they read', async () => {
    const port = await serve()
    const sockets = Array.from({ length: 5 }, () => open(port, post(port, '{"query":"{ many(first: 60) }"}')))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (let asked = 0; asked < 20; asked++) expect(await isHelloAnswered(port)).toBe(true)
    const [first] = sockets
    if (!first) throw new Error('there is none')
    let bytes = 0
    first.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > 6_000_000) first.destroy()
    })
    await once(first.resume(), 'close')
    expect(bytes).toBeGreaterThan(6_000_000)
  })
})

// Half a minute: TEST_TIER=3 vitest run packages/server/test/overload/slow-clients.test.ts
if (process.env.TEST_TIER === '3') {
  test('in the long mode: silent connections are closed within 3 s after 30 s, and others are answered meanwhile', async () => {
    let written = 0
    const port = await serve(() => written++)
    const limitMs = 30_000
    const elapsed = startStopwatch(limitMs)
    const endOf = async (socket: Socket): Promise<number> => {
      await once(socket, 'close')
      return elapsed()
    }
    const many = post(port, '{"query":"{ many(first: 60) }"}')
    // Each from an address of its own, so that none waits for its turn behind the others.
    const readers = Array.from({ length: 5 }, (_none, place) => open(port, many, `127.0.0.${place + 3}`))
    await expect.poll(() => written, { timeout: 5_000 }).toBe(5)
    const writtenAt = performance.now()
    const bodies = Array.from({ length: 50 }, () => open(port, post(port, '{', 100)).resume())
    const ends = Promise.all(bodies.map(endOf))
    await new Promise((resolve) => setTimeout(resolve, limitMs / 2))
    expect(await isHelloAnswered(port)).toBe(true)
    expectWithin(limitMs + 3_000, 'bodies that do not end: cut off after', Math.max(...(await ends)))
    // A client that reads nothing does not learn that it was cut off.
    await new Promise((resolve) => setTimeout(resolve, writtenAt + limitMs + 3_000 - performance.now()))
    // What a client reads afterwards is what the system had taken of the response already.
    const texts = await Promise.all(readers.map(textOf))
    for (const text of texts) {
      expect(text).toMatch(/^HTTP\/1\.1 200 /)
      expect(text.length).toBeLessThan(6_000_000)
    }
    expect(await isHelloAnswered(port)).toBe(true)
  })
}
