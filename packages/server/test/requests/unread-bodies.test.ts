import { once } from 'node:events'
import { connect } from 'node:net'
import { listen } from '@latchkey/server/node'
import { expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'

async function serve(): Promise<number> {
  const listener = await listen(
    ({ port }) => createBench({ options: { baseUrl: `http://127.0.0.1:${port}` } }).server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  return listener.port
}

/** Sends the head of a request and the first byte of its 10 MB, and returns what comes back until the connection ends. */
async function answerTo(port: number, line: string, fields: readonly string[] = []): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk
  })
  const host = fields.some((field) => field.startsWith('Host:')) ? [] : [`Host: 127.0.0.1:${port}`]
  socket.write([`${line} HTTP/1.1`, ...host, ...fields, 'Content-Length: 10000000', '', '{'].join('\r\n'))
  await once(socket, 'close')
  return answer
}

const json = 'Content-Type: application/json'
const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']

test.each<[what: string, status: number, line: string, fields?: readonly string[]]>([
  ['a path that does not exist', 404, 'POST /nothing/here'],
  ['a page', 200, 'GET /sign-in'],
  ['a form that is too long', 400, 'POST /sign-in', ['Content-Type: application/x-www-form-urlencoded']],
  ['readiness', 200, 'GET /readyz'],
  ['a query in the URL', 200, 'GET /graphql?query={hello}'],
  ['a method that is not allowed', 405, 'PUT /graphql', [json]],
  ['a media type that is not read', 415, 'POST /graphql', ['Content-Type: text/plain']],
  ['another host', 421, 'POST /graphql', ['Host: evil.example', json]],
  ['an operation that is too long', 413, 'POST /graphql', [json]],
  ['a handshake at another path', 404, 'GET /nothing/here', upgrade],
])('10 MB beside %s are answered %d before they are sent, and the connection ends', async (_what, status, ...sent) => {
  const port = await serve()
  const answer = await answerTo(port, ...sent)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toMatch(/^connection: close/im)
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toEqual({ status: 'ok' })
})
