import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/visitor.ts'
import { createOAuthBench, type OAuthBench, type TokenAnswer } from './support/oauth-bench.ts'
import { createProofMaker, type ProofParts } from './support/proofs.ts'

const viewer = '{ viewer { id } }'
const key = createProofMaker()
const otherKey = createProofMaker()
const endpoint = 'https://example.com/graphql'

async function openBound(options: Parameters<typeof createOAuthBench>[0] = {}) {
  const bench = createOAuthBench(options)
  const owner = await bench.signedIn()
  const proof = key.prove({ method: 'POST', url: 'https://example.com/token', at: bench.clock.time })
  const given = await bench.give(owner, { proof, scope: 'openid offline_access' })
  const prove = (parts: Partial<ProofParts> = {}, by = key): string =>
    by.prove({ method: 'POST', url: endpoint, at: bench.clock.time, token: given.access_token, ...parts })
  return { bench, given, prove, owner }
}

function show(
  bench: OAuthBench,
  { access_token: token }: TokenAnswer,
  headers: Record<string, string>,
): Promise<Answer> {
  return bench.visitor().ask(viewer, {}, { authorization: `DPoP ${token}`, ...headers })
}

describe('an access token that is bound to a key', () => {
  test('is accepted with a proof for this request, once', async () => {
    const { bench, given, prove } = await openBound()
    const dpop = prove()
    expect(given.token_type).toBe('DPoP')
    expect((await show(bench, given, { dpop })).status).toBe(200)
    expect((await show(bench, given, { dpop })).status).toBe(401)
    const second = prove()
    const answers = await Promise.all(Array.from({ length: 20 }, () => show(bench, given, { dpop: second })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is accepted over GET with a proof for GET', async () => {
    const { bench, given, prove } = await openBound()
    const target = `/graphql?query=${encodeURIComponent(viewer)}`
    const authorization = `DPoP ${given.access_token}`
    const wrong = await bench.visitor().get(target, { authorization, dpop: prove() })
    expect(wrong.status).toBe(401)
    expect((await bench.visitor().get(target, { authorization, dpop: prove({ method: 'GET' }) })).status).toBe(200)
  })

  test('opens all operations of a batch with one proof', async () => {
    const { bench, given, prove } = await openBound({ options: { graphql: { requestLimits: { batchSize: 5 } } } })
    const headers = { authorization: `DPoP ${given.access_token}`, dpop: prove(), 'content-type': 'application/json' }
    const body = JSON.stringify([{ query: viewer }, { query: viewer }, { query: '{ hello }' }])
    const { status, text } = await bench.visitor().postText('/graphql', body, headers)
    expect(status).toBe(200)
    expect(JSON.parse(text).map((answer: { errors?: unknown }) => answer.errors)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    const again = await bench.visitor().postText('/graphql', body, headers)
    expect([...again.text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code)).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ])
  })

  test('is refused as Bearer, with and without its proof', async () => {
    const { bench, given, prove } = await openBound()
    const client = bench.bearing(given.access_token)
    expect((await client.ask(viewer)).status).toBe(401)
    expect((await client.ask(viewer, {}, { dpop: prove() })).status).toBe(401)
  })

  test.each<[string, Partial<ProofParts>]>([
    ['another method', { method: 'GET' }],
    ['another path', { url: 'https://example.com/token' }],
    ['another host', { url: 'https://evil.example/graphql' }],
    ['plain http', { url: 'http://example.com/graphql' }],
    ['another token', { token: 'another' }],
  ])('is refused with a proof for %s, and the challenge says so', async (_what, parts) => {
    const { bench, given, prove } = await openBound()
    const { status, headers } = await show(bench, given, { dpop: prove(parts) })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('DPoP error="invalid_dpop_proof"')
  })

  test('is refused with no proof, one without the token, one of another key, and two', async () => {
    const { bench, given, prove } = await openBound()
    const { at } = { at: bench.clock.time }
    const bare = key.prove({ method: 'POST', url: endpoint, at })
    for (const dpop of [null, bare, prove({}, otherKey), `${prove()}, ${prove()}`]) {
      expect((await show(bench, given, dpop === null ? {} : { dpop })).status).toBe(401)
    }
    expect((await show(bench, given, { dpop: prove() })).status).toBe(200)
  })

  test('is verified with the public address, for any host of the request', async () => {
    const { bench, given, prove } = await openBound({ options: { http: { allowedHosts: ['inner.example:4000'] } } })
    const send = (dpop: string) =>
      bench.server.fetch(
        new Request('https://inner.example:4000/graphql', {
          method: 'POST',
          headers: { authorization: `DPoP ${given.access_token}`, dpop, 'content-type': 'application/json' },
          body: JSON.stringify({ query: viewer }),
        }),
      )
    expect((await send(prove({ url: 'https://inner.example:4000/graphql' }))).status).toBe(401)
    expect((await send(prove())).status).toBe(200)
  })
})

describe('a client whose clock is wrong', () => {
  const skews = [-3_600_000, 120_000]
  const challenge =
    'DPoP error="use_dpop_nonce", scope="openid", algs="ES256 EdDSA RS256 PS256", ' +
    'resource_metadata="https://example.com/.well-known/oauth-protected-resource/graphql"'

  test.each(skews)(
    'by %i ms is given a nonce at the endpoint, and with it the data, once for each proof',
    async (skew) => {
      const { bench, given, prove } = await openBound()
      const at = bench.clock.time + skew
      const refused = await show(bench, given, { dpop: prove({ at }) })
      expect([refused.status, refused.codes, refused.headers.get('www-authenticate')]).toEqual([
        401,
        ['UNAUTHENTICATED'],
        challenge,
      ])
      const dpop = prove({ at, nonce: refused.headers.get('dpop-nonce') ?? '' })
      const accepted = await show(bench, given, { dpop })
      expect([accepted.status, accepted.headers.get('dpop-nonce')]).toEqual([200, null])
      const replayed = await show(bench, given, { dpop })
      expect([replayed.status, replayed.headers.get('dpop-nonce')]).toEqual([401, null])
      expect(replayed.headers.get('www-authenticate')).toContain('DPoP error="invalid_dpop_proof"')
    },
  )

  test('gets a nonce with public data, too', async () => {
    const { bench, given, prove } = await openBound()
    const headers = { authorization: `DPoP ${given.access_token}`, dpop: prove({ at: bench.clock.time - 120_000 }) }
    const { status, headers: sent } = await bench.visitor().ask('{ hello }', {}, headers)
    expect([status, sent.get('www-authenticate')]).toEqual([200, null])
    const dpop = prove({ at: bench.clock.time - 120_000, nonce: sent.get('dpop-nonce') ?? '' })
    expect((await show(bench, given, { dpop })).status).toBe(200)
  })

  test('gets a nonce for a stream, which pages of clients may read', async () => {
    const { bench, given, prove } = await openBound()
    const dpop = prove({ url: `${endpoint}/stream`, at: bench.clock.time + 3_600_000 })
    const headers = { authorization: `DPoP ${given.access_token}`, dpop, 'content-type': 'application/json' }
    const body = JSON.stringify({ query: viewer })
    const sent = { ...headers, accept: 'text/event-stream', origin: 'https://spa.example.org' }
    const refused = await bench.visitor().postText('/graphql/stream', body, sent)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, challenge])
    expect(refused.headers.get('dpop-nonce')).toMatch(/^\S+$/)
    expect(refused.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce')
  })

  test('is given no nonce for a proof with which something else is wrong', async () => {
    const { bench, given, prove } = await openBound()
    const at = bench.clock.time - 3_600_000
    const wrong = [prove({ at, token: 'another' }), prove({ at, method: 'GET' }), prove({ at }, otherKey), 'none']
    for (const dpop of [...wrong, `${prove({ at })}, ${prove({ at })}`]) {
      const { status, headers } = await show(bench, given, { dpop })
      expect([status, headers.get('dpop-nonce')]).toEqual([401, null])
      expect(headers.get('www-authenticate')).toContain('DPoP error="invalid_dpop_proof"')
    }
  })
})

test('a token that is bound to no key is refused as DPoP', async () => {
  const bench = createOAuthBench()
  const { access_token: token } = await bench.give(await bench.signedIn())
  const dpop = key.prove({ method: 'POST', url: endpoint, at: bench.clock.time, token })
  const answer = await bench.visitor().ask(viewer, {}, { authorization: `DPoP ${token}`, dpop })
  expect(answer.status).toBe(401)
  expect((await bench.bearing(token).ask(viewer)).status).toBe(200)
})

test('an own token is refused as DPoP', async () => {
  const bench = createOAuthBench()
  const owner = await bench.signedIn('READER', 'TOKEN')
  const token = owner.bearer ?? ''
  const dpop = key.prove({ method: 'POST', url: endpoint, at: bench.clock.time, token })
  expect((await bench.visitor().ask(viewer, {}, { authorization: `DPoP ${token}`, dpop })).status).toBe(401)
  expect((await owner.ask(viewer)).status).toBe(200)
})
