import { beforeAll, describe, expect, test } from 'vitest'
import { desk } from '../oauth/support/oauth-bench.ts'
import { createProofMaker } from '../oauth/support/proofs.ts'
import { createBench } from '../support/bench.ts'
import { createToolsBench, graphql, mcp, openToolsBench, type ToolsBench } from './tools-bench.ts'

const viewer = 'query tool { viewer { id } }'
const operation = (query = viewer) => JSON.stringify({ query })
const stream = { accept: 'text/event-stream' }

/** The statuses of a token at each resource. */
async function statusesOf({ send }: ToolsBench, token: string) {
  const sent = { token, body: operation() }
  const [atMcp, atGraphql, atStream] = [
    await send(sent),
    await send({ ...sent, path: '/graphql' }),
    await send({ ...sent, path: '/graphql/stream', headers: stream }),
  ]
  for (const { status, headers } of [atMcp, atGraphql, atStream]) {
    if (status === 401) expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  }
  return { mcp: atMcp.status, graphql: atGraphql.status, stream: atStream.status === 401 ? 401 : 200 }
}
const atMcpOnly = { mcp: 200, graphql: 401, stream: 401 }
const atGraphqlOnly = { mcp: 401, graphql: 200, stream: 200 }

describe('the metadata', () => {
  test('names its own resource, with the same authorization server and scopes', async () => {
    const { send } = await createToolsBench()
    const documents = await Promise.all(
      ['/mcp', '/graphql'].map((path) => send({ method: 'GET', path: `/.well-known/oauth-protected-resource${path}` })),
    )
    expect(documents.map(({ status, json }) => [status, json.resource])).toEqual([
      [200, mcp],
      [200, graphql],
    ])
    const [{ resource: _mcp, ...ofMcp }, { resource: _graphql, ...ofGraphql }] = documents.map(({ json }) => json)
    expect(ofMcp).toEqual(ofGraphql)
    expect(ofMcp).toMatchObject({
      authorization_servers: ['https://example.com'],
      scopes_supported: expect.arrayContaining(['openid', 'notes:write']),
      bearer_methods_supported: ['header'],
    })
    expect(ofMcp.scopes_supported).not.toContain('offline_access')
  })

  test('is absent without the option, and so is the resource', async () => {
    const { server, visitor } = createBench()
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
      expect([server.serves(path), (await visitor().get(path)).status]).toEqual([false, 404])
    }
    expect((await createToolsBench()).server.serves('/mcp')).toBe(true)
  })
})

