import { once } from 'node:events'
import { connect } from 'node:net'
import { listen } from '@latchkey/server/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Bench, createBench } from '../support/bench.ts'

let bench: Bench
let listener: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  listener = await listen(
    ({ port }) => {
      bench = createBench({ options: { baseUrl: `http://127.0.0.1:${port}` } })
      return bench.server
    },
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
})
afterAll(() => listener.close())

/** Sends exactly these lines and returns what comes back until the connection ends. */
async function send(head: readonly string[], body = ''): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(listener.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'close')
  return { status: Number(text.split(' ', 2)[1]), text }
}

const own = () => `Host: 127.0.0.1:${listener.port}`
const get = (target: string, ...headers: string[]) => send([`GET ${target} HTTP/1.1`, own(), ...headers])
const hello = '/graphql?query={hello}'
const cookies = (count: number) => `Cookie: ${Array.from({ length: count }, (_none, n) => `c${n}=${n}`).join('; ')}`

describe('over a real socket, what a client makes up is answered by its row, and the next request is served:', () => {
  test.each<[what: string, status: number, send: () => ReturnType<typeof send>]>([
    ['X-Forwarded-For of an untrusted peer', 200, () => get(hello, 'X-Forwarded-For: 203.0.113.7, 10.0.0.1')],
    ['Forwarded', 200, () => get(hello, 'Forwarded: for=203.0.113.7;host=evil.example')],
    ['X-Forwarded-Host', 200, () => get(hello, 'X-Forwarded-Host: evil.example')],
    ['another Host', 421, () => send([`GET ${hello} HTTP/1.1`, 'Host: evil.example'])],
    ['two Hosts', 400, () => get(hello, 'Host: evil.example')],
    ['the absolute form of another host', 421, () => get(`http://evil.example${hello}`)],
    ['the absolute form of its own', 200, () => get(`http://127.0.0.1:${listener.port}${hello}`)],
    ['the absolute form of another scheme', 404, () => get(`ftp://evil.example${hello}`)],
    ['200 cookies', 200, () => get(hello, cookies(200))],
    ['headers of 64 kB', 431, () => get(hello, `X-Long: ${'a'.repeat(64_000)}`)],
    ['cookies of 64 kB', 431, () => get(hello, cookies(7_000))],
  ])('%s is %d', async (_what, status, ask) => {
    expect((await ask()).status).toBe(status)
    expect((await get(hello)).text).toContain('{"data":{"hello":"Hello"}}')
  })

  test('two session cookies are no session, in whichever order and in however many headers', async () => {
    const visitor = await bench.signedIn()
    const [name, value] = [...visitor.jar].find(([key]) => key.endsWith('session')) ?? []
    const viewer = '/graphql?query={viewer{id}}'
    const twice = [
      `${name}=${value}; ${name}=other`,
      `${name}=other; ${name}=${value}`,
      `${name}=${value}; ${name}=${value}`,
    ]
    expect((await get(viewer, `Cookie: ${name}=${value}`)).text).toContain(visitor.account.id)
    for (const cookie of twice) expect((await get(viewer, `Cookie: ${cookie}`)).text).not.toContain(visitor.account.id)
    const apart = await get(viewer, `Cookie: ${name}=${value}`, `Cookie: ${name}=other`)
    expect(apart.text).not.toContain(visitor.account.id)
  })
})
