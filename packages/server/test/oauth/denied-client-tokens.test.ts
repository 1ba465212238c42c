import { createDenyList, createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { password, type SignedIn } from '../support/bench.ts'
import { ownPage } from '../support/visitor.ts'
import { createOAuthBench, desk, lives, type OAuthBench } from './support/oauth-bench.ts'

/** A service elsewhere that reads the denials of this one, and nothing else of it but its public keys. */
function verifierElsewhere({ server, stores, clock }: OAuthBench) {
  const now = () => clock.time
  const fetch = (url: unknown, init?: RequestInit) => server.fetch(new Request(String(url), init))
  const keys = createRemoteKeySet({ url: 'https://example.com/jwks', fetch, now })
  const denyList = createDenyList({ documents: stores.documents, now })
  const named = { issuer: 'https://example.com', audience: 'https://example.com/graphql', typ: 'at+jwt' }
  const verifier = createJwtVerifier({ ...named, algorithms: ['ES256'], keys, denyList, now })
  return async (token: string) => {
    const verdict = await verifier.verify(token)
    return verdict.ok ? 'ok' : verdict.reason
  }
}

const refreshOf = (bench: OAuthBench, token = '') =>
  bench.token({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: desk.id,
    client_secret: 'secret-of-the-desk',
  })

const ends: Readonly<Record<string, (bench: OAuthBench, owner: SignedIn) => Promise<unknown>>> = {
  'the sign-out of its session': (_bench, owner) => owner.ask('mutation { signOut }', {}, ownPage),
  'the revocation of its session': async (bench, owner) => {
    const { data } = await owner.ask('{ sessions { id current } }')
    const { id } = data.sessions.find(({ current }: { current: boolean }) => current)
    const other = bench.visitor()
    await other.signIn(owner.account.email, password)
    return other.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id }, ownPage)
  },
}

describe('a service that verifies tokens of clients elsewhere', () => {
  test.each(Object.entries(ends))('refuses a token without offline_access after %s', async (_name, end) => {
    const bench = createOAuthBench()
    const elsewhere = verifierElsewhere(bench)
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: bound } = await bench.give(owner, { client: desk, scope: 'openid' })
    const { access_token: kept } = await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    expect([await elsewhere(bound), await elsewhere(kept)]).toEqual(['ok', 'ok'])
    await end(bench, owner)
    expect([await elsewhere(bound), await elsewhere(kept)]).toEqual(['denied', 'ok'])
  })

  test('refuses a token after an old refresh token of its family was used again', async () => {
    const bench = createOAuthBench()
    const elsewhere = verifierElsewhere(bench)
    const owner = await bench.signedIn('AUTHOR')
    const first = await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    const next = JSON.parse((await refreshOf(bench, first.refresh_token)).text)
    await refreshOf(bench, next.refresh_token)
    bench.advance(11)
    expect(await elsewhere(next.access_token)).toBe('ok')
    expect((await refreshOf(bench, first.refresh_token)).status).toBe(400)
    expect(await elsewhere(next.access_token)).toBe('denied')
  })

  test('a sign-out is 503 and keeps session and tokens while the denials cannot be written', async () => {
    let isDown = false
    const around = (call: string, run: () => Promise<unknown>) =>
      isDown && call === 'documents.insert' ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : run()
    const bench = createOAuthBench({ around })
    const owner = await bench.signedIn('AUTHOR')
    const { access_token: bound } = await bench.give(owner, { client: desk, scope: 'openid' })
    isDown = true
    expect((await owner.ask('mutation { signOut }', {}, ownPage)).status).toBe(503)
    isDown = false
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    expect(await bench.livesAt(bound)).toEqual(lives)
    expect((await owner.ask('mutation { signOut }', {}, ownPage)).status).toBe(200)
    expect(await verifierElsewhere(bench)(bound)).toBe('denied')
  })
})
