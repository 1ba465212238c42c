import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { limitConnections } from '@latchkey/http/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, open, write } from '../raw-client.ts'

interface Site {
  readonly server: Server
  readonly port: number
  /** Method, target and body of the requests that were begun. */
  readonly begun: string[]
  /** Answers the oldest request that waits. */
  answer(): void
  /** The most requests of one connection that waited for their response at a time. */
  readonly atOnce: () => number
}

interface SiteOptions {
  /** After so long a request is answered. `null`: when the test says so. */
  readonly delayMs?: number | null
  readonly trustedProxies?: readonly string[]
  /** @default true */
  readonly isSuspect?: boolean
}

/** Serves for an address that has sent a body in chunks before. */
async function start({ delayMs = null, trustedProxies = [], isSuspect = true }: SiteOptions = {}): Promise<Site> {
  const begun: string[] = []
  const waiting: (() => void)[] = []
  const perConnection = new Map<object, number>()
  let most = 0
  const take = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = message
    const now = (perConnection.get(socket) ?? 0) + 1
    perConnection.set(socket, now)
    most = Math.max(most, now)
    response.once('close', () => perConnection.set(socket, (perConnection.get(socket) ?? 1) - 1))
    let body = ''
    for await (const chunk of message) body += String(chunk)
    if (message.url !== '/first') begun.push(`${message.method} ${message.url} ${body}`.trim())
    const end = (): void => void response.end(`${message.url};`)
    if (message.url === '/first') end()
    else if (delayMs === null) waiting.push(end)
    else setTimeout(end, delayMs)
  }
  const server = createServer((message, response) => void take(message, response).catch(() => undefined))
  limitConnections(server, { trustedProxies })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  if (isSuspect) await exchange(port, first.replace('\r\n', '\r\nConnection: close\r\n'))
  return { server, port, begun, answer: () => waiting.shift()?.(), atOnce: () => most }
}

const first = 'POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
const long = `/${'a'.repeat(8_000)}`
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const last = (path: string): string => write([`GET ${path} HTTP/1.1`])
const paths = (text: string): string[] => [...text.matchAll(/(\/\w+);/g)].map(([, path]) => path ?? '')
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `/${index}`)

