import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createAddressReader,
  createForgeryCheck,
  createIdentityReader,
  createSessionCookie,
  fromFetchRequest,
  type HttpRequest,
} from '@latchkey/http'
import { fromNodeRequest } from '@latchkey/http/node'
import { afterAll, expect, test } from 'vitest'

const addresses = createAddressReader({ trustedProxies: ['127.0.0.1'] })
const forgery = createForgeryCheck({
  origins: ['https://example.com'],
  secrets: [{ id: 'a', bytes: new Uint8Array(32) }],
})
const identities = createIdentityReader({
  cookie: { cookie: createSessionCookie(), verify: async (credential) => (credential === 'se_1' ? 'ada' : null) },
})

async function whatIsSeen(request: HttpRequest): Promise<unknown> {
  const { identity } = await identities.read(request)
  const { method, target } = request
  return { identity, isOurs: forgery.checkOrigin(request).ok, address: addresses.read(request), method, target }
}

const server = createServer(async (request, response) => {
  const seen = fromNodeRequest(request, response)
  response.end(JSON.stringify([await whatIsSeen(seen), await seen.body(100)]))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes?page=2`

const headers = {
  cookie: '__Host-session=se_1',
  origin: 'https://elsewhere.example',
  'sec-fetch-site': 'cross-site',
  'x-forwarded-for': '203.0.113.7',
}
const seen = { identity: 'ada', isOurs: false, address: '203.0.113.7', method: 'POST', target: '/notes?page=2' }

test('a route of node:http has its request read by every reader', async () => {
  const answer = await fetch(url, { method: 'POST', headers, body: 'words' })
  expect(await answer.json()).toEqual([seen, 'words'])
})

test('a route on Fetch has its request read by every reader', async () => {
  const request = new Request(url, { method: 'POST', headers, body: 'words' })
  const view = fromFetchRequest(request, '127.0.0.1')
  expect([await whatIsSeen(view), await view.body(100)]).toEqual([seen, 'words'])
})

test('on Fetch the address is not known unless it is passed', async () => {
  expect(addresses.read(fromFetchRequest(new Request(url, { headers })))).toBeNull()
})

test('what a framework has of a request is enough for those who read headers only', async () => {
  const header = (name: string) => new Headers(headers).get(name)
  expect(forgery.checkOrigin({ header })).toEqual({ ok: false, reason: 'cross-site' })
  expect(await identities.read({ header })).toEqual({ credential: 'cookie', identity: 'ada' })
  expect(addresses.read({ header, peerAddress: '127.0.0.1' })).toBe('203.0.113.7')
})
