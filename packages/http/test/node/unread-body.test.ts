import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createHttpHandler, type HttpResponse } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { describe, expect, onTestFinished, test } from 'vitest'

/** Sends one request to a handler that reads no body, and returns its answer and whether the connection goes on. */
async function answerTo(text: string): Promise<{ readonly status: string; readonly isClosed: boolean }> {
  const reply: HttpResponse = { status: 404, headers: [], body: 'no' }
  const server = createServer(toNodeListener(createHttpHandler(async () => reply))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'data')
  const isClosed = /^connection: close/im.test(answer)
  // The rest of the body is not awaited.
  if (isClosed) await once(socket, 'close')
  return { status: answer.slice(9, 12), isClosed }
}

const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'

describe('the connection of a request that is answered without its body being read', () => {
  test.each([
    ['goes on after a body that has arrived', `${head}Content-Length: 2\r\n\r\n{}`, false],
    ['goes on after a body that has arrived in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, false],
    ['goes on without a body', `${head}\r\n`, false],
    ['goes on before the end of 100 kB', `${head}Content-Length: 100000\r\n\r\n{`, false],
    ['ends before the end of a longer body', `${head}Content-Length: 100001\r\n\r\n{`, true],
    ['ends before a longer body of a GET', `GET${head.slice(4)}Content-Length: 10000000\r\n\r\n`, true],
    ['ends within a body without a length', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, true],
  ])('%s', async (_what, text, isClosed) => {
    expect(await answerTo(text)).toEqual({ status: '404', isClosed })
  })
})
