import { createAuthorizationServer, type FixedClient } from '@latchkey/oauth/server'
import { describe, expect, test } from 'vitest'
import { newPassword, password } from '../support/bench.ts'
import { ownPage, type Visitor } from '../support/visitor.ts'
import { createOAuthBench, type OAuthBench, spa } from './support/oauth-bench.ts'
import { createProofMaker } from './support/proofs.ts'

const app: FixedClient = { ...spa, firstParty: true, scopes: [...(spa.scopes ?? []), 'online_access'] }
const key = createProofMaker()

const openBench = () =>
  createOAuthBench({
    options: { oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [app] }) },
  })

const proofAt = (bench: OAuthBench, path: string, token?: string) =>
  key.prove({ method: 'POST', url: `https://example.com${path}`, at: bench.clock.time, ...(token && { token }) })

/** Lets the page of the client ask for tokens, as it does at each reload. */
const reload = (bench: OAuthBench, owner: Visitor) =>
  bench.give(owner, { client: app, scope: 'openid online_access', proof: proofAt(bench, '/token') })

async function renew(bench: OAuthBench, token: string | undefined) {
  const form = { grant_type: 'refresh_token', client_id: app.id, refresh_token: token ?? '' }
  const { status, text } = await bench.token(form, { dpop: proofAt(bench, '/token') })
  return { status, ...(JSON.parse(text) as { refresh_token?: string; access_token: string; error?: string }) }
}

const askAs = (bench: OAuthBench, token: string, query: string) =>
  bench.visitor().ask(query, {}, { authorization: `DPoP ${token}`, dpop: proofAt(bench, '/graphql', token) })

const devices = '{ sessions { kind clientId current } }'

describe('a page that signs in again at each reload', () => {
  test('has a single refresh token, and no separate entry in the list of sessions', async () => {
    const bench = openBench()
    const owner = await bench.signedIn()
    for (let reloads = 0; reloads < 6; reloads++) {
      bench.advance(1)
      await reload(bench, owner)
    }
    const { items } = await bench.stores.records.listByOwner(owner.account.id)
    expect(items.filter(({ key: name }) => name.startsWith('rt_'))).toHaveLength(1)
    const listed = { sessions: [{ kind: 'session', clientId: null, current: true }] }
    expect((await owner.ask(devices)).data).toEqual(listed)
    const { access_token: token } = await reload(bench, owner)
    expect((await askAs(bench, token, devices)).data).toEqual(listed)
    expect((await owner.get('/devices')).text).not.toContain('rt_')
    expect((await owner.ask('{ grants { clientId lastUsedAt } }')).data).toEqual({
      grants: [{ clientId: 'spa', lastUsedAt: new Date(bench.clock.time).toISOString() }],
    })
  })

  test('keeps the session from idling by its refreshes, but not beyond its expiry', async () => {
    const bench = openBench()
    const owner = await bench.signedIn()
    let token = (await reload(bench, owner)).refresh_token
    const step = 50 * 60
    for (let passed = step; passed < 8 * 3600; passed += step) {
      bench.advance(step)
      const renewed = await renew(bench, token)
      expect(renewed.status).toBe(200)
      token = renewed.refresh_token
    }
    expect((await owner.ask('{ viewer { id } }')).status).toBe(200)
    bench.advance(step)
    expect((await renew(bench, token)).error).toBe('invalid_grant')
    expect((await owner.ask('{ viewer { id } }')).status).toBe(401)
  })

  test('is out when the session has idled away', async () => {
    const bench = openBench()
    const { refresh_token: token } = await reload(bench, await bench.signedIn())
    bench.advance(3600)
    expect((await renew(bench, token)).error).toBe('invalid_grant')
  })

  test('stays signed in through a step-up and another sign-in', async () => {
    const bench = openBench()
    const owner = await bench.signedIn()
    const first = await renew(bench, (await reload(bench, owner)).refresh_token)
    const confirm = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { csrfToken } }'
    const confirmed = await owner.ask(confirm, { input: { currentPassword: password } })
    expect(confirmed.status).toBe(200)
    owner.csrfToken = confirmed.data.confirmPassword.csrfToken
    const second = await renew(bench, first.refresh_token)
    expect(second.status).toBe(200)
    expect((await owner.signIn(owner.account.email, password)).status).toBe(200)
    const third = await renew(bench, second.refresh_token)
    expect(third.status).toBe(200)
    expect((await askAs(bench, third.access_token, devices)).status).toBe(200)
    await owner.ask('mutation { signOut }', {}, ownPage)
    expect((await renew(bench, third.refresh_token)).error).toBe('invalid_grant')
  })

  type End = [string, (owner: Awaited<ReturnType<OAuthBench['signedIn']>>, bench: OAuthBench) => Promise<unknown>]
  test.each<End>([
    ['a sign-out', (owner) => owner.ask('mutation { signOut }')],
    ['the end of all sessions', (owner) => owner.ask('mutation { revokeAllSessions(exceptCurrent: false) }')],
    [
      'the end of the session in the list of devices',
      async (owner) => {
        const [{ id }] = (await owner.ask('{ sessions { id } }')).data.sessions
        return owner.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })
      },
    ],
    ['a sign-in of another account', async (owner, bench) => owner.signIn((await bench.insert()).email, password)],
    [
      'another password',
      (owner) =>
        owner.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
          input: { currentPassword: password, newPassword },
        }),
    ],
    [
      'a withdrawn consent',
      async (owner) => {
        const [{ id }] = (await owner.ask('{ grants { id } }')).data.grants
        return owner.ask('mutation ($id: ID!) { revokeGrant(id: $id) }', { id })
      },
    ],
  ])('is out at once by %s', async (_what, end) => {
    const bench = openBench()
    const owner = await bench.signedIn()
    const given = await reload(bench, owner)
    expect((await askAs(bench, given.access_token, devices)).status).toBe(200)
    expect(await end(owner, bench)).toMatchObject({ status: 200 })
    expect((await renew(bench, given.refresh_token)).error).toBe('invalid_grant')
    expect((await askAs(bench, given.access_token, devices)).status).toBe(401)
  })
})
