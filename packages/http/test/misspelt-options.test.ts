import {
  createAddressReader,
  createCors,
  createForgeryCheck,
  createHttpHandler,
  createIdentityReader,
  createSessionCookie,
} from '@latchkey/http'
import { createFairQueue } from '@latchkey/http/fair-queue'
import { toNodeListener } from '@latchkey/http/node'
import { expect, test } from 'vitest'

const origins = ['https://example.com']
const secrets = [{ id: 'a', bytes: new Uint8Array(32) }]
const verify = async () => null
const cookie = createSessionCookie()
const misspelt = { verify, verfy: verify }
const handle = async () => ({ status: 200, headers: [], body: null })

test.each([
  ['createSessionCookie has no option "maxAge"', () => createSessionCookie({ maxAge: 60 } as never)],
  ['createSessionCookie has no option "secure"', () => createSessionCookie({ secure: true } as never)],
  ['createForgeryCheck has no option "origin"', () => createForgeryCheck({ origins, secrets, origin: '' } as never)],
  ['createFairQueue has no option "shares". Did you mean "share"?', () => createFairQueue({ shares: 0.5 } as never)],
  ['createCors has no option "origin"', () => createCors({ origin: origins } as never)],
  ['"secrets": each secret is { id, bytes }', () => createForgeryCheck({ origins, secrets: ['text'] } as never)],
  ['createAddressReader has no option "trustProxy"', () => createAddressReader({ trustProxy: true } as never)],
  ['"trustedProxies" must be a list', () => createAddressReader({ trustedProxies: true } as never)],
  ['"cookie" must be { cookie, verify }', () => createIdentityReader({ cookie: { verify } } as never)],
  ['"cookie" must be', () => createIdentityReader({ cookie: { cookie: createSessionCookie() } } as never)],
  ['"bearer" must be { verify }', () => createIdentityReader({ bearer: verify } as never)],
  ['"cookie" has no option "maxAge"', () => createIdentityReader({ cookie: { cookie, verify, maxAge: 1 } } as never)],
  ['"bearer" has no option "verfy". Did you mean "verify"?', () => createIdentityReader({ bearer: misspelt } as never)],
  [
    'createHttpHandler has no option "peerAdress". Did you mean "peerAddress"?',
    () => createHttpHandler(handle, { peerAdress: () => null } as never),
  ],
  ['createHttpHandler takes an object with "peerAddress"', () => createHttpHandler(handle, null as never)],
  [
    'toNodeListener has no option "onerror". Did you mean "onError"?',
    () => toNodeListener({ handle }, { onerror: () => undefined } as never),
  ],
])('factories throw for a wrong option: %s', (message, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
