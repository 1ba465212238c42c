import { StoreError } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { newPassword, password } from '../support/bench.ts'
import { outcomeOf, ownPage } from '../support/visitor.ts'
import { create, createKeysBench } from './keys-bench.ts'

const write = 'mutation { writeNote(text: "x") }'
const viewer = '{ viewer { id } }'
const hello = '{ hello }'

const reasonOf = ({ errors }: { readonly errors?: readonly { readonly extensions: object }[] }) =>
  errors?.map(({ extensions }) => ('reason' in extensions ? extensions.reason : null))

describe('an API key at the endpoint', () => {
  test('opens what its scopes name, within the roles of the account at the request', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const { program } = await bench.createKey(author)
    const narrow = await bench.createKey(author, { scopes: ['openid'] })
    expect(outcomeOf(await program.ask(write))).toEqual([200, null])
    const refused = await narrow.program.ask(write)
    expect(outcomeOf(refused)).toEqual([403, 'FORBIDDEN'])
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    const { id } = author.account
    await bench.stores.accounts.replace(id, {}, { roles: ['READER'] })
    expect(outcomeOf(await program.ask(write))).toEqual([403, 'FORBIDDEN'])
    await bench.stores.accounts.replace(id, {}, { roles: ['AUTHOR'] })
    expect(outcomeOf(await program.ask(write))).toEqual([200, null])
  })

  test('opens the address of its account with the scope for it only', async () => {
    const bench = createKeysBench()
    const reader = await bench.signedIn()
    const mail = '{ viewer { email } }'
    const withEmail = await bench.createKey(reader, { scopes: ['openid', 'email'] })
    const without = await bench.createKey(reader, { scopes: ['openid'] })
    expect((await withEmail.program.ask(mail)).data.viewer.email).toBe(reader.account.email)
    expect(outcomeOf(await without.program.ask(mail))).toEqual([403, 'FORBIDDEN'])
  })

  test.each<[query: string, input?: object]>([
    ['{ apiKeys { id } }'],
    ['{ sessions { id } }'],
    ['{ grants { id } }'],
    ['mutation { revokeApiKey(id: "0") }'],
    ['mutation { revokeSession(id: "se_1") }'],
    ['mutation { revokeAllSessions(exceptCurrent: false) }'],
    ['mutation { signOut }'],
    [create, { name: 'Another', scopes: ['notes:write'] }],
    [
      'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status } }',
      { currentPassword: password },
    ],
    [
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
      { currentPassword: password, newPassword },
    ],
    ['mutation ($input: SignInInput!) { signIn(input: $input) { status } }', { email: 'a@example.com', password }],
    ['mutation { refresh { accessToken } }'],
    ['mutation { lockAccount(id: "acc_1") { id } }'],
    ['mutation { startTotpEnrollment { secret } }'],
  ])('is refused %s by its reason and without a challenge, and nothing changes', async (query, input) => {
    const bench = createKeysBench({
      signIn: { totp: (parts) => createTotp({ ...parts, issuer: 'Notes' }), recoveryCodes: createRecoveryCodes },
    })
    const admin = await bench.signedIn('ADMIN')
    const { program } = await bench.createKey(admin)
    const before = await bench.stores.accounts.get(admin.account.id)
    const answer = await program.ask(query, { input }, ownPage)
    expect(outcomeOf(answer)).toEqual([403, 'FORBIDDEN'])
    expect(reasonOf(answer)).toEqual(['api-key'])
    expect(answer.headers.get('www-authenticate')).toBeNull()
    expect([answer.text, answer.cookies]).toEqual([expect.not.stringMatching(/challenge|factors/), []])
    expect(await bench.stores.accounts.get(admin.account.id)).toEqual(before)
    expect(outcomeOf(await program.ask(write))).toEqual([200, null])
    expect((await admin.ask(viewer)).status).toBe(200)
  })

  test('has the same refusal if it is unknown, expired or revoked, and is anonymous for public fields', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const expired = await bench.createKey(author, { expiresInDays: 1 })
    bench.advance(86_400)
    const owner = await bench.signedIn('AUTHOR')
    const revoked = await bench.createKey(owner)
    expect((await owner.ask(`mutation { revokeApiKey(id: "${revoked.id}") }`, {}, ownPage)).data).toEqual({
      revokeApiKey: true,
    })
    const ended = await bench.createKey(owner)
    await owner.ask('mutation { revokeAllSessions }', {}, ownPage)
    const malformed = bench.bearing(`${revoked.key.slice(0, -1)}_`)
    const programs = [expired.program, revoked.program, ended.program, malformed]
    const seen = await Promise.all(
      programs.map(async (program) => {
        const { status, headers, text } = await program.ask(write)
        return [status, headers.get('www-authenticate'), text.replace(/"requestId":"[^"]*"/, '')]
      }),
    )
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(seen[0]?.slice(0, 2)).toEqual([401, expect.stringContaining('error="invalid_token"')])
    for (const program of programs) expect((await program.ask(hello)).data).toEqual({ hello: 'Hello' })
  })

  test('is ignored in the query, the body, a cookie and as DPoP, at other endpoints and on pages', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const { key, program } = await bench.createKey(author, { scopes: ['openid', 'notes:write'] })
    const visitor = bench.visitor()
    const query = encodeURIComponent(viewer)
    expect((await visitor.get(`/graphql?query=${query}&access_token=${key}`)).status).toBe(401)
    expect((await visitor.ask(viewer, { access_token: key })).status).toBe(401)
    for (const headers of [
      { authorization: `DPoP ${key}` },
      { authorization: `Basic ${btoa(`:${key}`)}` },
      { 'x-api-key': key },
    ])
      expect((await visitor.ask(viewer, {}, headers)).status).toBe(401)
    for (const name of ['__Host-session', '__Host-refresh']) {
      const holder = Object.assign(bench.visitor(), { jar: new Map([[name, key]]) })
      expect((await holder.ask(viewer)).status).toBe(401)
    }
    expect(await bench.livesAt(key)).toEqual({ graphql: true, userinfo: false, introspect: false })
    const form = { grant_type: 'refresh_token', client_id: 'spa', refresh_token: key }
    expect((await bench.token(form)).status).toBe(400)
    await (await bench.server.accounts()).settled()
    bench.advance(60)
    expect((await program.get('/account')).headers.get('location')).toMatch(/^\/sign-in/)
    expect((await program.get('/devices')).headers.get('location')).toMatch(/^\/sign-in/)
    await (await bench.server.accounts()).settled()
    const [listed] = await (await bench.server.accounts()).listApiKeys(author.account.id)
    expect(listed?.lastUsedAt).toBe(bench.clock.time - 60_000)
    expect((await program.ask(viewer)).status).toBe(200)
  })

  test('takes precedence over the cookie of the request, even if it is refused', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const { id, key } = await bench.createKey(author)
    await (await bench.server.accounts()).revokeApiKey({
      subject: author.account.id,
      id,
      attempt: { address: null, deviceToken: null, channel: 'command', requestId: null },
    })
    expect((await Object.assign(author, { bearer: key }).ask(viewer)).status).toBe(401)
  })

  test('is limited by its own row 7, and bad keys by the limit of the address', async () => {
    const bench = createKeysBench({
      accounts: { apiKeys: { prefix: 'lk_', scopes: ['notes:write'], requestsPerMinute: 2 } },
    })
    const author = await bench.signedIn('AUTHOR')
    const [one, other] = [await bench.createKey(author), await bench.createKey(author)]
    const statuses = async () => (await one.program.ask(write)).status
    expect([await statuses(), await statuses()]).toEqual([200, 200])
    const limited = await one.program.ask(hello)
    expect(outcomeOf(limited)).toEqual([429, 'RATE_LIMITED'])
    expect(limited.headers.get('retry-after')).toBe('60')
    expect((await other.program.ask(write)).status).toBe(200)
    const bad = bench.bearing(`lk_${'0'.repeat(65)}`)
    for (let made = 0; made < 30; made++) expect((await bad.ask(write)).status).toBe(401)
    expect(outcomeOf(await bad.ask(write))).toEqual([429, 'RATE_LIMITED'])
    expect((await other.program.ask(write)).status).toBe(200)
    bench.advance(60)
    expect((await bad.ask(write)).status).toBe(401)
  })

  test('is a 503 while the store of keys does not answer', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const { program } = await bench.createKey(author)
    bench.stores.documents.get = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
    expect((await program.ask(write)).status).toBe(503)
    expect((await program.ask(hello)).status).toBe(503)
  })

  test('is no key of a service without them', async () => {
    const { key } = await (async () => {
      const bench = createKeysBench()
      return bench.createKey(await bench.signedIn('AUTHOR'))
    })()
    const bench = createKeysBench({ accounts: { apiKeys: undefined } as never })
    expect((await bench.bearing(key).ask(viewer)).status).toBe(401)
    expect((await bench.visitor().ask('{ __type(name: "ApiKey") { name } }')).data?.__type ?? null).toBeNull()
  })
})

