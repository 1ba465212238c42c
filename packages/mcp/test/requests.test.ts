import { describe, expect, test } from 'vitest'
import { createNotes, parts, publishedScopes, send, serve } from './support/notes-service.ts'

const mcp = createNotes()
const reader = { subject: 'ada', roles: ['READER'], scopes: publishedScopes, firstParty: false, clientId: 'agent' }
const known = serve(mcp, { identity: reader })
const nobody = serve(mcp, { identity: null })

const post = (body: string, headers: Readonly<Record<string, string>> = {}, { fetch } = known) =>
  fetch(
    new Request(parts.resource, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    }),
  )

describe('without a valid token', () => {
  test.each([
    ['tools/list', {}, 'openid notes:read'],
    ['server/discover', {}, 'openid notes:read'],
    ['tools/call', { name: 'writeNote' }, 'notes:write'],
    ['tools/call', { name: 'whoAmI' }, 'openid email'],
    ['tools/call', { name: 'machines' }, 'notes:read'],
    ['tools/call', { name: 'sayHello' }, 'openid notes:read'],
    ['tools/call', { name: 'nothing' }, 'openid notes:read'],
    ['prompts/list', {}, 'openid notes:read'],
  ])('%s %j is refused with 401 and the scopes to request first', async (method, params, scope) => {
    const { status, headers, body } = await send(nobody.fetch, method, params)
    expect([status, headers.get('www-authenticate'), body]).toEqual([
      401,
      `Bearer realm="mcp", scope="${scope}"`,
      {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: 401,
          message: 'Sign in to do this.',
          data: { code: 'UNAUTHENTICATED', scopes: scope.split(' ') },
        },
      },
    ])
  })

  test('a refused token is named', async () => {
    const { fetch } = serve(mcp, { identity: null, isTokenRefused: true })
    const { status, headers } = await send(fetch, 'tools/list')
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="mcp", error="invalid_token", scope="openid notes:read"',
    ])
  })

  test.each([
    '',
    '{',
    '[]',
    'null',
    '"tools/call"',
    '{"method":"tools/call","params":{"__proto__":{"name":"writeNote"}}}',
  ])('the body %j is refused with 401 too', async (body) => {
    const response = await post(body, {}, nobody)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="mcp", scope="openid notes:read"',
    ])
  })
})

describe('requests', () => {
  test.each(['GET', 'DELETE', 'PUT'])('a request with the method %s is refused with 405', async (method) => {
    const response = await known.fetch(new Request(parts.resource, { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('a body over 64 KiB is refused with 413, and a body of 64 KiB is read', async () => {
    const bodyOf = (bytes: number) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', padding: '' }).replace(
        '""',
        JSON.stringify('a'.repeat(bytes - 59)),
      )
    expect(bodyOf(65_536).length).toBe(65_536)
    expect((await post(bodyOf(65_537))).status).toBe(413)
    expect((await post(bodyOf(65_536), { 'mcp-protocol-version': '2025-11-25' })).status).not.toBe(413)
  })

  test('a request with another content type is refused with 415', async () => {
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('a body that is not JSON is refused with -32700', async () => {
    const response = await post('{')
    expect([response.status, (await response.json()).error.code]).toEqual([400, -32700])
  })

  test('a batch of messages is refused with -32600', async () => {
    const response = await post('[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', {
      'mcp-protocol-version': '2025-06-18',
    })
    expect([response.status, (await response.json()).error.code]).toEqual([400, -32600])
  })

  test.each([
    'prompts/list',
    'prompts/get',
    'resources/list',
    'resources/read',
    'completion/complete',
    'subscriptions/listen',
  ])('a call of the method %s is refused with -32601', async (method) => {
    const { status, body } = await send(known.fetch, method, { name: 'a', uri: 'a:b', notifications: {} })
    expect([status, body.error.code]).toEqual([404, -32601])
  })

  test('a request is refused if its header and its body name different tools', async () => {
    const { status, body } = await send(known.fetch, 'tools/call', { name: 'sayHello' }, { 'mcp-name': 'listNotes' })
    expect([status, typeof body.error.code]).toEqual([400, 'number'])
  })

  test('a response starts no session and is not cached', async () => {
    const { status, headers } = await send(known.fetch, 'tools/list')
    expect([status, headers.get('mcp-session-id'), headers.get('cache-control'), headers.get('content-type')]).toEqual([
      200,
      null,
      'no-store',
      'application/json',
    ])
  })
})

describe.each(['2025-06-18', '2025-11-25'])('the revision %s', (version) => {
  const ask = async (method: string, params: object = {}) => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
      'mcp-protocol-version': version,
    })
    return { response, body: await response.json() }
  }

  test('is served as JSON without a session', async () => {
    const clientInfo = { name: 'test', version: '1' }
    const { response, body } = await ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo })
    expect([response.status, response.headers.get('content-type'), response.headers.get('mcp-session-id')]).toEqual([
      200,
      'application/json',
      null,
    ])
    expect(body.result).toMatchObject({ protocolVersion: version, capabilities: { tools: {} } })
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(JSON.stringify(note), { 'mcp-protocol-version': version })).status).toBe(202)
  })

  test('lists and calls tools, and refuses as the current one', async () => {
    const { body } = await ask('tools/list')
    expect(body.result.tools.map(({ name }: { readonly name: string }) => name)).toContain('listNotes')
    const called = await ask('tools/call', { name: 'sayHello' })
    expect(called.body.result.structuredContent).toEqual({ hello: 'Hello' })
    const narrow = serve(mcp, { identity: { ...reader, scopes: [] } })
    const message = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'listNotes' } }
    const response = await post(JSON.stringify(message), { 'mcp-protocol-version': version }, narrow)
    expect([response.status, response.headers.get('www-authenticate'), (await response.json()).id]).toEqual([
      403,
      'Bearer realm="mcp", error="insufficient_scope", scope="notes:read"',
      'x',
    ])
    expect((await ask('prompts/list')).body.error.code).toBe(-32601)
  })
})
