import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { app as express } from '../src/express.ts'
import { app as fastify } from '../src/fastify.ts'
import { reports } from '../src/graphql.ts'
import { app as hono } from '../src/hono.ts'
import { app as koa } from '../src/koa.ts'
import { bearer, post, postText, type Running, start, whenListening } from './servers.ts'

const ada = bearer('token-of-ada')
const grace = bearer('token-of-grace')
const padded = (bytes: number) => JSON.stringify({ query: '{ hello }' }).padEnd(bytes)
const signIn = (password: string) =>
  `mutation { signIn(email: "ada@example.com", password: ${JSON.stringify(password)}) }`
const codesOf = async (response: Response): Promise<unknown[]> => {
  const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] }
  return errors.map(({ extensions }) => extensions.code)
}

describe.each([
  ['Express 5', () => start.express(express)],
  ['Fastify 5', () => start.fastify(fastify)],
  ['Hono 4', () => start.hono(hono)],
  ['Koa 3', () => start.koa(koa)],
])('a GraphQL handler in %s', (_name, begin) => {
  let running: Running
  beforeAll(async () => {
    running = await whenListening(await begin())
  })
  afterAll(() => running.close())

  test('a public field needs no identity', async () => {
    const response = await post(running.url, '{ hello }')
    expect([response.status, await response.json()]).toEqual([200, { data: { hello: 'Hello' } }])
    expect(response.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
    expect((await fetch(`${running.url}/graphql?query={hello}`)).status).toBe(200)
  })

  test('a protected field without an identity, or with a wrong token, is 401', async () => {
    const response = await post(running.url, '{ hello notes }')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await codesOf(response)).toEqual(['UNAUTHENTICATED'])
    const refused = await post(running.url, '{ notes }', bearer('wrong'))
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('a field requires its permission: 200 with it, 403 without it', async () => {
    expect((await post(running.url, '{ notes }', ada)).status).toBe(200)
    const refused = await post(running.url, '{ notes accounts }', ada)
    expect([refused.status, await codesOf(refused)]).toEqual([403, ['FORBIDDEN']])
    expect((await post(running.url, '{ accounts }', grace)).status).toBe(200)
  })

  test('a sign-in sets a cookie, which identifies requests of the same site only', async () => {
    const response = await post(running.url, signIn('otters read quietly at dawn'))
    expect([response.status, await response.json()]).toEqual([200, { data: { signIn: true } }])
    const [line = '', ...others] = response.headers.getSetCookie()
    expect(others).toEqual([])
    expect(line).toMatch(/^__Host-session=[^;]+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const cookie = `theme=dark; ${line.slice(0, line.indexOf(';'))}`
    expect((await post(running.url, '{ notes }', { cookie })).status).toBe(200)
    const foreign = await post(running.url, '{ notes }', { cookie, 'sec-fetch-site': 'cross-site' })
    expect([foreign.status, await codesOf(foreign)]).toEqual([403, ['CSRF_REJECTED']])
  })

  test('a sign-in with a wrong password sets no cookie', async () => {
    const response = await post(running.url, signIn('wrong'))
    expect([response.status, await codesOf(response)]).toEqual([401, ['INVALID_CREDENTIALS']])
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('the address is the address of the connection, also with X-Forwarded-For', async () => {
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.7' }]) {
      const response = await post(running.url, '{ address }', headers)
      expect(await response.json()).toEqual({ data: { address: '127.0.0.1' } })
    }
  })

  test('a method that GraphQL does not have is refused', async () => {
    const response = await fetch(`${running.url}/graphql`, { method: 'PUT', body: '{}' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  test('a body of 100 kB is read, and a body of one byte more is 413', async () => {
    expect((await postText(running.url, padded(100_000))).status).toBe(200)
    const tooLarge = await postText(running.url, padded(100_001))
    expect([tooLarge.status, await codesOf(tooLarge)]).toEqual([413, ['PAYLOAD_TOO_LARGE']])
  })

  test('a body without Content-Length is read up to 100 kB', async () => {
    const chunked = (bytes: number) => new Blob([padded(bytes)]).stream()
    expect((await postText(running.url, chunked(100_000))).status).toBe(200)
    expect((await postText(running.url, chunked(100_001))).status).toBe(413)
  })

  test('the body parsers of the framework serve the other routes', async () => {
    const body = JSON.stringify({ some: 'json' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect(await (await fetch(`${running.url}/echo`, init)).json()).toEqual({ some: 'json' })
  })

  test('a connection that closes in the middle of a body logs no error, and the next request is answered', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const socket = connect(running.port, '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
    await new Promise<void>((resolve) => socket.write(`${head}{"query":`, () => resolve()))
    socket.destroy()
    await once(socket, 'close')
    expect((await post(running.url, '{ hello }')).status).toBe(200)
    // Koa itself logs what broke off.
    const told = logged.mock.calls.flat().map((value) => (value instanceof Error ? value.message : String(value)))
    expect(told.filter((text) => !text.includes('Parse Error'))).toEqual([])
    logged.mockRestore()
  })

  test('a resolver is aborted when its client disconnects', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const controller = new AbortController()
    const headers = { 'content-type': 'application/json', ...ada }
    const init = { method: 'POST', headers, body: '{"query":"{ report }"}', signal: controller.signal }
    const asked = fetch(`${running.url}/graphql`, init)
    await vi.waitFor(() => expect(reports.running).toBe(1), { timeout: 10_000 })
    controller.abort()
    await expect(asked).rejects.toThrow(/abort/)
    await vi.waitFor(() => expect(reports.running).toBe(0), { timeout: 10_000 })
    logged.mockRestore()
  })
})
