import { createAddressReader, createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { expect, test } from 'vitest'

const origins = ['https://example.com']
const secrets = [{ id: 'a', bytes: new Uint8Array(32) }]
const verify = async () => null

test.each([
  ['createSessionCookie has no option "maxAge"', () => createSessionCookie({ maxAge: 60 } as never)],
  ['createSessionCookie has no option "secure"', () => createSessionCookie({ secure: true } as never)],
  ['createForgeryCheck has no option "origin"', () => createForgeryCheck({ origins, secrets, origin: '' } as never)],
  ['"secrets": each secret is { id, bytes }', () => createForgeryCheck({ origins, secrets: ['text'] } as never)],
  ['createAddressReader has no option "trustProxy"', () => createAddressReader({ trustProxy: true } as never)],
  ['"trustedProxies" must be a list', () => createAddressReader({ trustedProxies: true } as never)],
  ['"cookie" must be { cookie, verify }', () => createIdentityReader({ cookie: { verify } } as never)],
  ['"cookie" must be', () => createIdentityReader({ cookie: { cookie: createSessionCookie() } } as never)],
  ['"bearer" must be { verify }', () => createIdentityReader({ bearer: verify } as never)],
])('nothing is made with a wrong option: %s', (message, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
