import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGraphqlHandler } from '@latchkey/graphql'
import { createYogaPlugin } from '@latchkey/graphql/yoga'
import { createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { execute, parse } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { access, identify, ran } from '../src/access.ts'
import { yoga } from '../src/yoga.ts'

const forgery = createForgeryCheck({
  origins: ['https://example.com'],
  secrets: [{ id: '1', bytes: crypto.getRandomValues(new Uint8Array(32)) }],
})
const ours = createGraphqlHandler({ access, identify, forgery, observe: { onEvent: () => undefined } })

const servers: Server[] = []
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

let theirUrl: string
let ourUrl: string
beforeAll(async () => {
  theirUrl = await serve(yoga)
  ourUrl = await serve(toNodeListener(ours))
})
beforeEach(() => {
  ran.length = 0
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

interface Asking {
  readonly query: string
  readonly variables?: object
  readonly token?: string | null
  readonly accept?: string
  readonly method?: 'GET' | 'POST'
}

async function ask(url: string, { query, variables = {}, token, accept, method = 'POST' }: Asking) {
  const headers = new Headers({ accept: accept ?? 'application/graphql-response+json' })
  if (token) headers.set('authorization', `Bearer token-of-${token}`)
  if (method === 'POST') headers.set('content-type', 'application/json')
  const target = method === 'GET' ? `${url}?query=${encodeURIComponent(query)}` : url
  const body = method === 'GET' ? null : JSON.stringify({ query, variables })
  const response = await fetch(target, { method, headers, body })
  const text = await response.text()
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: Told[] }
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    allow: response.headers.get('allow'),
    retryAfter: response.headers.get('retry-after'),
    isWhole: data !== undefined,
    data,
    errors: errors.map(({ message, path, extensions }) => ({ message, path, code: extensions?.code })),
    ran: ran.splice(0),
    text,
  }
}
interface Told {
  readonly message: string
  readonly path?: unknown
  readonly extensions?: { readonly code?: unknown }
}

const update = (id: number) => `mutation { updateNote(id: ${id}, text: "x") { id text } }`

describe('Yoga behind the plan decides as our own handler does', () => {
  test.each<[string, string | null, number, Partial<Asking>?]>([
    ['{ hello }', null, 200],
    ['{ __typename }', null, 200],
    ['{ hello }', 'visitor', 200],
    ['{ viewer }', null, 401],
    ['{ viewer }', 'visitor', 401],
    ['{ hello viewer }', null, 401],
    ['{ viewer }', null, 401, { accept: 'application/json' }],
    ['{ viewer }', 'reader', 200],
    ['{ notes { id } }', null, 401],
    ['{ notes { id } }', 'reader', 200],
    ['{ ...F } fragment F on Query { a: notes { id } b: viewer }', null, 401],
    ['query($in: Boolean = false) { hello viewer @include(if: $in) }', null, 200],
    ['query($in: Boolean = false) { hello viewer @include(if: $in) }', null, 401, { variables: { in: true } }],
    ['{ note(id: 1) { text } }', 'author', 200],
    ['{ notes { id text } }', 'author', 403],
    ['{ notes { id text } }', 'admin', 200],
    [update(1), null, 401],
    [update(1), 'reader', 403],
    [update(1), 'author', 200],
    [update(2), 'author', 403],
    [update(404), 'author', 403],
    [`mutation { a: updateNote(id: 1, text: "x") { id } b: updateNote(id: 2, text: "x") { id } }`, 'author', 403],
    ['mutation { publish(id: 1) }', 'admin', 401],
    ['mutation { signIn(password: "a") }', null, 200],
    ['mutation { a: signIn(password: "a") b: signIn(password: "b") }', null, 400],
    [update(1), 'author', 405, { method: 'GET' }],
    ['{ hello }', null, 200, { method: 'GET' }],
    ['{ nope }', null, 400],
    ['{ nope }', null, 200, { accept: 'application/json' }],
    ['{ hello', null, 400],
    ['subscription { ticks }', null, 400],
    ['{ hello busy }', null, 429],
    ['{ hello broken }', null, 200],
    ['{ hello unreachable }', null, 503],
    ['query($id: ID!) { note(id: $id) { id } }', 'reader', 400],
    ['{ __schema { types { name } } }', 'admin', 403],
    [`{ ${Array.from({ length: 101 }, (_none, index) => `a${index}: hello`).join(' ')} }`, null, 400],
  ])('%s by %s: %d', async (query, token, status, more = {}) => {
    const [theirs, own] = [await ask(theirUrl, { query, token, ...more }), await ask(ourUrl, { query, token, ...more })]
    const { text, ...answer } = theirs
    const { text: _text, ...expected } = own
    expect(answer).toEqual(expected)
    expect(answer.status).toBe(status)
    expect(answer.challenge !== null).toBe(status === 401)
    expect(text).not.toMatch(/"http"|10\.0\.0\.7/)
  })
})

describe('the schema that Yoga was given', () => {
  test.each([
    ['{ hello }', 'hello'],
    [update(1), 'updateNote'],
    ['mutation { signIn(password: "a") }', 'signIn'],
  ])('does not execute %s without the plan', async (query) => {
    const forgotten = await serve(createYoga({ schema: access.sealed, logging: false }))
    const { status, errors, data, ran: executed } = await ask(forgotten, { query, token: 'admin' })
    expect([status, data ?? null, executed]).toEqual([200, null, []])
    expect(errors).toMatchObject([{ message: 'Unexpected error.', code: 'INTERNAL_SERVER_ERROR' }])
  })

  test('does not execute what another plugin puts in place of the decided operation', async () => {
    const swapping: Plugin = {
      onExecute: ({ args, setExecuteFn }) => setExecuteFn(() => execute({ ...args, document: parse('{ viewer }') })),
    }
    const plugins = [createYogaPlugin({ access, identify }), swapping]
    const url = await serve(createYoga({ schema: access.sealed, plugins, logging: false }))
    const { data, errors } = await ask(url, { query: '{ hello }' })
    expect(data ?? null).toBeNull()
    expect(errors).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR' }])
  })

  test('checks no secret for a page of another origin, nor several in one batch', async () => {
    const plugins = [createYogaPlugin({ access, identify, forgery })]
    const batching = createYoga({ schema: access.sealed, plugins, batching: true, logging: false })
    const query = 'mutation { signIn(password: "a") }'
    const send = async (headers: Record<string, string>, body: string) =>
      (await batching.fetch('https://example.com/graphql', { method: 'POST', headers, body })).text()
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await send(json, JSON.stringify([{ query }, { query }]))).toContain('QUERY_LIMIT_EXCEEDED')
    for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      expect(await send({ ...form, ...from }, new URLSearchParams({ query }).toString())).toContain('CSRF_REJECTED')
    }
    expect(ran).toEqual([])
    expect(await send({ ...json, origin: 'https://example.com' }, JSON.stringify({ query }))).toContain('true')
  })
})