describe('an access token', () => {
  let bench: ToolsBench
  beforeAll(async () => {
    bench = await openToolsBench()
    return bench.close
  })
  const give = async (resource?: string | readonly string[]) => {
    const browser = await bench.signedIn('AUTHOR')
    return bench.give(browser, { client: desk, scope: 'openid offline_access', ...(resource && { resource }) })
  }
  const refresh = (refreshToken: string | undefined, resources: readonly string[]) => {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken ?? '',
      client_id: desk.id,
      client_secret: desk.secret ?? '',
    })
    for (const resource of resources) form.append('resource', resource)
    return bench.visitor().postText('/token', form.toString(), {})
  }
  const tokensIn = ({ text }: { readonly text: string }) => JSON.parse(text)

  test.each([
    ['for /mcp opens nothing else', mcp, atMcpOnly],
    ['for /graphql opens nothing else', graphql, atGraphqlOnly],
    ['of a request without a resource is for /graphql', undefined, atGraphqlOnly],
  ])('%s', async (_what, resource, statuses) => {
    expect(await statusesOf(bench, (await give(resource)).access_token)).toEqual(statuses)
  })

  test.each([
    ['/mcp', mcp, graphql, atMcpOnly],
    ['/graphql', graphql, mcp, atGraphqlOnly],
  ])(
    'issued for %s cannot be refreshed into a token for the other resource, and its refresh token stays valid',
    async (_name, own, other, statuses) => {
      const given = await give(own)
      for (const resources of [[other], [own, other], [`${own}/`], ['https://example.com/']]) {
        const refused = await refresh(given.refresh_token, resources)
        expect([refused.status, tokensIn(refused).error]).toEqual([400, 'invalid_target'])
      }
      const next = tokensIn(await refresh(given.refresh_token, []))
      expect(await statusesOf(bench, next.access_token)).toEqual(statuses)
      const named = tokensIn(await refresh(next.refresh_token, [own]))
      expect(await statusesOf(bench, named.access_token)).toEqual(statuses)
    },
  )

  test('is for one of two requested resources: the first, or the named resource', async () => {
    const given = await give([mcp, graphql])
    expect(await statusesOf(bench, given.access_token)).toEqual(atMcpOnly)
    const both = await refresh(given.refresh_token, [mcp, graphql])
    expect([both.status, tokensIn(both).error]).toEqual([400, 'invalid_target'])
    const other = tokensIn(await refresh(given.refresh_token, [graphql]))
    expect(await statusesOf(bench, other.access_token)).toEqual(atGraphqlOnly)
    const again = tokensIn(await refresh(other.refresh_token, [mcp]))
    expect(await statusesOf(bench, again.access_token)).toEqual(atMcpOnly)
  })

  test('is not issued for an unknown resource, or a resource that the user has not allowed', async () => {
    const browser = await bench.signedIn('AUTHOR')
    for (const [asked, named] of [
      [mcp, graphql],
      [graphql, mcp],
      [undefined, mcp],
    ]) {
      const form = await bench.giveCode(browser, { client: desk, ...(asked && { resource: asked }) })
      const refused = await bench.token({ ...form, resource: named ?? '' })
      expect([refused.status, tokensIn(refused).error]).toEqual([400, 'invalid_target'])
    }
    await expect(bench.giveCode(browser, { resource: [mcp, 'https://example.com/other'] })).rejects.toThrow(
      'invalid_target',
    )
  })

  test('is for its named resource if it belongs to a machine', async () => {
    const authorization = `Basic ${btoa('machine:secret-of-the-machine')}`
    const write = 'mutation tool { writeNote(text: "x") }'
    const statusesFor = async (resource: object) => {
      const given = await bench.token({ grant_type: 'client_credentials', ...resource }, { authorization })
      const { access_token: token } = tokensIn(given)
      const message = { token, body: operation(write) }
      return [(await bench.send(message)).status, (await bench.send({ ...message, path: '/graphql' })).status]
    }
    expect(await statusesFor({ resource: mcp })).toEqual([200, 401])
    expect(await statusesFor({ resource: graphql })).toEqual([401, 200])
    expect(await statusesFor({})).toEqual([401, 200])
  })

  test('is revoked with the consent at the next request', async () => {
    const browser = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(browser, { client: desk, resource: mcp })
    expect((await bench.call(token, { query: viewer })).status).toBe(200)
    const { data } = await browser.ask('{ grants { id } }')
    await browser.ask('mutation ($id: ID!) { revokeGrant(id: $id) }', { id: data.grants[0].id })
    const { status, headers } = await bench.call(token, { query: viewer })
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('invalid_token')])
  })

  test('needs a fresh proof at /mcp for each request if it is bound to a key, and is refused as a bearer token', async () => {
    const key = createProofMaker()
    const at = bench.clock.time
    const proof = key.prove({ method: 'POST', url: 'https://example.com/token', at })
    const browser = await bench.signedIn('AUTHOR')
    const { access_token: token } = await bench.give(browser, { client: desk, resource: mcp, proof })
    const send = (dpop: string) => bench.send({ headers: { authorization: `DPoP ${token}`, dpop }, body: operation() })
    const ofMcp = key.prove({ method: 'POST', url: mcp, at, token })
    expect((await send(ofMcp)).status).toBe(200)
    const replayed = await send(ofMcp)
    expect([replayed.status, replayed.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/DPoP error="(?:invalid_dpop_proof|use_dpop_nonce)".*oauth-protected-resource\/mcp"/),
    ])
    expect((await send(key.prove({ method: 'POST', url: graphql, at, token }))).status).toBe(401)
    expect((await bench.call(token, { query: viewer })).status).toBe(401)
  })
})
