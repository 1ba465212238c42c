import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { nodeStart, type Quickstart, startQuickstart } from './support/start-quickstart.ts'

/** What the packages allow one address. */
const socketsPerAddress = 100

/** Opens a socket for a client of the proxy; returns the status with which it was refused, or 101. */
async function open(service: Quickstart, client: string): Promise<number | undefined> {
  const headers = { 'x-forwarded-for': client }
  const url = `${service.url.replace('http', 'ws')}/graphql`
  const socket = new WebSocket(url, ['graphql-transport-ws'], { headers })
  onTestFinished(() => socket.terminate())
  socket.on('error', () => undefined)
  const refused = once(socket, 'unexpected-response').then(([, response]) => (response as IncomingMessage).statusCode)
  const accepted = once(socket, 'open').then(() => 101)
  const status = await Promise.race([refused, accepted])
  void Promise.allSettled([refused, accepted])
  // A socket that says nothing is closed after three seconds.
  if (status === 101) socket.send('{"type":"connection_init"}')
  return status
}

describe.each([
  ['behind a proxy of TRUSTED_PROXIES', '127.0.0.1, 10.0.0.0/8', 101],
  ['behind a proxy that is not listed, whose header anybody could send', '10.0.0.0/8', 429],
])('a service %s', (_where, TRUSTED_PROXIES, status) => {
  let service: Quickstart
  beforeAll(async () => {
    service = await startQuickstart({ DATA_DIR: ':memory:', TRUSTED_PROXIES }, nodeStart)
  })
  afterAll(() => service.stop())

  test(`answers the next client with ${status} when one client has all the connections of an address`, async () => {
    const statuses = []
    for (let index = 0; index < socketsPerAddress; index++) statuses.push(await open(service, '203.0.113.7'))
    expect(new Set(statuses)).toEqual(new Set([101]))
    expect(await open(service, '203.0.113.7')).toBe(429)
    expect(await open(service, '203.0.113.8')).toBe(status)
  })
})
