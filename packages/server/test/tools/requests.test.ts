import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AppOptions, createBench } from '../support/bench.ts'
import { createToolsBench, mcp, openToolsBench, type ToolsBench } from './tools-bench.ts'

const body = JSON.stringify({ query: 'query tool { viewer { id } }' })
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name',
}
const shared = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))
const ofClient = 'https://spa.example.org'
const listed = 'https://inspector.example'
const own = 'https://www.example.com'
const http = { corsOrigins: [listed], allowedOrigins: [own] }

describe('a page', () => {
  let bench: ToolsBench
  let token: string
  beforeAll(async () => {
    bench = await openToolsBench({ options: { http } })
    token = (await bench.give(await bench.signedIn(), { resource: mcp })).access_token
    return bench.close
  })
  beforeEach(() => void bench.calls.splice(0))

  test.each([ofClient, listed])('of %s may call the tools with a token, and read every answer', async (origin) => {
    const asked = await bench.send({ method: 'OPTIONS', headers: { origin, ...preflight } })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull()
    const names = asked.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect(names).toEqual(expect.arrayContaining(preflight['access-control-request-headers'].split(',')))
    expect(bench.calls).toEqual([])
    for (const [sent, status] of [
      [{ token, body }, 200],
      [{ body }, 401],
    ] as const) {
      const { headers, ...heard } = await bench.send({ ...sent, headers: { origin } })
      expect([heard.status, headers.get('access-control-allow-origin')]).toEqual([status, origin])
      expect(headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
      expect(headers.get('vary')).toContain('Origin')
    }
  })

  test.each(['https://stranger.example', 'http://127.0.0.1:9', 'null', 'https://example.com.stranger.example', ''])(
    'cannot call tools from %j, even with a valid token',
    async (origin) => {
      const refused = await bench.send({ token, body, headers: { origin } })
      expect([refused.status, refused.json.error, shared(refused.headers)]).toEqual([
        403,
        { code: 403, message: expect.any(String), data: { code: 'CSRF_REJECTED' } },
        [],
      ])
      expect((await bench.send({ method: 'OPTIONS', headers: { origin, ...preflight } })).status).toBe(403)
      expect(bench.calls).toEqual([])
    },
  )

  test.each([own, 'https://example.com'])('may call the tools from %s', async (origin) => {
    expect((await bench.send({ token, body, headers: { origin } })).status).toBe(200)
  })
})

describe('a request at /mcp', () => {
  let bench: ToolsBench
  beforeAll(async () => {
    bench = await openToolsBench()
    return bench.close
  })
  beforeEach(() => void bench.calls.splice(0))

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS', 'PATCH'])('is 405 by %s', async (method) => {
    const { status, headers } = await bench.send({ method })
    expect([status, headers.get('allow'), bench.calls.length]).toEqual([405, 'POST', 1])
  })

  test('by HEAD has no body, and has an id', async () => {
    const { status, text, headers } = await bench.send({ method: 'HEAD' })
    expect([status, text, headers.get('x-request-id')]).toEqual([405, '', expect.any(String)])
  })

  test.each(['/mcp/', '/MCP', '/mcp/x', '//mcp', '/m%63p'])('has no other spelling: %s', async (path) => {
    expect([(await bench.send({ path, body })).status, bench.calls]).toEqual([404, []])
  })

  test.each(['stranger.example', '127.0.0.1:1', 'localhost'])('for the host %s is 421', async (host) => {
    const { status, json } = await bench.send({ body, headers: { host } })
    expect([status, json]).toEqual([
      421,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: 421, message: expect.any(String), data: { code: 'MISDIRECTED_REQUEST' } },
      },
    ])
    expect(bench.calls).toEqual([])
  })

  test('is measured by its route', async () => {
    const routes: unknown[] = []
    const measured = await createToolsBench({
      options: { observe: { onMeasurement: (one) => void ('route' in one && routes.push(one.route)) } },
    })
    await measured.send({ body })
    expect(routes).toEqual(['/mcp'])
  })

  test('is 500 without the reason if the tools fail, and the reason is in the event', async () => {
    const failing = await createToolsBench({
      async respond() {
        throw new Error('the file at /srv/tools')
      },
    })
    const { status, json, text } = await failing.send({ body })
    expect([status, json.error.data.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(text).not.toContain('/srv/tools')
    expect(failing.events).toMatchObject([{ type: 'access.failed', id: json.error.data.id }])
  })
})

describe('the option mcp', () => {
  const createTools = () => ({ verdicts: [], respond: async () => ({ status: 200, headers: [], body: null }) })

  test.each<[string, AppOptions, RegExp]>([
    ['needs a credential for it', { mcp: createTools }, /"mcp" needs "oauth" or "accounts.apiKeys"/],
    ['must be a function', { mcp: {} } as never, /"mcp" must be a function/],
    ['has a path of its own', { graphql: { path: '/mcp' } }, /"graphql.path" must not be \/mcp/],
  ])('%s', (_what, options, message) => {
    expect(() => createBench({ options })).toThrow(message)
  })

  test('gets the policy, the published scopes in order, its address and the name of the service', async () => {
    const bench = await createToolsBench({ options: { pages: { name: 'Notes' } } })
    await bench.send({ body })
    const [parts] = bench.parts
    expect(parts).toMatchObject({ resource: mcp, name: 'Notes', access: { schema: expect.anything() } })
    const { json } = await bench.send({ method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' })
    expect(parts?.publishedScopes).toEqual(json.scopes_supported)
    expect(bench.parts).toHaveLength(1)
  })

  test('rejects the start if it throws, and its verdicts are on the server', async () => {
    const refused = createBench({
      options: {
        accounts: { apiKeys: { prefix: 'lk_', scopes: ['notes:write'] } },
        mcp() {
          throw new TypeError('the tool "spy" reads a secret')
        },
      },
    })
    await expect(refused.server.open()).rejects.toThrow(new TypeError('the tool "spy" reads a secret'))
    const { server } = await createToolsBench()
    expect([await server.tools(), await createBench().server.tools()]).toEqual([[], null])
  })
})
