import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { createOAuthBench } from './support/oauth-bench.ts'

const metadata = 'resource_metadata="https://example.com/.well-known/oauth-protected-resource/graphql"'
const algorithms = 'algs="ES256 EdDSA RS256 PS256"'
const viewer = '{ viewer { id } }'

describe('the challenges of the endpoint name its metadata', () => {
  test('without a token', async () => {
    const { headers, status } = await createOAuthBench().visitor().ask(viewer)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="graphql", ${metadata}, DPoP ${algorithms}, ${metadata}`)
  })

  test('with one that is refused', async () => {
    const { headers } = await createOAuthBench().bearing('none').ask(viewer)
    const error = 'error="invalid_token"'
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="graphql", ${error}, ${metadata}, DPoP ${error}, ${algorithms}, ${metadata}`,
    )
  })

  test('where a fresh sign-in is needed', async () => {
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

  test('where a password is wrong, and where a stream is asked for', async () => {
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

  test('which is there, and names the endpoint byte for byte', async () => {
    const { headers, text, status } = await createOAuthBench()
      .visitor()
      .get('/.well-known/oauth-protected-resource/graphql', { host: 'example.com' })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(JSON.parse(text)).toMatchObject({
      resource: 'https://example.com/graphql',
      authorization_servers: ['https://example.com'],
    })
  })
})

test('without an authorization server they name nothing', async () => {
  const { headers } = await createBench().visitor().ask(viewer)
  expect(headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
})