describe('the fields of API keys', () => {
  test('create, list and revoke', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const other = await bench.signedIn('AUTHOR')
    const { id, key, program } = await bench.createKey(author)
    await program.ask(write)
    await (await bench.server.accounts()).settled()
    const list = '{ apiKeys { id name start scopes createdAt expiresAt lastUsedAt } }'
    expect((await author.ask(list)).data.apiKeys).toEqual([
      {
        id,
        name: 'Export',
        start: key.slice(0, 8),
        scopes: ['notes:write'],
        createdAt: new Date(bench.clock.time).toISOString(),
        expiresAt: new Date(bench.clock.time + 90 * 86_400_000).toISOString(),
        lastUsedAt: new Date(bench.clock.time).toISOString(),
      },
    ])
    const { sessions } = (await author.ask('{ sessions { id kind clientName current } }')).data
    expect(sessions).toContainEqual({ id, kind: 'api-key', clientName: 'Export', current: false })
    expect((await other.ask(list)).data.apiKeys).toEqual([])
    const revoke = `mutation { revokeApiKey(id: "${id}") }`
    expect((await other.ask(revoke, {}, ownPage)).data).toEqual({ revokeApiKey: false })
    expect((await program.ask(write)).status).toBe(200)
    expect((await author.ask(`mutation { revokeSession(id: "${id}") }`, {}, ownPage)).data).toEqual({
      revokeSession: true,
    })
    expect((await program.ask(write)).status).toBe(401)
    expect((await author.ask(list)).data.apiKeys).toEqual([])
  })

  test.each<[change: object, field: string, role?: 'ADMIN' | 'AUTHOR']>([
    [{ name: ' ' }, 'input.name'],
    [{ scopes: [] }, 'input.scopes'],
    [{ scopes: ['accounts:read'] }, 'input.scopes'],
    [{ scopes: ['accounts:update'] }, 'input.scopes', 'ADMIN'],
    [{ scopes: ['ownership:bypass'] }, 'input.scopes', 'ADMIN'],
    [{ expiresInDays: 366 }, 'input.expiresInDays'],
  ])('refuse %o, and nothing is stored', async (change, field, role = 'AUTHOR') => {
    const bench = createKeysBench()
    const author = await bench.signedIn(role)
    const input = { name: 'Export', scopes: ['notes:write'], ...change }
    const { errors } = await author.ask(create, { input }, ownPage)
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field } }])
    expect((await bench.stores.documents.list('api-keys')).items).toEqual([])
  })

  test('need a fresh proof, and refuse a client', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const client = bench.bearing((await bench.give(author, { scope: 'openid notes:write' })).access_token)
    const input = { name: 'Export', scopes: ['notes:write'] }
    for (const query of [create, '{ apiKeys { id } }', 'mutation { revokeApiKey(id: "0") }'])
      expect(outcomeOf(await client.ask(query, { input }))).toEqual([403, 'FORBIDDEN'])
    bench.advance(301)
    expect(outcomeOf(await author.ask(create, { input }, ownPage))).toEqual([401, 'STEP_UP_REQUIRED'])
    expect((await bench.stores.documents.list('api-keys')).items).toEqual([])
  })

  test('never return the secret of a key, which is in no store, event or audit row', async () => {
    const bench = createKeysBench()
    const author = await bench.signedIn('AUTHOR')
    const { id, key } = await bench.createKey(author)
    expect(bench.events.filter(({ type }) => type === 'api-key.created')).toMatchObject([{ apiKeyId: id }])
    expect(JSON.stringify(bench.events)).not.toContain(key.slice(19, 62))
  })
})
