import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { nodeStart, type Quickstart, startQuickstart } from './support/start-quickstart.ts'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')
const query = '/graphql?query={articles{title}}'

/** Asks the address that it listens on, by whatever host. */
async function ask(service: Quickstart, host: string, path = query, options: RequestOptions = {}) {
  const { hostname, port } = new URL(service.url)
  const headers = { host, ...options.headers }
  const sent = request({
    hostname: hostname.replace(/[[\]]/g, ''),
    port,
    path,
    agent: false,
    ...options,
    headers,
  }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, text: await readText(response) }
}
const statusOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).status

async function start(environment: Readonly<Record<string, string>>): Promise<Quickstart> {
  const service = await startQuickstart({ DATA_DIR: ':memory:', ...environment }, nodeStart)
  onTestFinished(async () => void (await service.stop()))
  return service
}

describe('a service with several hosts', () => {
  let service: Quickstart
  beforeAll(async () => {
    service = await startQuickstart(
      {
        DATA_DIR: ':memory:',
        PUBLIC_URL: 'https://publication.example',
        ALLOWED_ORIGINS: 'https://www.publication.example',
        ALLOWED_HOSTS: 'inner.example, 10.0.0.5:4000',
        TRUSTED_PROXIES: '127.0.0.1',
      },
      nodeStart,
    )
  })
  afterAll(() => service.stop())

  test('the start prints the address and the public names', () => {
    expect(service.output()).toMatch(
      /^Latchkey is listening on http:\/\/127\.0\.0\.1:\d+\/graphql \(PUBLIC_URL: https:\/\/publication\.example\)$/m,
    )
  })

  test('the service answers hosts of PUBLIC_URL, ALLOWED_ORIGINS and ALLOWED_HOSTS, and localhost', async () => {
    const { port } = new URL(service.url)
    for (const host of [
      'publication.example',
      'PUBLICATION.example.:443',
      'www.publication.example',
      'inner.example',
      '10.0.0.5:4000',
      `localhost:${port}`,
    ]) {
      expect([host, await statusOf(service, host)]).toEqual([host, 200])
    }
  })

  test.each([query, '/graphql/stream', '/', '/graphiql', '/graphiql/react.js', '/verify?token=t', '/nothing'])(
    'answers 421 for another host at %s',
    async (path) => {
      expect(await ask(service, 'evil.example', path)).toEqual({
        status: 421,
        text: expect.stringContaining('ALLOWED_HOSTS'),
      })
    },
  )

  test('names the settings once for each host in its log, with the advice of the response', async () => {
    await statusOf(service, 'evil.example')
    await statusOf(service, 'rebound.example')
    await statusOf(service, 'rebound.example')
    const lines = () => service.output().match(/^.*rebound\.example.*$/gm) ?? []
    await vi.waitFor(() => expect(lines()).toHaveLength(1))
    const { text } = await ask(service, 'rebound.example')
    const [advice] =
      /use the address in its PUBLIC_URL\. If people .* PUBLIC_URL .* ALLOWED_ORIGINS.*ALLOWED_HOSTS\./.exec(text) ?? [
        'no advice',
      ]
    expect(lines()).toEqual([`A request for the host rebound.example was refused: ${advice}`])
    expect(service.output().match(/evil\.example/g)).toHaveLength(1)
  })

  test('answers 400 for two hosts', async () => {
    const { hostname, port } = new URL(service.url)
    const two = request({
      hostname,
      port,
      path: query,
      agent: false,
      setHost: false,
      headers: ['Host', 'a', 'Host', 'a'],
    })
    const [response] = (await once(two.end(), 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(400)
  })

  test('answers the probes for any host, and a trusted proxy may hand the host over', async () => {
    expect(await statusOf(service, '10.9.9.9', '/healthz')).toBe(200)
    expect(await statusOf(service, '10.9.9.9', '/readyz')).toBe(200)
    const headers = { 'x-forwarded-host': 'publication.example' }
    expect(await statusOf(service, '127.0.0.1:4000', query, { headers })).toBe(200)
  })

  test('the host of a WebSocket is checked', async () => {
    const open = (host: string) =>
      new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], { headers: { host } })
    const [error] = await once(open('evil.example'), 'error')
    expect(error.message).toContain('421')
    const socket = open('publication.example')
    await once(socket, 'open')
    socket.terminate()
  })
})

test('without settings, 127.0.0.1 and localhost are served, and the line of the start names the address alone', async () => {
  const service = await start({})
  const { host, port } = new URL(service.url)
  expect(service.output()).toMatch(/^Latchkey is listening on http:\/\/127\.0\.0\.1:\d+\/graphql$/m)
  expect([await statusOf(service, host), await statusOf(service, `localhost:${port}`)]).toEqual([200, 200])
  expect(await statusOf(service, 'evil.example')).toBe(421)
  const forged = { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  expect(await statusOf(service, 'evil.example', '/graphql', { method: 'POST', headers: forged })).toBe(421)
})

test.for([
  ['127.0.0.2', /on http:\/\/127\.0\.0\.2:\d+\/graphql$/m],
  ['0.0.0.0', /on http:\/\/0\.0\.0\.0:(\d+)\/graphql \(PUBLIC_URL: http:\/\/127\.0\.0\.1:\1\)$/m],
  ['::1', /on http:\/\/\[::1\]:\d+\/graphql$/m],
] as const)('HOST=%s is the address that it listens on', async ([HOST, line], { skip }) => {
  skip(HOST === '::1' && !hasIpv6, 'this machine has no IPv6')
  const service = await start({ HOST })
  expect(service.output()).toMatch(line)
  const { port } = new URL(service.url)
  const host = HOST === '0.0.0.0' ? `127.0.0.1:${port}` : new URL(service.url).host
  expect(await statusOf(service, host)).toBe(200)
})

test('COOKIES=plain-http says in one line that cookies are weaker', async () => {
  const service = await start({ COOKIES: 'plain-http' })
  expect(service.output().match(/^.*COOKIES=plain-http.*$/gm)).toEqual([expect.stringContaining('without Secure')])
})