describe('a session cookie at Yoga behind the plan', () => {
  const cookie = createSessionCookie()
  const author = access.policy.identify({ subject: 'acc_1', roles: ['AUTHOR'], key: 'session-1' })
  let reads = 0
  const verify = async (credential: string) => {
    reads += 1
    if (credential === 'broken') throw Object.assign(new Error('10.0.0.7 refused'), { code: 'STORE_UNAVAILABLE' })
    return credential === 'session' ? author : null
  }
  const plugin = createYogaPlugin({ access, identify: createIdentityReader({ cookie: { cookie, verify } }), forgery })
  const logged: unknown[][] = []
  const log = (...texts: unknown[]) => void logged.push(texts)
  const logging = { debug: () => undefined, info: () => undefined, warn: log, error: log }
  const server = createYoga({ schema: access.sealed, plugins: [plugin], batching: true, logging })
  const send = async (body: object, headers: Record<string, string> = {}, credential = 'session') => {
    reads = 0
    const response = await server.fetch('https://example.com/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `__Host-session=${credential}`, ...headers },
      body: JSON.stringify(body),
    })
    const { status, headers: given } = response
    const [token, sign] = [given.get('x-csrf-token'), given.get('latchkey-credential')]
    return { status, token, sign, text: await response.text(), ran: ran.splice(0), reads }
  }
  const token = () => ({ 'x-csrf-token': forgery.createToken('session-1') })

  test('runs a mutation with the token of the session', async () => {
    expect(await send({ query: update(1) }, token())).toMatchObject({ status: 200, ran: ['updateNote'] })
  })

  test.each([
    ['no token', {}],
    ['the token of another session', { 'x-csrf-token': forgery.createToken('session-2') }],
  ])('refuses a mutation with %s, and the refusal has the right token', async (_what, headers) => {
    const { status, text, ran: executed, token: given } = await send({ query: update(1) }, headers)
    expect([status, executed]).toEqual([403, []])
    expect(text).toContain('CSRF_REJECTED')
    expect(await send({ query: update(1) }, { 'x-csrf-token': given ?? '' })).toMatchObject({ status: 200 })
  })

  test.each([
    ['is answered with no token', {}, 200],
    ['is answered with its own token', token(), 200],
    ['is refused with the token of another session', { 'x-csrf-token': forgery.createToken('session-2') }, 403],
  ])('a query %s', async (_what, headers, expected) => {
    const { status, text, token: given } = await send({ query: '{ viewer }' }, headers)
    expect([status, text.includes('acc_1')]).toEqual([expected, expected === 200])
    if (expected === 200) return
    expect(text).toContain('CSRF_REJECTED')
    expect(await send({ query: '{ viewer }' }, { 'x-csrf-token': given ?? '' })).toMatchObject({ status: 200 })
  })

  test('is not looked up for a page of another site', async () => {
    const refused = await send({ query: update(1) }, { 'sec-fetch-site': 'cross-site' })
    expect(refused).toMatchObject({ status: 403, reads: 0, token: null, ran: [] })
    expect(refused.text).toContain('CSRF_REJECTED')
  })

  test('marks responses and refusals with a header if its id is not valid', async () => {
    for (const query of ['{ hello }', '{ viewer }']) {
      expect((await send({ query }, {}, 'ended')).sign).toBe('invalid')
      expect((await send({ query })).sign).toBeNull()
    }
  })

  test('is looked up once for all operations of a batch', async () => {
    const { text, reads: once } = await send([{ query: '{ viewer }' }, { query: '{ hello }' }])
    expect([JSON.parse(text), once]).toEqual([[{ data: { viewer: 'acc_1' } }, { data: { hello: 'Hello' } }], 1])
  })

  test('is a 503 without the cause if its store fails, and the log has the cause', async () => {
    const { status, text, ran: executed } = await send({ query: update(1) }, token(), 'broken')
    expect([status, executed]).toEqual([503, []])
    expect(text).not.toContain('10.0.0.7')
    const { id } = JSON.parse(text).errors[0].extensions
    expect(logged).toEqual([[id, expect.objectContaining({ message: '10.0.0.7 refused' })]])
  })
})
