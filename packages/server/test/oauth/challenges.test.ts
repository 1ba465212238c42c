import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { createOAuthBench } from './support/oauth-bench.ts'

const metadata = 'resource_metadata="https://example.com/.well-known/oauth-protected-resource/graphql"'
const algorithms = 'algs="ES256 EdDSA RS256 PS256"'
const viewer = '{ viewer { id } }'

const write = 'mutation { writeNote(text: "x") }'

describe('a refusal for the scopes of a token', () => {
  async function refusalOf(query: string, scope: string, role: 'READER' | 'AUTHOR' | 'ADMIN' = 'AUTHOR') {
    const bench = createOAuthBench()
    const { access_token: token } = await bench.give(await bench.signedIn(role), { scope })
    const { status, errors, headers } = await bench.bearing(token).ask(query)
    return {
      status,
      extensions: errors.map(({ extensions }) => extensions),
      challenge: headers.get('www-authenticate'),
      events: bench.events.filter(({ type }) => type === 'access.denied'),
    }
  }

  test('names the needed scopes in every challenge, in the body and in the event', async () => {
    const { status, extensions, challenge, events } = await refusalOf(write, 'openid')
    expect([status, extensions]).toEqual([
      403,
      [{ code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: ['notes:write'] }],
    ])
    const error = 'error="insufficient_scope", scope="notes:write"'
    expect(challenge).toBe(`Bearer realm="graphql", ${error}, ${metadata}, DPoP ${error}, ${algorithms}, ${metadata}`)
    expect(events).toMatchObject([{ code: 'FORBIDDEN', status: 403, scopes: ['notes:write'] }])
  })

  test('names needed scopes that the token has, too', async () => {
    const { extensions } = await refusalOf('{ viewer { id email } }', 'openid')
    expect(extensions).toEqual([{ code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: ['openid', 'email'] }])
  })

  test.each([
    ['the role lacks the permission', write, 'openid', 'READER'],
    ['the role lacks the permission that the token names', write, 'openid notes:write', 'READER'],
    ['the field is for the service itself', '{ sessions { id } }', 'openid', 'ADMIN'],
    ['one field of two is for the service itself', '{ viewer { id email } sessions { id } }', 'openid', 'ADMIN'],
  ] as const)('names no scopes if %s', async (_what, query, scope, role) => {
    const { status, extensions, challenge, events } = await refusalOf(query, scope, role)
    expect([status, challenge]).toEqual([403, null])
    for (const shown of extensions) expect(shown).toEqual({ code: 'FORBIDDEN' })
    expect(events).toMatchObject([{ scopes: [] }])
  })

  test('names them to an API key without an authorization server, which has no metadata', async () => {
    const bench = createBench({
      options: { accounts: { apiKeys: { prefix: 'lk_', scopes: ['openid', 'notes:write'] } } },
    })
    const { status, errors, headers } = await bench.visitor().ask(write)
    expect([status, errors[0]?.extensions]).toEqual([401, { code: 'UNAUTHENTICATED', scopes: ['notes:write'] }])
    expect(headers.get('www-authenticate')).toBe('Bearer realm="graphql", scope="notes:write"')
  })
})

describe('the challenges of the endpoint name its metadata', () => {
  test('without a token', async () => {
    const { headers, status } = await createOAuthBench().visitor().ask(viewer)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="graphql", scope="openid", ${metadata}, DPoP scope="openid", ${algorithms}, ${metadata}`,
    )
  })

  test('for a refused token', async () => {
    const { headers } = await createOAuthBench().bearing('none').ask(viewer)
    const error = 'error="invalid_token", scope="openid"'
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="graphql", ${error}, ${metadata}, DPoP ${error}, ${algorithms}, ${metadata}`,
    )
  })

  test('for a fresh sign-in', async () => {
    const typeDefs = `
      extend type Account { greeting: String! @public }
      type Query { hello: String! @public, secretPlan: String! @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 300, ifEnrolled: true) }
      type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }`
    const bench = createOAuthBench({ options: { typeDefs } })
    const client = bench.bearing(
      (await bench.give(await bench.signedIn('ADMIN'), { scope: 'notes:write' })).access_token,
    )
    bench.advance(301)
    const { status, headers, codes } = await client.ask('{ secretPlan }')
    expect([status, ...codes]).toEqual([401, 'STEP_UP_REQUIRED'])
    const error = 'error="insufficient_user_authentication", max_age="300"'
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="graphql", ${error}, ${metadata}, DPoP error="insufficient_user_authentication", max_age="300", ${algorithms}, ${metadata}`,
    )
  })

  test('for a wrong password, and for a stream', async () => {
    const bench = createOAuthBench()
    const owner = await bench.insert()
    expect((await bench.visitor().signIn(owner.email, `${password}!`)).headers.get('www-authenticate')).toContain(
      metadata,
    )
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
    const stream = await bench
      .visitor()
      .postText('/graphql/stream', JSON.stringify({ query: '{ viewer { id } }' }), headers)
    expect([stream.status, stream.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining(metadata)])
  })

  test("at a path that serves it, byte for byte the endpoint's address", async () => {
    const { headers, text, status } = await createOAuthBench()
      .visitor()
      .get('/.well-known/oauth-protected-resource/graphql', { host: 'example.com' })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(JSON.parse(text)).toMatchObject({
      resource: 'https://example.com/graphql',
      authorization_servers: ['https://example.com'],
      scopes_supported: expect.not.arrayContaining(['offline_access']),
    })
  })
})

test('challenges without an authorization server name no metadata', async () => {
  const { headers } = await createBench().visitor().ask(viewer)
  expect(headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
})
