import { allowNativeDelivery } from '@latchkey/accounts'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { newPassword, password, policy } from '../support/bench.ts'
import { outcomeOf, ownPage } from '../support/visitor.ts'
import { callback, createOAuthBench, desk, ended, lives, type OAuthBench, spa } from './support/oauth-bench.ts'

const write = 'mutation { writeNote(text: "x") }'
const viewer = '{ viewer { id } }'
const all = 'openid profile email offline_access notes:write accounts:read accounts:update'

describe('an access token of a client', () => {
  test('opens what its scopes name, within the roles of the account', async () => {
    const bench = createOAuthBench()
    const reader = await bench.signedIn('READER')
    const author = await bench.signedIn('AUTHOR')
    const scope = 'openid notes:write'
    const ofReader = bench.bearing((await bench.give(reader, { scope })).access_token)
    const ofAuthor = bench.bearing((await bench.give(author, { scope })).access_token)
    const narrow = bench.bearing((await bench.give(author, { scope: 'openid' })).access_token)
    expect(outcomeOf(await ofReader.ask(write))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await ofAuthor.ask(write))).toEqual([200, null])
    const refused = await narrow.ask(write)
    expect(outcomeOf(refused)).toEqual([403, 'FORBIDDEN'])
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect((await ofReader.ask(viewer)).data.viewer.id).toBe(reader.account.id)
  })

  test('has no account if it belongs to a machine, and may use its scopes', async () => {
    const bench = createOAuthBench()
    const machine = bench.bearing(await bench.machineToken())
    expect(outcomeOf(await machine.ask(write))).toEqual([200, null])
    expect(outcomeOf(await machine.ask(viewer))).toEqual([403, 'FORBIDDEN'])
    expect(outcomeOf(await machine.ask('{ accounts { id } }'))).toEqual([403, 'FORBIDDEN'])
  })

  test('opens the address of its account with the scope for it only', async () => {
    const bench = createOAuthBench()
    const reader = await bench.signedIn()
    const mail = '{ viewer { id email } }'
    const withEmail = bench.bearing((await bench.give(reader, { scope: 'openid email' })).access_token)
    const without = bench.bearing((await bench.give(reader, { scope: 'openid profile' })).access_token)
    expect((await withEmail.ask(mail)).data.viewer.email).toBe(reader.account.email)
    expect(outcomeOf(await without.ask(mail))).toEqual([403, 'FORBIDDEN'])
  })

  test('cannot change the account with any scopes', async () => {
    const bench = createOAuthBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
    const admin = await bench.signedIn('ADMIN')
    const other = await bench.insert()
    const client = bench.bearing((await bench.give(admin, { scope: all })).access_token)
    const before = await bench.stores.accounts.get(admin.account.id)
    const operations: readonly (readonly [string, object?])[] = [
      ['{ sessions { id } }'],
      ['{ grants { id } }'],
      ['mutation { revokeGrant(id: "gr_1") }'],
      ['mutation { revokeSession(id: "se_1") }'],
      ['mutation { revokeAllSessions(exceptCurrent: false) }'],
      [
        'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }',
        { currentPassword: password },
      ],
      [
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
        { currentPassword: password, newPassword },
      ],
    ]
    for (const [query, input] of operations) {
      expect([query, ...outcomeOf(await client.ask(query, { input }))]).toEqual([query, 403, 'FORBIDDEN'])
    }
    expect(await bench.stores.accounts.get(admin.account.id)).toEqual(before)
    expect((await admin.ask(viewer)).status).toBe(200)
    expect(other.roles).toEqual(['READER'])
  })

  test('signs itself out, and keeps other tokens of its client and of the account', async () => {
    const bench = createOAuthBench()
    const reader = await bench.signedIn()
    const first = await bench.give(reader, { client: desk, scope: 'openid offline_access' })
    const second = await bench.give(reader, { client: desk, scope: 'openid offline_access' })
    const refresh = { grant_type: 'refresh_token', client_id: desk.id, client_secret: 'secret-of-the-desk' }
    const renew = async () =>
      JSON.parse((await bench.token({ ...refresh, refresh_token: first.refresh_token ?? '' })).text).access_token
    const sibling = await renew()
    const client = Object.assign(bench.bearing(first.access_token), { jar: new Map(reader.jar) })
    const answer = await client.ask('mutation { signOut }', {}, ownPage)
    expect([answer.data, answer.cookies]).toEqual([{ signOut: true }, []])
    expect(await bench.livesAt(first.access_token)).toEqual(ended)
    for (const token of [sibling, await renew(), second.access_token]) expect(await bench.livesAt(token)).toEqual(lives)
    expect((await reader.ask(viewer)).status).toBe(200)
    const revoked = bench.events.filter(({ type }) => type === 'token.revoked')
    expect(revoked).toMatchObject([{ accountId: reader.account.id, sessionKey: expect.stringMatching(/^rt_/) }])
    expect((await bench.bearing(first.access_token).ask('mutation { signOut }')).data).toEqual({ signOut: false })
  })

  test("signs itself out if it belongs to a machine, and keeps the machine's other tokens", async () => {
    const bench = createOAuthBench()
    const [first, second] = [bench.bearing(await bench.machineToken()), bench.bearing(await bench.machineToken())]
    expect((await first.ask('mutation { signOut }')).data).toEqual({ signOut: true })
    expect([(await first.ask(write)).status, (await second.ask(write)).status]).toEqual([401, 200])
  })

  test('opens what a group of permissions has that its scopes name', async () => {
    const { permissions } = policy
    const roles = { READER: {}, AUTHOR: { permissions: ['notes:write'] }, ADMIN: {} } as const
    const grouped = definePolicy({ permissions, roles, scopes: { writing: ['notes:write'] } }) as never
    const bench = createOAuthBench({
      options: {
        policy: grouped,
        oauth: (parts) => {
          const client = { ...spa, scopes: ['openid', 'writing'] }
          return createAuthorizationServer({ ...parts, fixedClients: [client], consent: () => 'granted' })
        },
      },
    })
    const author = await bench.signedIn('AUTHOR')
    const writing = bench.bearing((await bench.give(author, { scope: 'openid writing' })).access_token)
    const reading = bench.bearing((await bench.give(author, { scope: 'openid' })).access_token)
    expect(outcomeOf(await writing.ask(write))).toEqual([200, null])
    expect(outcomeOf(await reading.ask(write))).toEqual([403, 'FORBIDDEN'])
    const ofReader = bench.bearing((await bench.give(await bench.signedIn(), { scope: 'writing' })).access_token)
    expect(outcomeOf(await ofReader.ask(write))).toEqual([403, 'FORBIDDEN'])
  })

  test('has the roles that the account has at the request', async () => {
    const bench = createOAuthBench()
    const author = await bench.signedIn('AUTHOR')
    const client = bench.bearing((await bench.give(author, { scope: 'openid notes:write' })).access_token)
    const account = (await bench.stores.accounts.get(author.account.id))!
    const { epoch, status } = account
    await bench.stores.accounts.replace(account.id, { epoch, status }, { roles: ['READER'] })
    expect(outcomeOf(await client.ask(write))).toEqual([403, 'FORBIDDEN'])
  })

  test('takes precedence over the cookie of the request, even if it is refused', async () => {
    const bench = createOAuthBench()
    const reader = await bench.signedIn()
    const { access_token: token } = await bench.give(reader)
    const both = Object.assign(reader, { bearer: token })
    expect(outcomeOf(await both.ask('{ sessions { id } }', {}, ownPage))).toEqual([403, 'FORBIDDEN'])
    for (const authorization of [`Bearer ${token}x`, `DPoP ${token}`, `DPoP ${token}, Bearer ${token}`, 'DPoP']) {
      const refused = await both.ask(viewer, {}, { ...ownPage, authorization })
      expect([authorization, refused.status]).toEqual([authorization, 401])
    }
  })
})

