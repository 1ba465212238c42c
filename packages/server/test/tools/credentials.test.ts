import { allowNativeDelivery } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { create } from '../api-keys/keys-bench.ts'
import { spa } from '../oauth/support/oauth-bench.ts'
import { createProofMaker } from '../oauth/support/proofs.ts'
import type { AppOptions, SignedIn } from '../support/bench.ts'
import { ownPage } from '../support/visitor.ts'
import { createToolsBench, mcp, type Sent, type ToolsBench } from './tools-bench.ts'

const viewer = 'query tool { viewer { id } }'
const write = 'mutation tool { writeNote(text: "x") }'
const body = JSON.stringify({ query: viewer })
const metadata = 'resource_metadata="https://example.com/.well-known/oauth-protected-resource/mcp"'
const algorithms = 'algs="ES256 EdDSA RS256 PS256"'

const apiKeys = { prefix: 'lk_', scopes: ['openid', 'notes:write'], requestsPerMinute: 3 }
const withKeys: AppOptions = { accounts: { apiKeys } }

async function keyOf(owner: SignedIn): Promise<string> {
  const { data } = await owner.ask(create, { input: { name: 'Agent', scopes: ['openid', 'notes:write'] } }, ownPage)
  return data.createApiKey.key
}

describe('a challenge', () => {
  test('without a token names the metadata of /mcp and the scopes of the tools', async () => {
    const bench = await createToolsBench()
    const { status, headers } = await bench.send({ body })
    const scope = 'scope="openid notes:write"'
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="mcp", ${scope}, ${metadata}, DPoP ${scope}, ${algorithms}, ${metadata}`,
    ])
    expect(bench.events).toMatchObject([
      { type: 'access.denied', code: 'UNAUTHENTICATED', accountId: null, scopes: ['openid', 'notes:write'] },
    ])
  })

  test('contains the error for a bad token', async () => {
    const { status, headers } = await (await createToolsBench()).send({ token: 'none', body })
    const error = 'error="invalid_token", scope="openid notes:write"'
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="mcp", ${error}, ${metadata}, DPoP ${error}, ${algorithms}, ${metadata}`,
    ])
  })

  test('names the metadata of the requested resource for missing scopes', async () => {
    const bench = await createToolsBench()
    const browser = await bench.signedIn('AUTHOR')
    for (const [resource, path] of [
      [mcp, '/mcp'],
      ['https://example.com/graphql', '/graphql'],
    ] as const) {
      const { access_token: token } = await bench.give(browser, { resource, scope: 'openid' })
      const { status, headers } = await bench.send({ path, token, body: JSON.stringify({ query: write }) })
      const challenge = headers.get('www-authenticate')
      expect([status, challenge]).toEqual([403, expect.stringContaining('scope="notes:write"')])
      expect(challenge?.match(/oauth-protected-resource[^"]*/g)).toEqual(
        Array(2).fill(`oauth-protected-resource${path}`),
      )
    }
  })

  test('names no metadata without an authorization server', async () => {
    const bench = await createToolsBench({ options: { ...withKeys, oauth: undefined as never } })
    expect((await bench.send({ body })).headers.get('www-authenticate')).toBe(
      'Bearer realm="mcp", scope="openid notes:write"',
    )
    expect((await bench.call(await keyOf(await bench.signedIn('AUTHOR')), { query: viewer })).status).toBe(200)
    expect(bench.parts[0]).toMatchObject({ publishedScopes: apiKeys.scopes, resource: mcp })
  })
})

