import { once } from 'node:events'
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

test("the headers of a framework's request suffice for readers of headers", async () => {
  const sent = new Map(new Headers(headers))
  expect(forgery.checkOrigin({ headers: sent })).toEqual({ ok: false, reason: 'cross-site' })
  expect(await identities.read({ headers: sent })).toEqual({ credential: 'cookie', identity: 'ada' })
  expect(addresses.read({ headers: sent, peerAddress: '127.0.0.1' })).toBe('203.0.113.7')
})

test.each([
  ['Fetch', async (sent: Headers) => fromFetchRequest(new Request(url, { headers: sent }))],
  ['node:http', seenByNode],
])('headers and cookies of %s are maps, which are parsed once', async (_what, viewOf) => {
  const request = await viewOf(new Headers({ cookie: 'theme=dark; __Host-session=se_1; theme=light; x="1"' }))
  const { headers: sent, cookies } = request
  expect(cookies.get('__host-session')).toBe(cookies.get('__host-session'))
  expect([sent.size, sent.has('cookie'), [...sent.keys()].includes('cookie')]).toEqual([[...sent].length, true, true])
  expect([...cookies]).toEqual([
    ['theme', { name: 'theme', value: null }],
    ['__host-session', { name: '__Host-session', value: 'se_1' }],
    ['x', { name: 'x', value: null }],
  ])
  const cookie = createSessionCookie()
  expect([cookie.isSent(request), cookie.read(request)]).toEqual([true, 'se_1'])
})

test('a copy of a request has its headers and cookies', async () => {
  const request = await seenByNode(new Headers({ cookie: '__Host-session=se_1' }))
  const copy = { ...request, method: 'PUT' }
  expect(createSessionCookie().read(copy)).toBe('se_1')
  expect(copy.headers.get('cookie')).toBe('__Host-session=se_1')
})

/** Returns a request as a route of `node:http` has it. */
async function seenByNode(sent: Headers): Promise<HttpRequest> {
  const { promise, resolve } = Promise.withResolvers<HttpRequest>()
  const own = createServer((message, response) => {
    resolve(fromNodeRequest(message, response))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(own, 'listening')
  await (await fetch(`http://127.0.0.1:${(own.address() as AddressInfo).port}/`, { headers: sent })).text()
  own.close()
  return promise
}
