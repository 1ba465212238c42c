import { setTimeout } from 'node:timers/promises'
import type { RequestIdentity } from '@latchkey/graphql'
import { createIdentityReader, type HttpRequest } from '@latchkey/http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  bearer,
  cookie,
  forgery,
  policy,
  read,
  refreshCookie,
  type Service,
  serve,
  sessionCookie,
} from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.ran.length = 0
})

const signIn = 'mutation { signIn(password: "right") { ok } }'
const update = 'mutation { updateArticle(id: 1) { id } }'
const token = { 'x-csrf-token': forgery.createToken('se_author') }

const foreign: readonly (readonly [string, Record<string, string>])[] = [
  ['a cross-site page', { 'sec-fetch-site': 'cross-site', origin: 'https://example.com' }],
  ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
  ['an unlisted origin', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['an unknown word', { 'sec-fetch-site': 'other' }],
]
const own: readonly (readonly [string, Record<string, string>])[] = [
  ['a page of ours', { 'sec-fetch-site': 'same-origin', origin: 'https://example.com' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['a listed origin', { origin: 'https://example.com' }],
  ['no browser', {}],
]

describe.each(foreign)('a request from %s', (_what, headers) => {
  test('is refused with a session cookie, whichever operation it has', async () => {
    for (const query of ['{ hello }', update, signIn]) {
      const answer = await ask(service, { query, headers: { ...cookie('author'), ...token, ...headers } })
      expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(service.ran).toEqual([])
  })

  test('is refused with a refresh cookie, and with both a bearer token and a cookie', async () => {
    const refresh = { cookie: `${refreshCookie.name}=rt_1` }
    for (const sent of [refresh, { ...cookie('author'), ...bearer('author') }]) {
      const answer = await ask(service, { query: '{ hello }', headers: { ...sent, ...headers } })
      expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    }
    expect(service.ran).toEqual([])
  })

  test('is refused at a credential field, cookie or not', async () => {
    for (const sent of [{}, bearer('author')]) {
      const answer = await ask(service, { query: signIn, headers: { ...sent, ...headers } })
      expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    }
    expect(service.ran).toEqual([])
  })

  test('is answered with a bearer alone, and without an identity', async () => {
    expect(await ask(service, { query: update, headers: { ...bearer('author'), ...headers } })).toMatchObject({
      status: 200,
    })
    expect(await ask(service, { query: '{ hello }', headers })).toMatchObject({ status: 200 })
    const other = { cookie: 'theme=dark', ...headers }
    expect(await ask(service, { query: '{ hello }', headers: other })).toMatchObject({ status: 200 })
  })

  test('costs no look-up of the session', async () => {
    let lookedUp = 0
    const verify = async () => {
      lookedUp += 1
      return policy.identify(null)
    }
    const counting = await serve({ identify: createIdentityReader({ cookie: { cookie: sessionCookie, verify } }) })
    await ask(counting, { query: '{ hello }', headers: { ...cookie('author'), ...headers } })
    expect(lookedUp).toBe(0)
    await ask(counting, { query: '{ hello }', headers: cookie('author') })
    expect(lookedUp).toBe(1)
    await counting.close()
  })
})

describe.each(own)('a request from %s', (_what, headers) => {
  test('is answered with a session cookie', async () => {
    const sent = { ...cookie('author'), ...headers }
    expect(await ask(service, { query: '{ viewer }', headers: sent })).toMatchObject({ status: 200 })
    expect(await ask(service, { query: update, headers: { ...sent, ...token } })).toMatchObject({ status: 200 })
    expect(await ask(service, { query: signIn, headers })).toMatchObject({ status: 200 })
  })

  test('is accepted as a plain GET with a session cookie', async () => {
    const sent = { ...cookie('author'), ...headers }
    expect(await read(await fetch(`${service.url}?query={viewer}`, { headers: sent }))).toMatchObject({ status: 200 })
  })
})

describe('the token of a mutation', () => {
  test.each([
    ['missing', {}],
    ['empty', { 'x-csrf-token': '' }],
    ['of another session', { 'x-csrf-token': forgery.createToken('se_admin') }],
    ['sent twice', { 'x-csrf-token': `${token['x-csrf-token']}, ${token['x-csrf-token']}` }],
    ['in another header', { 'x-xsrf-token': token['x-csrf-token'], 'x-requested-with': 'XMLHttpRequest' }],
  ])('is refused when it is %s', async (_what, headers) => {
    const answer = await ask(service, { query: update, headers: { ...cookie('author'), ...headers } })
    expect(answer).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    expect(service.ran).toEqual([])
  })

  test('is named by its header when it is missing', async () => {
    const answer = await ask(service, { query: update, headers: cookie('author') })
    expect(answer.body.errors[0].message).toContain('x-csrf-token')
  })

  test.each([
    ['missing', {}],
    ['empty', { 'x-csrf-token': '' }],
    ['of another session', { 'x-csrf-token': forgery.createToken('se_admin') }],
  ])('is in the header of the refusal when it alone is %s, and is accepted', async (_what, headers) => {
    for (const [, sender] of own) {
      const sent = { ...cookie('author'), ...sender }
      const refused = await ask(service, { query: update, headers: { ...sent, ...headers } })
      expect(refused).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
      const shown = { 'x-csrf-token': refused.headers.get('x-csrf-token') ?? '' }
      expect(forgery.verifyToken(shown['x-csrf-token'], 'se_author')).toBe(true)
      expect(await ask(service, { query: update, headers: { ...sent, ...shown } })).toMatchObject({ status: 200 })
    }
  })

  test.each<[string, string, Record<string, string>, number]>([
    ...foreign.map(([who, headers]): [string, string, Record<string, string>, number] => [
      `to ${who}`,
      update,
      { ...cookie('author'), ...headers },
      403,
    ]),
    ['beside a session that has ended', update, cookie('ended'), 401],
    ['beside a bearer', signIn, { ...bearer('author'), ...foreign[0]?.[1] }, 403],
    ['where it was right', update, { ...cookie('reader'), 'x-csrf-token': forgery.createToken('se_reader') }, 403],
    ['to a query', '{ accounts }', cookie('author'), 403],
  ])('is in no refusal %s', async (_what, query, headers, status) => {
    const refused = await ask(service, { query, headers })
    expect([refused.status, refused.headers.get('x-csrf-token')]).toEqual([status, null])
    expect(service.ran).toEqual([])
  })

  test('is in no refusal of a forged request that the cookies let pass, or without a session key', async () => {
    const unguarded = await serve({ cookies: [] })
    const headers = { ...cookie('author'), 'sec-fetch-site': 'cross-site' }
    const forged = await ask(unguarded, { query: update, headers })
    expect([forged.status, forged.headers.get('x-csrf-token')]).toEqual([403, null])
    await unguarded.close()
    const verify = async () => policy.identify({ subject: 'author', roles: ['AUTHOR'], key: '' })
    const keyless = await serve({ identify: createIdentityReader({ cookie: { cookie: sessionCookie, verify } }) })
    const unkeyed = await ask(keyless, { query: update, headers: cookie('author') })
    expect([unkeyed.status, unkeyed.headers.get('x-csrf-token')]).toEqual([403, null])
    await keyless.close()
  })

  test.each([
    ['empty', '', 200],
    ['its own', forgery.createToken('se_author'), 200],
    ['of another session', forgery.createToken('se_admin'), 403],
    ['malformed', 'a.b.c', 403],
  ])('is checked in a query if it is present: %s', async (_what, shown, status) => {
    const headers = { ...cookie('author'), 'x-csrf-token': shown }
    const posted = await ask(service, { query: '{ viewer }', headers })
    const got = await read(await fetch(`${service.url}?query={viewer}`, { headers }))
    expect([posted.status, got.status]).toEqual([status, status])
    expect(posted.codes).toEqual(status === 200 ? [] : ['CSRF_REJECTED'])
    if (status === 403) expect(posted.body).not.toHaveProperty('data')
    const offered = posted.headers.get('x-csrf-token')
    expect(status === 403 ? forgery.verifyToken(offered, 'se_author') : offered === null).toBe(true)
  })

  test('is checked in each query of a batch', async () => {
    const batching = await serve({ requestLimits: { batchSize: 2 } })
    const headers = { ...cookie('author'), 'x-csrf-token': forgery.createToken('se_admin') }
    const body = JSON.stringify([{ query: '{ viewer }' }, { query: '{ hello }' }])
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const response = await fetch(batching.url, init)
    const answers = await response.json()
    expect(answers).toMatchObject([1, 2].map(() => ({ errors: [{ extensions: { code: 'CSRF_REJECTED' } }] })))
    expect([answers.some((one: object) => 'data' in one), batching.ran]).toEqual([false, []])
    await batching.close()
  })

  test('is not checked in a query with a bearer token or a revoked session', async () => {
    for (const sent of [{ ...bearer('author'), ...cookie('author') }, cookie('ended')]) {
      const headers = { ...sent, 'x-csrf-token': forgery.createToken('se_admin') }
      expect(await ask(service, { query: '{ hello }', headers })).toMatchObject({ status: 200 })
    }
  })

  test('is required for public mutations and sign-ins if the cookie has a session', async () => {
    for (const query of ['mutation { note { id } }', signIn]) {
      expect(await ask(service, { query, headers: cookie('author') })).toMatchObject({ status: 403 })
      expect(await ask(service, { query, headers: { ...cookie('author'), ...token } })).toMatchObject({ status: 200 })
      expect(await ask(service, { query, headers: cookie('ended') })).toMatchObject({ status: 200 })
    }
  })

  test('is not asked over a bearer', async () => {
    const headers = { ...bearer('author'), ...cookie('author') }
    expect(await ask(service, { query: update, headers })).toMatchObject({ status: 200 })
  })

  test('is of no use to an identity without a session key', async () => {
    const verify = async () => policy.identify({ subject: 'author', roles: ['AUTHOR'] })
    const keyless = await serve({ identify: createIdentityReader({ cookie: { cookie: sessionCookie, verify } }) })
    const headers = { ...cookie('author'), 'x-csrf-token': forgery.createToken('null') }
    expect(await ask(keyless, { query: update, headers })).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    await keyless.close()
  })
})

describe('a handler', () => {
  test('without "cookies" takes any cookie for one that might be a session', async () => {
    const wary = await serve({ without: ['cookies'] })
    const headers = { cookie: 'theme=dark', 'sec-fetch-site': 'cross-site' }
    expect(await ask(wary, { query: '{ hello }', headers })).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    expect(await ask(wary, { query: '{ hello }', headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({
      status: 200,
    })
    expect(await ask(wary, { query: '{ hello }', headers: { cookie: 'theme=dark' } })).toMatchObject({ status: 200 })
    await wary.close()
  })

  test('without "forgery" refuses only mutations over a cookie and credential fields', async () => {
    const bare = await serve({ without: ['forgery'] })
    for (const [query, headers] of [
      [signIn, {}],
      [signIn, bearer('author')],
      [update, { ...cookie('author'), ...token }],
    ] as const) {
      expect(await ask(bare, { query, headers })).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    }
    expect(bare.ran).toEqual([])
    expect(await ask(bare, { query: update, headers: bearer('author') })).toMatchObject({ status: 200 })
    expect(await ask(bare, { query: '{ viewer }', headers: cookie('author') })).toMatchObject({ status: 200 })
    await bare.close()
  })

  test('answers a forged request with a cookie if "cookies" is empty', async () => {
    const unguarded = await serve({ cookies: [] })
    const headers = { ...cookie('author'), 'sec-fetch-site': 'cross-site' }
    expect(await ask(unguarded, { query: '{ hello }', headers })).toMatchObject({ status: 200 })
    expect(await ask(unguarded, { query: signIn, headers })).toMatchObject({ status: 403, codes: ['CSRF_REJECTED'] })
    await unguarded.close()
  })
})

describe('respond', () => {
  const identity = policy.identify({ subject: 'author', roles: ['AUTHOR'] })
  const known: RequestIdentity = { credential: 'bearer', identity, forged: false, headers: [] }

  test('responds for the identity that it is given, with its headers', async () => {
    const headers = [['x-request-id', '7']] as const
    const fine = await service.handler.respond(requestOf({ query: '{ viewer }' }), { ...known, forged: true, headers })
    expect(fine).toMatchObject({ status: 200, body: '{"data":{"viewer":"you"}}' })
    expect(fine.headers).toContainEqual(['x-request-id', '7'])
    const anonymous = { ...known, identity: null }
    expect(await service.handler.respond(requestOf({ query: '{ viewer }' }), anonymous)).toMatchObject({ status: 401 })
  })

  test('rejects a credential field of a forged request', async () => {
    expect(await service.handler.respond(requestOf({ query: signIn }), { ...known, forged: true })).toMatchObject({
      status: 403,
    })
    expect(service.ran).toEqual([])
    expect(await service.handler.respond(requestOf({ query: signIn }), known)).toMatchObject({ status: 200 })
  })

  test.each([
    ['a session cookie', cookie('author').cookie, 403],
    ['a refresh cookie', `${refreshCookie.name}=rt_1`, 403],
    ['a cookie that is not guarded', 'theme=dark', 200],
  ])('answers a forged request with %s: %#', async (_what, sent, status) => {
    const request = requestOf({ query: '{ hello }' }, { cookie: sent ?? '' })
    expect(await service.handler.respond(request, { ...known, forged: true })).toMatchObject({ status })
    expect(await service.handler.respond(request, known)).toMatchObject({ status: 200 })
  })

  test('rejects a request that is not well-formed', async () => {
    const request = { ...requestOf({ query: '{ hello }' }), method: 'PUT' }
    expect(await service.handler.respond(request, known)).toMatchObject({ status: 405 })
  })

  test('reads the identity again after a late body, and not otherwise', async () => {
    let readAgain = 0
    const reidentify = async () => {
      readAgain += 1
      return { credential: 'bearer', identity: null } as const
    }
    const request = requestOf({ query: '{ viewer }' })
    expect(await service.handler.respond(request, { ...known, reidentify })).toMatchObject({ status: 200 })
    expect(readAgain).toBe(0)
    const late = { ...request, body: (limit: number) => setTimeout(300).then(() => request.body(limit)) }
    expect(await service.handler.respond(late, { ...known, reidentify })).toMatchObject({ status: 401 })
    expect(readAgain).toBe(1)
  })
})

function requestOf(params: { readonly query: string }, more: Readonly<Record<string, string>> = {}): HttpRequest {
  const { signal } = new AbortController()
  const headers = new Map(Object.entries({ 'content-type': 'application/json', ...more }))
  const [name = '', value = null] = more.cookie?.split('=') ?? []
  const cookies = new Map(more.cookie === undefined ? [] : [[name.toLowerCase(), { name, value }]])
  return {
    method: 'POST',
    target: '/graphql',
    headers,
    cookies,
    signal,
    peerAddress: null,
    body: async () => JSON.stringify(params),
  }
}