interface Kinds {
  readonly bench: OAuthBench
  readonly shown: Readonly<Record<string, string>>
}

/** One of each kind of what this service gives, all of one account. */
async function giveAll(): Promise<Kinds> {
  const bench = createOAuthBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
  const owner = await bench.signedIn('ADMIN')
  const native = bench.visitor()
  const answer = await native.signIn(owner.account.email, password, 'NATIVE')
  const given = await bench.give(owner, { client: desk, scope: all })
  const { code = '' } = await bench.giveCode(owner, { client: desk })
  return {
    bench,
    shown: {
      'an id token': given.id_token ?? '',
      'a refresh token of a client': given.refresh_token ?? '',
      'an authorization code': code,
      'the credential of a session': owner.jar.get('__Host-session') ?? '',
      'a refresh token of the service': native.refreshToken ?? '',
      'a challenge of a device': answer.data.signIn.deviceToken ?? '',
      'the secret of a client': 'secret-of-the-desk',
    },
  }
}

describe('other credentials', () => {
  test('are refused as access tokens by the endpoint', async () => {
    const { bench, shown } = await giveAll()
    for (const [kind, text] of Object.entries(shown)) {
      expect([kind, text === '']).toEqual([kind, false])
      for (const scheme of ['Bearer', 'DPoP']) {
        const answer = await bench.visitor().ask(viewer, {}, { authorization: `${scheme} ${text}` })
        expect([kind, scheme, ...outcomeOf(answer)]).toEqual([kind, scheme, 401, 'UNAUTHENTICATED'])
      }
    }
  })

  test("are refused by the endpoints for clients, and so are the service's own access tokens", async () => {
    const { bench, shown } = await giveAll()
    const own = await bench.signedIn('ADMIN', 'TOKEN')
    for (const [kind, text] of Object.entries({ ...shown, 'an own access token': own.bearer ?? '' })) {
      const userinfo = await bench.visitor().get('/userinfo', { authorization: `Bearer ${text}` })
      expect([kind, userinfo.status]).toEqual([kind, 401])
      if (kind === 'a refresh token of a client') continue
      const form = { client_id: desk.id, client_secret: 'secret-of-the-desk' }
      const said = await bench.visitor().post('/introspect', { ...form, token: text })
      expect([kind, JSON.parse(said.text)]).toEqual([kind, { active: false }])
      if (kind === 'an authorization code') continue
      for (const asked of [
        { grant_type: 'refresh_token', refresh_token: text },
        { grant_type: 'authorization_code', code: text, redirect_uri: callback, code_verifier: 'x'.repeat(43) },
      ]) {
        const { status, text: body } = await bench.token({ ...form, ...asked })
        expect([kind, asked.grant_type, status, JSON.parse(body).error]).toEqual([
          kind,
          asked.grant_type,
          400,
          'invalid_grant',
        ])
      }
    }
    expect((await own.ask(viewer)).status).toBe(200)
  })

  test("are refused by the service's own operations if they belong to a client", async () => {
    const bench = createOAuthBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
    const owner = await bench.signedIn()
    const given = await bench.give(owner, { client: desk, scope: 'openid offline_access' })
    const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
    for (const token of [given.refresh_token, given.access_token, given.id_token]) {
      const answer = await bench.visitor().ask(refresh, { input: { refreshToken: token } })
      expect(outcomeOf(answer)).toEqual([401, 'UNAUTHENTICATED'])
      const cookie = Object.assign(bench.visitor(), { jar: new Map([['__Host-session', token ?? '']]) })
      expect((await cookie.ask(viewer, {}, ownPage)).status).toBe(401)
    }
    expect(await bench.server.revokeToken(given.access_token)).toBe(false)
    expect(await bench.livesAt(given.access_token)).toEqual(lives)
  })

  test('are refused if they are tokens for another resource of the authorization server', async () => {
    const elsewhere = 'https://api.example.com/'
    const bench = createOAuthBench({
      options: {
        oauth: (parts) => {
          const options = { ...parts, fixedClients: [spa], consent: () => 'granted' as const }
          return createAuthorizationServer({ ...options, resources: [...parts.resources, elsewhere] })
        },
      },
    })
    const owner = await bench.signedIn()
    const clientFor = async (resource: string) => bench.bearing((await bench.give(owner, { resource })).access_token)
    const ofOther = await clientFor(elsewhere)
    expect((await ofOther.get('/userinfo')).status).toBe(401)
    expect((await ofOther.ask(viewer)).status).toBe(401)
    expect((await (await clientFor('https://example.com/graphql')).ask(viewer)).status).toBe(200)
  })

  test('are not issued for an unknown resource', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    const form = await bench.giveCode(owner)
    const { status, text } = await bench.token({ ...form, resource: 'https://example.com/other' })
    expect([status, JSON.parse(text).error]).toEqual([400, 'invalid_target'])
  })

  test('are refused if they are tokens of another service with the same keys', async () => {
    const bench = createOAuthBench()
    const elsewhere = createOAuthBench({ beside: bench, options: { graphql: { path: '/api' } } })
    const { access_token: token } = await bench.give(await bench.signedIn())
    const authorization = `Bearer ${token}`
    const body = JSON.stringify({ query: viewer })
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await elsewhere.server.fetch(
      new Request('https://example.com/api', { method: 'POST', body, headers }),
    )
    expect(response.status).toBe(401)
  })
})