describe('no credential is', () => {
  const app = { ...spa, id: 'app', firstParty: true, redirectUris: ['https://app.example.org/callback'] }

  test.each<[string, boolean, (bench: ToolsBench) => Promise<Sent>]>([
    [
      'the cookie of a session',
      false,
      async (bench) => {
        const { jar, csrfToken } = await bench.signedIn('AUTHOR')
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        return { headers: { cookie, 'x-csrf-token': csrfToken ?? '', ...ownPage } }
      },
    ],
    [
      'a token of the service itself',
      true,
      async (bench) => ({ token: (await bench.signedIn('AUTHOR', 'TOKEN')).bearer ?? '' }),
    ],
    [
      'a token of a client of the service itself',
      true,
      async (bench) => {
        const key = createProofMaker()
        const at = bench.clock.time
        const proof = key.prove({ method: 'POST', url: 'https://example.com/token', at })
        const browser = await bench.signedIn('AUTHOR')
        const { access_token: token } = await bench.give(browser, { client: app, resource: mcp, proof })
        const dpop = key.prove({ method: 'POST', url: mcp, at, token })
        return { headers: { authorization: `DPoP ${token}`, dpop } }
      },
    ],
    [
      'a refresh token for /mcp',
      true,
      async (bench) => {
        const options = { resource: mcp, scope: 'openid offline_access' }
        return { token: (await bench.give(await bench.signedIn('AUTHOR'), options)).refresh_token ?? '' }
      },
    ],
    [
      'an API key in the query',
      false,
      async (bench) => ({ path: `/mcp?access_token=${await keyOf(await bench.signedIn('AUTHOR'))}` }),
    ],
    [
      'an API key in a cookie',
      false,
      async (bench) => ({ headers: { cookie: `__Host-session=${await keyOf(await bench.signedIn('AUTHOR'))}` } }),
    ],
    [
      'an API key as DPoP',
      true,
      async (bench) => ({ headers: { authorization: `DPoP ${await keyOf(await bench.signedIn('AUTHOR'))}` } }),
    ],
    [
      'two tokens',
      true,
      async (bench) => {
        const { access_token: token } = await bench.give(await bench.signedIn('AUTHOR'), { resource: mcp })
        return { headers: { authorization: `Bearer ${token}, Bearer ${token}` } }
      },
    ],
  ])('%s', async (_what, isTokenRefused, sentOf) => {
    const options: AppOptions = { ...withKeys, sessions: { nativeDelivery: allowNativeDelivery } }
    const bench = await createToolsBench({ clients: [app], options })
    const { status, headers } = await bench.send({ body, ...(await sentOf(bench)) })
    expect(status).toBe(401)
    expect(bench.calls).toMatchObject([{ identity: null, isTokenRefused }])
    expect(/error="invalid_token"/.test(headers.get('www-authenticate') ?? '')).toBe(isTokenRefused)
  })
})

describe('an API key at /mcp', () => {
  test('is a credential until it is revoked', async () => {
    const bench = await createToolsBench({ options: withKeys })
    const owner = await bench.signedIn('AUTHOR')
    const key = await keyOf(owner)
    expect((await bench.call(key, { query: viewer })).json.data).toEqual({ viewer: { id: owner.account.id } })
    const { data } = await owner.ask('{ apiKeys { id lastUsedAt } }')
    expect(data.apiKeys).toMatchObject([{ lastUsedAt: expect.any(String) }])
    await owner.ask('mutation ($id: ID!) { revokeApiKey(id: $id) }', { id: data.apiKeys[0].id }, ownPage)
    expect((await bench.call(key, { query: viewer })).status).toBe(401)
  })

  test('has its limit of requests at both resources together, and the refusal is an error of JSON-RPC', async () => {
    const bench = await createToolsBench({ options: withKeys })
    const key = await keyOf(await bench.signedIn('AUTHOR'))
    const send = { token: key, body }
    expect((await bench.send({ ...send, path: '/graphql' })).status).toBe(200)
    for (const status of [200, 200]) expect((await bench.send(send)).status).toBe(status)
    const { status, headers, json } = await bench.send(send)
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([429, '60', 'application/json'])
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: 429,
        message: expect.any(String),
        data: expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 60 }),
      },
    })
    expect(bench.calls).toHaveLength(2)
  })

  test('is 503 if it cannot be read, and no tool is executed', async () => {
    let isDown = false
    const bench = await createToolsBench({
      options: withKeys,
      around(call, run) {
        if (isDown && call === 'documents.get') throw new StoreError('STORE_UNAVAILABLE', 'at 10.0.0.7')
        return run()
      },
    })
    const key = await keyOf(await bench.signedIn('AUTHOR'))
    isDown = true
    const { status, headers, json, text } = await bench.call(key, { query: viewer })
    expect([status, headers.get('retry-after'), json.error.code]).toEqual([503, '5', 503])
    expect(text).not.toContain('10.0.0.7')
    expect(bench.calls).toEqual([])
  })
})