describe('limitConnections', () => {
  test('starts a pipelined request after the previous response was sent', async () => {
    const { port, begun, answer } = await start()
    const { socket, heard } = await open(port)
    socket.write(get('/a') + get('/b') + get('/c'))
    await expect.poll(() => begun).toEqual(['GET /a'])
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(begun).toEqual(['GET /a'])
    answer()
    await expect.poll(() => begun).toEqual(['GET /a', 'GET /b'])
    answer()
    await expect.poll(() => begun).toEqual(['GET /a', 'GET /b', 'GET /c'])
    answer()
    await expect.poll(() => paths(heard())).toEqual(['/a', '/b', '/c'])
  })

  test('answers two hundred pipelined requests in order, one at a time', async () => {
    const { port, atOnce } = await start({ delayMs: 0 })
    const all = numbered(200)
    const heard = await exchange(port, all.map(get).join('') + last('/end'))
    expect(paths(heard)).toEqual([...all, '/end'])
    expect(atOnce()).toBe(1)
  })

  const bodies = {
    'a declared length': (body: string) =>
      `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    'one chunk': (body: string) =>
      `POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    'chunks of one byte': (body: string) =>
      `POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    'one chunk and trailers': (body: string) =>
      `POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n`,
  } as const
  const contents = {
    short: 'x',
    'with blank lines': 'a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\nb\r\n\r\n',
    'of 70 kB': 'x'.repeat(70_000),
  } as const
  for (const [framing, write] of Object.entries(bodies)) {
    for (const [content, body] of Object.entries(contents)) {
      for (const size of [1_000_000, 7, 1] as const) {
        if (size < 1_000 && content === 'of 70 kB') continue
        test(`passes a body in ${framing}, ${content}, and the requests around it unchanged in writes of ${size} bytes`, async () => {
          const { port, begun, atOnce } = await start({ delayMs: 0 })
          const { socket, heard, ended } = await open(port)
          socket.setNoDelay()
          const text = get('/before') + write(body) + get('/after') + last('/end')
          for (let at = 0; at < text.length; at += size) {
            if (size < 1_000 && at % 50 < size) await new Promise((resolve) => setImmediate(resolve))
            socket.write(text.slice(at, at + size))
          }
          await ended
          expect(paths(heard())).toEqual(['/before', '/a', '/after', '/end'])
          expect(begun).toEqual(['GET /before', `POST /a ${body}`.trim(), 'GET /after', 'GET /end'])
          expect(atOnce()).toBe(1)
        })
      }
    }
  }

  test('answers another connection between pipelined requests that each hold the event loop', async () => {
    const { server, port, begun } = await start({ delayMs: 0 })
    server.prependListener('request', () => {
      const until = performance.now() + 2
      while (performance.now() < until);
    })
    const { socket } = await open(port)
    socket.write(get('/flood').repeat(500))
    await exchange(port, last('/honest'))
    expect(begun.length).toBeLessThan(100)
  })

  test('reads at most 200 kB of pipelined requests while a response waits, and the rest afterwards', async () => {
    const { server, port, begun, answer } = await start()
    const sockets: Socket[] = []
    server.on('connection', (socket) => void sockets.push(socket))
    const { socket, ended } = await open(port)
    socket.write(get(`/${'a'.repeat(1_000)}`).repeat(2_000) + last('/end'))
    await expect.poll(() => begun.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(begun.length).toBe(1)
    expect(sockets[0]?.bytesRead).toBeLessThan(200_000)
    const tick = setInterval(() => void answerAll())
    const answerAll = async (): Promise<void> => {
      for (let count = 0; count < 100; count++) await new Promise((resolve) => setImmediate(() => resolve(answer())))
    }
    await ended
    clearInterval(tick)
    expect(begun.length).toBe(2_001)
  })

  test('closes connections of an address that holds 8 MB, and answers those with 429 that wait for no response', async () => {
    const { port } = await start({ delayMs: 50 })
    const connections = await Promise.all(Array.from({ length: 200 }, () => open(port)))
    for (const { socket } of connections) socket.write(get(long).repeat(15) + last('/end'))
    await Promise.all(connections.map(({ ended }) => ended))
    const rejected = connections.filter(({ heard }) => heard().startsWith('HTTP/1.1 429 '))
    const answered = connections.filter(({ heard }) => heard().includes('/end;'))
    expect(rejected.length).toBeGreaterThan(0)
    expect(rejected[0]?.heard()).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\nRetry-After: 1\r\n/)
    expect(answered.length).toBeGreaterThan(30)
    expect(answered.length).toBeLessThan(100)
  })

  test('answers the pipelined requests of a client that half-closes its connection, and closes it', async () => {
    const { server, port } = await start()
    server.removeAllListeners('request')
    server.on('request', ({ url }, response) => void response.end(`${url};`))
    const all = numbered(20)
    const { socket, heard, ended } = await open(port)
    socket.end(all.map(get).join(''))
    await ended
    expect(paths(heard())).toEqual(all)
  })

  test('closes a connection whose client leaves while a pipelined request waits for a response', async () => {
    const { server, port, begun } = await start()
    const closed: string[] = []
    server.on('request', ({ url }, response) => void response.on('close', () => void closed.push(`${url}`)))
    const { socket } = await open(port)
    socket.write(get('/a'))
    await expect.poll(() => begun).toEqual(['GET /a'])
    socket.end(get('/b'))
    await expect.poll(() => closed).toEqual(['/a'])
    expect(begun).toEqual(['GET /a'])
  })

  test('limits each connection of a trusted proxy separately', async () => {
    const { port, begun } = await start({ delayMs: 10, trustedProxies: ['127.0.0.1'], isSuspect: false })
    const connections = await Promise.all(Array.from({ length: 100 }, () => open(port)))
    for (const { socket } of connections) socket.write(first)
    await Promise.all(connections.map(({ heard }) => expect.poll(heard).toContain('/first;')))
    for (const { socket } of connections) socket.write(get(long).repeat(10) + last('/end'))
    await Promise.all(connections.map(({ ended }) => ended))
    expect(begun.length).toBe(1_100)
    expect(connections.filter(({ heard }) => !heard().includes('/end;'))).toEqual([])
  })

  test('answers 16 pipelined requests in order if the address has not pipelined before', async () => {
    const { port } = await start({ delayMs: 5, isSuspect: false })
    const all = numbered(15)
    expect(paths(await exchange(port, all.map(get).join('') + last('/end')))).toEqual([...all, '/end'])
  })

  test('closes the connection of the first burst of an address at the seventeenth request that waits, and pauses its others', async () => {
    const { server, port, begun } = await start({ isSuspect: false })
    const destroyed: boolean[] = []
    server.on('request', ({ socket }) => void destroyed.push(socket.destroyed))
    const other = await open(port)
    const { socket, heard, ended } = await open(port)
    socket.write(get('/a').repeat(1_000))
    await ended
    expect(heard()).toBe('')
    expect(destroyed.filter((isDestroyed) => !isDestroyed).length).toBe(16)
    begun.length = 0
    other.socket.write(get('/a').repeat(1_000))
    await expect.poll(() => begun).toEqual(['GET /a'])
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(begun).toEqual(['GET /a'])
  })

  test('leaves a connection to Node.js whose requests have no chunks and wait for their responses', async () => {
    const { server, port } = await start({ delayMs: 0, isSuspect: false })
    const listeners: unknown[] = []
    server.on('connection', (socket) => void listeners.push(socket.listeners('data')[0]))
    server.on('request', ({ socket }) => void listeners.push(socket.listeners('data')[0]))
    const { socket, heard } = await open(port)
    for (const path of ['/1', '/2', '/3']) {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`)
      await expect.poll(heard).toContain(`${path};`)
    }
    expect(new Set(listeners).size).toBe(1)
  })

  const unanswerable = {
    'that Node.js answers with 417': 'Expect: nonsense',
    'that Node.js answers with 400': 'Host:',
    'of a listener that waits': 'X-None: 1',
  }
  for (const [what, header] of Object.entries(unanswerable)) {
    test(`keeps the process alive if a client pipelines requests ${what} and reads no response`, async () => {
      const { server, port } = await start({ delayMs: 0 })
      const failures: unknown[] = []
      const onFailure = (error: unknown): void => void failures.push(error)
      process.on('uncaughtException', onFailure)
      onTestFinished(() => void process.off('uncaughtException', onFailure))
      server.removeAllListeners('request')
      server.on('request', (_message, response: ServerResponse) => void response.end('x'.repeat(100_000)))
      const { socket } = await open(port)
      socket.pause()
      const head = header === 'Host:' ? 'GET /a HTTP/1.1\r\n\r\n' : `GET /a HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`
      for (let count = 0; count < 100 && !socket.destroyed; count++) {
        socket.write(head.repeat(1_000))
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
      expect(failures).toEqual([])
    })
  }

  for (const framing of ['Content-Length: 10000000', 'Transfer-Encoding: chunked'] as const) {
    test(`reads at most 400 kB of a body with ${framing} that the application does not read`, async () => {
      const { server, port } = await start()
      server.removeAllListeners('request')
      const sockets: Socket[] = []
      server.on('request', ({ socket }) => void sockets.push(socket))
      const { socket } = await open(port)
      socket.write(`POST /a HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`)
      for (let count = 0; count < 50; count++) socket.write(`5000\r\n${'x'.repeat(0x5000)}\r\n`)
      await expect.poll(() => sockets.length).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(sockets[0]?.bytesRead).toBeLessThan(400_000)
    })
  }

  test('lets a body in chunks of a megabyte arrive within fifteen seconds for an application that reads it late', async () => {
    const { port, begun } = await start({ delayMs: 0 })
    const { socket, ended } = await open(port)
    const text = 'x\r\n\r\n'.repeat(2_000)
    const chunk = `${text.length.toString(16)}\r\n${text}\r\n`
    const from = performance.now()
    socket.write(`POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`)
    for (let count = 0; count < 100; count++) socket.write(chunk)
    socket.write('0\r\n\r\n')
    await ended
    expect(begun[0]?.length).toBe('POST /a '.length + (100 * text.length - 4))
    expect(performance.now() - from).toBeLessThan(15_000)
  })

  test('hands an upgraded connection over with the bytes after the head', async () => {
    const { server, port } = await start()
    const received: string[] = []
    server.on('upgrade', (_message, socket, head: Buffer) => {
      received.push(head.toString())
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.on('data', (chunk: Buffer) => void received.push(chunk.toString()))
    })
    const { socket, heard } = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nfirst\r\n\r\nsecond')
    await expect.poll(heard).toContain(' 101 ')
    socket.write('third')
    await expect.poll(() => received.join('')).toBe('first\r\n\r\nsecondthird')
  })

  test('does not touch an upgraded connection if its address pipelines on another connection', async () => {
    const { server, port } = await start({ delayMs: 0, isSuspect: false })
    server.on('upgrade', (_message, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.on('data', (chunk: Buffer) => void socket.write(chunk))
    })
    const upgraded = await open(port)
    upgraded.socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    await expect.poll(upgraded.heard).toContain(' 101 ')
    expect(paths(await exchange(port, get('/a') + last('/b')))).toEqual(['/a', '/b'])
    upgraded.socket.write('GET /c HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(upgraded.heard).toMatch(/\r\n\r\nGET \/c HTTP\/1\.1\r\nHost: a\r\n\r\n$/)
  })

  test('reads the rest of a body if its address pipelines on another connection meanwhile', async () => {
    const { port, begun } = await start({ delayMs: 0, isSuspect: false })
    const reading = await open(port)
    reading.socket.write(`POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(10_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await exchange(port, get('/a') + last('/b'))
    reading.socket.write('x'.repeat(10_000) + get('/c') + last('/d'))
    await reading.ended
    expect(paths(reading.heard())).toEqual(['/long', '/c', '/d'])
    expect(begun).toContain(`POST /long ${'x'.repeat(20_000)}`)
  })

  for (const framing of ['Content-Length: 400000', 'Transfer-Encoding: chunked'] as const) {
    test(`reads a body with ${framing} that waits in the server when its address becomes suspect`, async () => {
      const { server, port } = await start({ isSuspect: false })
      server.removeAllListeners('request')
      server.on('request', async (message, response) => {
        if (message.url === '/late') await new Promise((resolve) => setTimeout(resolve, 100))
        let length = 0
        for await (const chunk of message) length += chunk.length
        response.end(`${length};`)
      })
      const { socket, heard } = await open(port)
      const text = 'x'.repeat(400_000)
      const body = framing.startsWith('Content') ? text : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
      socket.write(`POST /late HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${body}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
      await exchange(port, first.replace('\r\n', '\r\nConnection: close\r\n'))
      await expect.poll(heard, { timeout: 5_000 }).toContain('400000;')
    })
  }

  test('passes a body on to an application that reads it in blocks of a fixed size', async () => {
    const { server, port } = await start()
    server.removeAllListeners('request')
    server.on('request', (message, response) => {
      let length = 0
      message.on('readable', () => {
        for (let block = message.read(10_000); block !== null; block = message.read(10_000)) length += block.length
      })
      message.on('end', () => void response.end(`${length};`))
    })
    const { socket, heard } = await open(port)
    const head = 'POST /blocks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    socket.write(`${head}${`1388\r\n${'x'.repeat(5_000)}\r\n`.repeat(80)}0\r\n\r\n`)
    await expect.poll(heard, { timeout: 5_000 }).toContain('400000;')
  })

  test('leaves what is no HTTP to the server', async () => {
    const { port } = await start()
    expect(await exchange(port, 'no HTTP at all\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })

  const mistakes = {
    trustedProxies: { trustedProxies: ['nowhere'] },
    'an unknown option': { trustedProxy: [] },
  }
  for (const [name, options] of Object.entries(mistakes)) {
    test(`throws a TypeError for ${name}`, () => {
      expect(() => limitConnections(createServer(), options as object)).toThrow(TypeError)
    })
  }
})
