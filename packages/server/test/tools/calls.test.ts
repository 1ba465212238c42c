import { createTrustedDocuments } from '@latchkey/graphql'
import { StoreError } from '@latchkey/store'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AppOptions } from '../support/bench.ts'
import { createLateBody } from '../support/clients/late-body.ts'
import {
  createToolsBench,
  mcp,
  openToolsBench,
  type ToolMessage,
  type ToolsBench,
  type ToolsBenchOptions,
} from './tools-bench.ts'

const viewer = 'query tool { viewer { id } }'
const write: ToolMessage = { query: 'mutation tool { writeNote(text: "x") }', kind: 'mutation' }

async function openCalls(given: ToolsBenchOptions = {}) {
  const bench = await openShared(given)
  onTestFinished(bench.close)
  return bench
}

async function openShared(given: ToolsBenchOptions = {}) {
  const bench = await openToolsBench(given)
  const owner = await bench.signedIn('AUTHOR')
  const tokenOf = async (scope: string, resource = mcp) => (await bench.give(owner, { scope, resource })).access_token
  return { ...bench, owner, tokenOf }
}

const callsIn = ({ events }: ToolsBench) => events.filter(({ type }) => type === 'mcp.called')

describe('an operation of a tool', () => {
  let shared: Awaited<ReturnType<typeof openShared>>
  beforeAll(async () => {
    shared = await openShared()
    return shared.close
  })

  test.each<[string, string, number]>([
    ['that is allowed', 'query tool { viewer { id } hello }', 200],
    ['beyond the scopes', 'mutation tool { writeNote(text: "x") }', 403],
    ['that is for the service itself', 'query tool { sessions { id } }', 403],
    ['that fails', 'query tool { secretPlan }', 500],
    ['that is not valid', 'query tool { nothing }', 400],
    ['that asks for too much', `query tool { ${many('hello', 1200)} }`, 400],
  ])('%s is answered as at /graphql', async (_what, query, status) => {
    const { send, tokenOf } = shared
    const body = JSON.stringify({ query })
    const headers = { accept: 'application/graphql-response+json' }
    const asTool = await send({ token: await tokenOf('openid'), body, headers })
    const asQuery = await send({
      path: '/graphql',
      token: await tokenOf('openid', 'https://example.com/graphql'),
      body,
      headers,
    })
    expect([asTool.status, asTool.text.replaceAll(/"id":"[\w-]{16,}"/g, '')]).toEqual([
      status,
      asQuery.text.replaceAll(/"id":"[\w-]{16,}"/g, ''),
    ])
    expect(asQuery.status).toBe(status)
  })

  test('has the address and the id of its request, without its credentials', async () => {
    let idOfContext: string | null = null
    let seen: Parameters<NonNullable<AppOptions['context']>>[1] | null = null
    const { send, tokenOf, events } = await openCalls({
      options: {
        context({ requestId }, request) {
          seen = request
          idOfContext = requestId
          return {}
        },
      },
    })
    const token = await tokenOf('openid')
    const { headers } = await send({
      token,
      headers: {
        cookie: 'a=b',
        dpop: 'proof',
        'x-csrf-token': 'csrf',
        'proxy-authorization': 'Basic eDp5',
        'x-api-key': 'secret',
        'mcp-session-id': 'session',
        'user-agent': 'agent/1',
      },
      body: JSON.stringify({ query: viewer }),
    })
    const request = seen as unknown as Parameters<NonNullable<AppOptions['context']>>[1]
    expect([request.method, request.target, request.cookies.size, await request.body(10)]).toEqual([
      'POST',
      '/graphql',
      0,
      '',
    ])
    expect([...request.headers.keys()].sort()).toEqual(['accept', 'content-type', 'host', 'user-agent'])
    expect([...request.headers.values()].join()).not.toContain(token)
    expect(idOfContext).toBe(headers.get('x-request-id'))
    expect(events.at(-1)).toMatchObject({
      type: 'mcp.called',
      requestId: headers.get('x-request-id'),
      address: '127.0.0.1',
    })
  })

  test('is refused if it tests a secret: no proof shows which page has sent it', async () => {
    const { call, tokenOf, events } = shared
    const signIn = 'mutation tool { signIn(input: { email: "a@b.c", password: "x" }) { status } }'
    const { status, json } = await call(await tokenOf('openid'), { query: signIn, kind: 'mutation' })
    expect([status, json.errors[0].extensions]).toEqual([403, { code: 'CSRF_REJECTED' }])
    expect(events.map(({ type }) => type)).not.toContain('sign-in.failed')
  })

  test('needs no trusted document, and is not counted by the limit of the endpoint', async () => {
    const { tokenOf, ...beside } = shared
    const rateLimit = vi.fn(async () => ({ ok: true as const }))
    const trustedDocuments = { documents: createTrustedDocuments({}), mode: 'only' } as const
    const { call, send } = await createToolsBench({ beside, options: { graphql: { rateLimit, trustedDocuments } } })
    const asQuery = await send({ path: '/graphql', body: JSON.stringify({ query: viewer }) })
    expect([asQuery.json.errors[0].extensions.code, rateLimit.mock.calls.length]).toEqual(['PERSISTED_QUERY_ONLY', 1])
    expect((await call(await tokenOf('openid'), { query: viewer })).status).toBe(200)
    expect(rateLimit).toHaveBeenCalledTimes(1)
  })

  test('has the limits of size of the endpoint', async () => {
    const { tokenOf, ...beside } = shared
    const { call } = await createToolsBench({
      beside,
      options: { graphql: { requestLimits: { responseBytes: 100 } } },
    })
    const { json } = await call(await tokenOf('openid'), { query: `query tool { ${many('hello', 20)} }` })
    expect(json.errors[0].extensions.code).toBe('RESPONSE_TOO_LARGE')
  })
})

