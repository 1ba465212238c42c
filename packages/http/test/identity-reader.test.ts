import {
  createHttpHandler,
  createIdentityReader,
  createSessionCookie,
  type IdentityReader,
  type IdentityReading,
} from '@latchkey/http'
import { describe, expect, test } from 'vitest'

const cookie = createSessionCookie()
const session = { cookie, verify: async (credential: string) => (credential === 'se' ? 'ada' : null) }
const bearer = { verify: async (token: string) => (token === 'token' ? 'grace' : null) }
const both = createIdentityReader({ cookie: session, bearer })
const none = { credential: null, identity: null }

async function read<I>(reader: IdentityReader<I>, headers: Record<string, string>): Promise<IdentityReading<I>> {
  const { promise, resolve, reject } = Promise.withResolvers<IdentityReading<I>>()
  const handler = createHttpHandler(async (request) => {
    await reader.read(request).then(resolve, reject)
    return { status: 204, headers: [], body: null }
  })
  await handler.fetch(new Request('https://example.com/', { headers }))
  return promise
}

describe('an identity', () => {
  test.each<[string, Record<string, string>, IdentityReading<string>]>([
    ['nothing', {}, none],
    ['a cookie', { cookie: '__Host-session=se' }, { credential: 'cookie', identity: 'ada' }],
    ['a bearer token', { authorization: 'Bearer token' }, { credential: 'bearer', identity: 'grace' }],
    ['a refused cookie', { cookie: '__Host-session=xx' }, { credential: 'cookie', identity: null }],
    ['two cookies', { cookie: '__Host-session=se; __Host-session=se' }, { credential: 'cookie', identity: null }],
    ['a cookie of odd case', { cookie: '__host-session=se' }, { credential: 'cookie', identity: null }],
    ['a cookie of another site', { cookie: 'theme=dark' }, none],
    ['another scheme', { authorization: 'Basic YTpi' }, none],
    [
      'another scheme and a cookie',
      { authorization: 'Basic YTpi', cookie: '__Host-session=se' },
      { credential: 'cookie', identity: 'ada' },
    ],
  ])('is read from %s', async (_what, headers, reading) => {
    expect(await read(both, headers)).toEqual(reading)
  })

  test.each([
    ['a good token', 'Bearer token', 'grace'],
    ['a refused token', 'Bearer other', null],
    ['a malformed token', 'Bearer token token', null],
    ['no token', 'Bearer', null],
    ['two tokens', 'Bearer token, Bearer token', null],
    ['a second scheme', 'Basic YTpi, bearer token', null],
    ['a tab for the space', 'bearer\ttoken', null],
    ['a colon', 'Bearer: token', null],
  ])('is read from the bearer alone when a cookie comes with %s', async (_what, authorization, identity) => {
    const headers = { authorization, cookie: '__Host-session=se' }
    expect(await read(both, headers)).toEqual({ credential: 'bearer', identity })
    expect(await read(createIdentityReader({ cookie: session }), headers)).toEqual({
      credential: 'bearer',
      identity: null,
    })
  })

  test.each([
    ['a malformed token', { authorization: 'Bearer token token' }],
    ['two cookies', { cookie: '__Host-session=se; __Host-session=se' }],
  ])('is not verified for %s', async (_what, headers) => {
    const asked: unknown[] = []
    const verify = async (shown: string) => {
      asked.push(shown)
      return 'ada'
    }
    const reader = createIdentityReader({ cookie: { cookie, verify }, bearer: { verify } })
    expect((await read(reader, headers)).identity).toBeNull()
    expect(asked).toEqual([])
  })

  test('is not read from a cookie when none is expected', async () => {
    expect(await read(createIdentityReader({ bearer }), { cookie: '__Host-session=se' })).toEqual(none)
  })

  test.each([
    ['cookie', { cookie: '__Host-session=se' }],
    ['authorization', { authorization: 'Bearer token' }],
  ])('is never taken for absent while the verifier of the %s fails', async (_what, headers) => {
    const outage = new Error('the store is unreachable')
    const verify = () => Promise.reject(outage)
    const reader = createIdentityReader({ cookie: { cookie, verify }, bearer: { verify } })
    await expect(read(reader, headers)).rejects.toBe(outage)
  })

  const shown: unknown[] = []
  const proven = createIdentityReader({
    cookie: session,
    bearer,
    dpop: {
      async verify(token, { method, target }) {
        shown.push([token, method, target])
        return token === 'token' ? 'lovelace' : null
      },
    },
  })

  test.each([
    ['DPoP token', 'lovelace'],
    ['dpop  token', 'lovelace'],
    ['DPoP other', null],
    ['DPoP token token', null],
    ['DPoP', null],
    ['DPoP token, DPoP token', null],
    ['DPoP token, Bearer token', null],
    ['Bearer token, DPoP token', null],
    ['Bearer token', 'grace'],
  ])('is read from the token alone if it has a proof of its key: %s', async (authorization, identity) => {
    const headers = { authorization, cookie: '__Host-session=se' }
    expect(await read(proven, headers)).toEqual({ credential: 'bearer', identity })
  })

  test('is not read from more than a token can be', async () => {
    const headers = { authorization: `DPoP ${'x'.repeat(8300)}` }
    expect(await read(proven, headers)).toEqual({ credential: 'bearer', identity: null })
  })

  test('is verified with the method and the target that the proof must be for', async () => {
    shown.length = 0
    await read(proven, { authorization: 'DPoP token' })
    expect(shown).toEqual([['token', 'GET', '/']])
  })

  test('is not read from a token with a proof if dpop is not configured', async () => {
    const headers = { authorization: 'DPoP token', cookie: '__Host-session=se' }
    expect(await read(both, headers)).toEqual({ credential: 'cookie', identity: 'ada' })
  })

  test('cannot be read without any verifier', () => {
    expect(() => createIdentityReader({})).toThrow(TypeError)
    expect(() => createIdentityReader({ bearer, dpop: {} as never })).toThrow('"dpop" must be { verify }')
  })
})
