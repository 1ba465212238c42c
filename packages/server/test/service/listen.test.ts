import { once } from 'node:events'
import { Agent, createServer as createNodeServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { allowNativeDelivery } from '@latchkey/accounts'
import type { Server } from '@latchkey/server'
import { type Listener, listen } from '@latchkey/server/node'
import { StoreError } from '@latchkey/store'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { afterEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, createMemoryStores, password } from '../support/bench.ts'
import { createVisitor } from '../support/visitor.ts'

const signal = 'SIGUSR2'
const open: Listener[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()))
})

type Source = Exclude<Parameters<typeof listen>[0], Server>

async function serve(source: Source | Bench, options: Partial<Parameters<typeof listen>[1]> = {}) {
  const make: Source = 'at' in source ? ({ port }) => source.at(port) : source
  const listener = await listen(make, { port: 0, closeOn: [], print: null, ...options })
  open.push(listener)
  return { ...listener, url: `http://127.0.0.1:${listener.port}` }
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** A resolver that waits until it is let go. */
function createSlowBench(options: object = {}, finished = () => {}) {
  let release = () => {}
  let entered = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const hello = async () => {
    entered()
    await gate
    await setTimeout(20)
    finished()
    return 'Hello'
  }
  const resolvers = {
    Query: { hello, secretPlan: () => '' },
    Mutation: { writeNote: () => '' },
    Account: { greeting: () => '' },
  }
  return { ...createBench({ options: { resolvers, ...options } }), inside, release }
}

const subscribed = {
  typeDefs: 'type Query { hello: String! @public } type Subscription { ticked: Int! @public }',
  resolvers: { Query: { hello: () => '' }, Subscription: { ticked: { subscribe: async function* () {} } } },
}

describe('listen', () => {
  test('serves on a free port, and reads the address of a client', async () => {
    const bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
    const { url, hostname } = await serve(bench)
    expect(hostname).toBe('127.0.0.1')
    const { email } = await bench.insert()
    const visitor = createVisitor(url)
    visitor.headers = { 'user-agent': 'a browser' }
    expect((await visitor.signIn(email, password)).status).toBe(200)
    const { data } = await visitor.ask('{ sessions { userAgent address current } }')
    expect(data.sessions).toEqual([{ userAgent: 'a browser', address: '127.0.0.1', current: true }])
  })

  test('trusts X-Forwarded-For from listed proxies only', async () => {
    for (const [trustedProxies, address] of [
      [[], '127.0.0.1'],
      [['127.0.0.1'], '203.0.113.9'],
    ] as const) {
      const bench = createBench({ options: { http: { trustedProxies } } })
      const { url } = await serve(bench)
      const { email } = await bench.insert()
      const visitor = createVisitor(url)
      visitor.headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }
      await visitor.signIn(email, password)
      expect((await visitor.ask('{ sessions { address } }')).data.sessions).toEqual([{ address }])
    }
  })

  test('delivers NATIVE tokens to a client that is not a browser', async () => {
    const bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
    const { port } = await serve(bench)
    const { email } = await bench.insert()
    const body = JSON.stringify({
      query: `mutation { signIn(input: { email: "${email}", password: "${password}", delivery: NATIVE }) { refreshToken } }`,
    })
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    const sent = request({ host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers, agent: false }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(JSON.parse(await readText(response)).data.signIn.refreshToken).toMatch(/^rt_/)
  })

  test('creates the server when the port is known, and migrates before it opens', async () => {
    const calls: string[] = []
    const stores = { ...createMemoryStores(), migrate: async () => void calls.push('migrated') }
    const { port, url } = await serve(
      ({ port }) => {
        calls.push(`asked for ${port > 0}`)
        return createBench({ options: { stores } }).server
      },
      { migrate: true },
    )
    expect(calls).toEqual(['asked for true', 'migrated'])
    expect(await isTaken(port)).toBe(true)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  test.each([
    ['127.0.0.2', '127.0.0.2'],
    ['localhost', expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/)],
  ])('on the interface %s hands its address over', async (hostname, address) => {
    const given: unknown[] = []
    const source: Source = (bound) => {
      given.push(bound)
      return createBench().server
    }
    const listener = await serve(source, { hostname })
    expect(listener.hostname).toEqual(address)
    expect(given).toEqual([{ hostname: listener.hostname, port: listener.port }])
  })

  test('answers 503 with a code while it is opening, and that the process lives', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const stores = { ...createMemoryStores(), migrate: () => gate }
    let port = 0
    const listening = serve(
      (address) => {
        port = address.port
        return createBench({ options: { stores } }).server
      },
      { migrate: true },
    )
    await expect.poll(() => port).toBeGreaterThan(0)
    const early = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{16}$/)
      return [response.status, response.headers.get('retry-after'), await response.text()]
    }
    const refusal =
      '{"errors":[{"message":"The service is starting. Try again in a moment.","extensions":{"code":"SERVICE_UNAVAILABLE"}}]}'
    expect(await early('/graphql?query={hello}')).toEqual([503, '1', refusal])
    expect(await early('/reset', 'POST')).toEqual([503, '1', refusal])
    expect(await early('/reset', 'HEAD')).toEqual([503, '1', ''])
    expect(await early('/readyz')).toEqual([503, '1', '{"status":"unavailable","stores":"unavailable"}'])
    expect(await early('/healthz')).toEqual([200, null, '{"status":"ok"}'])
    expect(await early('/__proto__')).toEqual([503, '1', refusal])
    go()
    expect((await fetch(`${(await listening).url}/readyz`)).status).toBe(200)
  })

  test('rejects when the port is taken, before the server is created', async () => {
    const other = createNodeServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const made: Server[] = []
    const source = () => {
      made.push(createBench().server)
      return made[0] as Server
    }
    await expect(listen(source, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(made).toEqual([])
    other.close()
  })

  test.each([
    ['the server cannot be made', () => Promise.reject(new TypeError('"baseUrl" must be an origin')), '"baseUrl"'],
    [
      'a store cannot be opened',
      (closed: () => void) =>
        createBench({
          options: {
            stores: {
              ...createMemoryStores(),
              check: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the disk is full')),
              close: async () => closed(),
            },
          },
        }).server,
      'the disk is full',
    ],
  ])('releases the port when %s, and listens to no signal', async (what, source, message) => {
    let port = 0
    let closes = 0
    const listeners = process.listenerCount(signal)
    const starting = listen(
      async (address) => {
        port = address.port
        return source(() => closes++)
      },
      { port: 0, closeOn: [signal], startMs: 0 },
    )
    await expect(starting).rejects.toThrow(message)
    expect(await isTaken(port)).toBe(false)
    expect(process.listenerCount(signal)).toBe(listeners)
    expect(closes).toBe(what === 'a store cannot be opened' ? 1 : 0)
  })
})

describe('closing', () => {
  test('lets a pending request finish, then closes the stores; an idle connection does not delay it', async () => {
    const order: string[] = []
    const stores = { ...createMemoryStores(), close: async () => void order.push('stores closed') }
    const bench = createSlowBench({ stores }, () => order.push('finished'))
    const { inside, release } = bench
    const { url, port, close } = await serve(bench)
    const agent = new Agent({ keepAlive: true })
    const idle = request({ port, path: '/healthz', agent }).end()
    const [answered] = (await once(idle, 'response')) as [IncomingMessage]
    await readText(answered)
    const slow = fetch(`${url}/graphql?query={hello}`)
    await inside
    const closing = close()
    expect(close()).toBe(closing)
    await expect.poll(() => isTaken(port)).toBe(false)
    expect(order).toEqual([])
    release()
    const response = await slow
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')])
    const started = performance.now()
    await closing
    expect(performance.now() - started).toBeLessThan(5000)
    expect(order).toEqual(['finished', 'stores closed'])
    agent.destroy()
  })

  test('waits no longer than drainMs', async () => {
    const times: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const bench = createSlowBench()
      const { inside, release } = bench
      const { url, close } = await serve(bench, { drainMs: 200 })
      const slow = fetch(`${url}/graphql?query={hello}`)
      const lost = expect(slow).rejects.toThrow()
      await inside
      const elapsed = startStopwatch(200)
      await close()
      times.push(elapsed())
      await lost
      release()
    }
    expect(Math.min(...times)).toBeGreaterThan(190)
    expectWithin(300, 'closing with a drain of 200 ms took', times)
  })

  test('cuts off a WebSocket whose client does not answer, after drainMs', async () => {
    const { port, close } = await serve(createBench({ options: subscribed }), { drainMs: 200 })
    const socket = connect(port, '127.0.0.1')
    const key = Buffer.alloc(16).toString('base64')
    const head = ['GET /graphql HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Upgrade: websocket', 'Connection: Upgrade']
    const websocket = [`Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13']
    socket.write([...head, ...websocket, 'Sec-WebSocket-Protocol: graphql-transport-ws', '', ''].join('\r\n'))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1\.1 101/)
    const elapsed = startStopwatch(200)
    await close()
    expectWithin(2000, 'closing beside a WebSocket that does not answer took', elapsed())
    socket.destroy()
  })

  test('fails when the stores take longer than closeMs', async () => {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const stores = { ...createMemoryStores(), close: () => new Promise<void>(() => {}) }
      const server = createBench({ options: { stores } }).server
      const listener = await listen(server, { port: 0, closeOn: [], print: null, closeMs: 200 })
      const elapsed = startStopwatch(200)
      await expect(listener.close()).rejects.toThrow('the service was not closed within 200 ms ("closeMs")')
      times.push(elapsed())
      await expect(listener.closed).rejects.toThrow('closeMs')
    }
    expectWithin(300, 'closing with a limit of 200 ms failed after', times)
  })

  test('starts with a signal; a second signal has its usual effect', async () => {
    const before = process.listenerCount(signal)
    const bench = createSlowBench()
    const { inside, release } = bench
    const { url, port } = await serve(bench, { closeOn: [signal] })
    expect(process.listenerCount(signal)).toBe(before + 1)
    const slow = fetch(`${url}/graphql?query={hello}`)
    await inside
    process.kill(process.pid, signal)
    await expect.poll(() => process.listenerCount(signal)).toBe(before)
    await expect.poll(() => isTaken(port)).toBe(false)
    release()
    expect((await slow).status).toBe(200)
  })

  test('by hand removes the signal listeners', async () => {
    const before = process.listenerCount(signal)
    const { close } = await serve(createBench(), { closeOn: [signal] })
    await close()
    expect(process.listenerCount(signal)).toBe(before)
  })

  test('rejects for its caller if it fails', async () => {
    const stores = { ...createMemoryStores(), close: () => Promise.reject(new Error('the disk is gone')) }
    const listener = await listen(createBench({ options: { stores } }).server, { port: 0, closeOn: [], print: null })
    await expect(listener.close()).rejects.toThrow('the disk is gone')
  })

  // Half a minute: TEST_TIER=3 vitest run packages/server/test/service/listen.test.ts
  if (process.env.TEST_TIER === '3') {
    test('in the long mode: a slow client is answered within 1.1 s after its limit', async () => {
      const { port } = await serve(createBench())
      const answerTo = async (text: string) => {
        const start = performance.now()
        const socket = connect(port, '127.0.0.1')
        socket.write(text)
        const answer = await readText(socket)
        return { answer, milliseconds: performance.now() - start }
      }
      const head = `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
      const [silent, body] = await Promise.all([answerTo(head), answerTo(`${head}Content-Length: 100\r\n\r\n{`)])
      for (const { answer } of [silent, body]) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 /)
        expect(answer).toContain('\r\nX-Frame-Options: DENY\r\n')
      }
      expectWithin(11_100, 'a head that does not end, limit of 10 s: answered after', silent.milliseconds)
      expectWithin(31_100, 'a body that does not end, limit of 30 s: answered after', body.milliseconds)
    })
  }
})