function many(field: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index}: ${field}`).join(' ')
}

describe('a message whose body arrives late', () => {
  afterEach(() => void vi.restoreAllMocks())

  test.each([
    [251, 401],
    [250, 200],
  ])('after %d ms with a token that was revoked meanwhile is answered %d', async (passed, status) => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const bench = await openCalls()
    const token = await bench.tokenOf('openid')
    const body = createLateBody(JSON.stringify({ query: viewer }))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: body.stream, duplex: 'half' } as const
    const answering = bench.server.fetch(new Request(mcp, init))
    await body.asked
    const { data } = await bench.owner.ask('{ grants { id } }')
    await bench.owner.ask('mutation ($id: ID!) { revokeGrant(id: $id) }', { id: data.grants[0].id })
    now += passed
    body.send()
    expect((await answering).status).toBe(status)
  })
})

describe('the calls of tools', () => {
  test('are limited to 120 a minute for each grant, and a refused call is not executed', async () => {
    const bench = await openCalls()
    const { call, tokenOf, advance } = bench
    const token = await tokenOf('openid notes:write')
    for (let count = 0; count < 120; count++) expect((await call(token, { query: viewer })).status).toBe(200)
    // Another token of the same grant.
    const refused = await call(await tokenOf('openid notes:write'), write)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(callsIn(bench).at(-1)).toMatchObject({ outcome: 'refused', operation: 'mutation' })
    const other = await bench.give(await bench.signedIn('AUTHOR'), { resource: mcp })
    expect((await call(other.access_token, { query: viewer })).status).toBe(200)
    advance(60)
    expect((await call(token, { query: viewer })).status).toBe(200)
  })

  test('are events without arguments, and mutations and refusals are audited', async () => {
    const bench = await openCalls()
    const { call, tokenOf, owner } = bench
    const narrow = await tokenOf('openid')
    await call(narrow, { query: viewer })
    await call(narrow, write, { 'user-agent': 'agent/1' })
    await call(
      await tokenOf('openid notes:write'),
      { ...write, query: write.query.replace('"x"', '"hush"') },
      { 'user-agent': 'agent/1' },
    )
    const said = { accountId: owner.account.id, clientId: 'spa', apiKeyId: null, tool: 'tool', documentHash: 'ab12' }
    expect(callsIn(bench)).toMatchObject([
      { ...said, operation: 'query', outcome: 'done' },
      { ...said, operation: 'mutation', outcome: 'refused' },
      { ...said, operation: 'mutation', outcome: 'done' },
    ])
    expect(JSON.stringify(bench.events)).not.toContain('hush')
    const admin = await bench.signedIn('ADMIN')
    const { data } = await admin.ask(
      '{ auditEntries(kind: "mcp.called") { nodes { state accountId actorId userAgent } } }',
    )
    const row = { accountId: owner.account.id, actorId: owner.account.id, userAgent: 'agent/1' }
    expect(data.auditEntries.nodes).toEqual([
      { ...row, state: 'done' },
      { ...row, state: 'failed' },
    ])
  })

  test('are not executed for a mutation while the audit log cannot be written', async () => {
    let isDown = false
    const written: string[] = []
    const bench = await openCalls({
      around(name, run) {
        if (isDown && name === 'audit.append') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
      options: { resolvers: resolversThatNote(written) },
    })
    const token = await bench.tokenOf('openid notes:write')
    isDown = true
    expect([(await bench.call(token, write)).status, written]).toEqual([503, []])
    expect((await bench.call(token, { query: viewer })).status).toBe(200)
    isDown = false
    expect([(await bench.call(token, write)).status, written]).toEqual([200, ['x']])
  })
})

function resolversThatNote(written: string[]): NonNullable<AppOptions['resolvers']> {
  return {
    Account: { greeting: () => 'Hello' },
    Query: { hello: () => 'Hello', secretPlan: () => 'none' },
    Mutation: {
      writeNote(_source: unknown, { text }: { text: string }) {
        written.push(text)
        return text
      },
    },
  }
}
