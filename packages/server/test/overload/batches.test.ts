import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createFairQueue } from '@latchkey/http/fair-queue'
import { listen } from '@latchkey/server/node'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'

const busy = '127.0.0.2'
const quiet = '127.0.0.1'

// All requests of a test arrive within a millisecond by the clock of the turns.
beforeEach(() => {
  let time = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 0.0001
    return time
  })
})
afterEach(() => void vi.restoreAllMocks())

const typeDefs = 'type Query { work(name: String!): String @public }'

interface Site {
  readonly port: number
  /** What resolvers did, in order. */
  readonly steps: string[]
  open(from: string): Promise<Socket>
}

async function serve(options: object = {}): Promise<Site> {
  const steps: string[] = []
  const work = async (_source: unknown, { name }: { readonly name: string }): Promise<void> => {
    steps.push(`${name} begins`)
    await null
    steps.push(`${name} goes on`)
  }
  const listener = await listen(
    ({ port }) =>
      createBench({
        options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers: { Query: { work } }, ...options } as never,
      }).server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: listener.port, localAddress })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { port: listener.port, steps, open }
}

function requestOf(port: number, name: string): string {
  const body = JSON.stringify({ query: `{ work(name: "${name}") }` })
  const head = ['POST /graphql HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json']
  return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function ask(port: number, socket: Socket, name: string): Promise<void> {
  socket.write(requestOf(port, name))
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
}

/** Sends a request over each socket in one turn of the event loop, and returns what the resolvers did. */
async function askAtOnce({ port, steps }: Site, sockets: readonly Socket[]): Promise<readonly string[]> {
  // Each is accepted and idle then, so that only requests are left to be read.
  for (const socket of sockets) await ask(port, socket, 'warm')
  steps.length = 0
  await Promise.all(sockets.map((socket, place) => ask(port, socket, String.fromCharCode(97 + place))))
  return steps
}

const oneByOne = ['a begins', 'a goes on', 'b begins', 'b goes on', 'c begins', 'c goes on', 'd begins', 'd goes on']
const together = ['a begins', 'b begins', 'c begins', 'd begins', 'a goes on', 'b goes on', 'c goes on', 'd goes on']

test('requests that several addresses have sent at once are handled together', async () => {
  const site = await serve()
  const sockets = await Promise.all([quiet, busy, quiet, busy].map(site.open))
  expect(await askAtOnce(site, sockets)).toEqual(together)
})

test('a fair queue handles each request separately', async () => {
  const site = await serve({ http: { fairQueue: createFairQueue } })
  const sockets = await Promise.all([quiet, busy, quiet, busy].map(site.open))
  expect(await askAtOnce(site, sockets)).toEqual(oneByOne)
})
