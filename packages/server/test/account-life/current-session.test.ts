import { reportAccess } from '@latchkey/graphql'
import { describe, expect, test } from 'vitest'
import { createOAuthBench } from '../oauth/support/oauth-bench.ts'
import { createBench, password } from '../support/bench.ts'
import { challengeOf, createFactorBench, okData, withTotp } from '../support/factor-bench.ts'
import { type Answer, deliveries, outcomeOf, type Visitor } from '../support/visitor.ts'
import { acting } from './impersonating.ts'

const fields = `account { id } csrfToken expiresIn idleExpiresIn authenticatedAt factors permissions mustEnroll
  impersonatedBy`
const query = `{ session { ${fields} } }`
const sessionOf = async (visitor: Visitor) => okData(await visitor.ask(query)).session
const day = 86_400
const hasNoChallenge = ({ status, headers, text }: Answer) =>
  status === 200 && !headers.has('www-authenticate') && text.includes('"session":null')

describe('session', () => {
  test.each([
    ['without a credential', () => ({})],
    ['with an access token that is none', () => ({ authorization: 'Bearer nonsense' })],
    ['with a cookie that has ended', () => ({ cookie: '__Host-session=se_1.x' })],
  ])('is null %s, and the fields below it are not checked', async (_title, headers) => {
    const visitor = createBench().visitor()
    const answer = await visitor.ask('{ hello session { account { role email } csrfToken } }', {}, headers())
    expect(answer.data).toEqual({ hello: 'Hello', session: null })
    expect(hasNoChallenge(answer)).toBe(true)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('is null for a machine and for a client without openid', async () => {
    const bench = createOAuthBench()
    const author = await bench.signedIn('AUTHOR')
    const given = await bench.give(author, { scope: 'notes:write' })
    for (const token of [await bench.machineToken(), given.access_token])
      expect(hasNoChallenge(await bench.bearing(token).ask('{ session { account { role email } } }'))).toBe(true)
  })

  test("has the expiry of a cookie's sign-in, and counts as its use", async () => {
    const bench = createBench()
    const author = await bench.signedIn('AUTHOR')
    const authenticatedAt = new Date(bench.clock.time).toISOString()
    const first = {
      account: { id: author.account.id },
      csrfToken: expect.any(String),
      expiresIn: 28_800,
      idleExpiresIn: 3600,
      authenticatedAt,
      factors: ['password'],
      permissions: ['notes:write'],
      mustEnroll: false,
      impersonatedBy: null,
    }
    expect(await sessionOf(author)).toEqual(first)
    for (let hours = 1; hours <= 9; hours++) {
      bench.advance(3000)
      expect(await sessionOf(author)).toEqual({
        ...first,
        expiresIn: 28_800 - hours * 3000,
        idleExpiresIn: Math.min(3600, 28_800 - hours * 3000),
      })
    }
    bench.advance(1800)
    expect(await sessionOf(author)).toBeNull()
  })

  test('gives the CSRF token with which mutations are accepted', async () => {
    const author = await createBench().signedIn('AUTHOR')
    const { csrfToken } = await sessionOf(author)
    author.csrfToken = null
    const write = 'mutation { writeNote(text: "x") }'
    expect(outcomeOf(await author.ask(write))).toEqual([403, 'CSRF_REJECTED'])
    expect(outcomeOf(await author.ask(write, {}, { 'x-csrf-token': csrfToken }))).toEqual([200, null])
  })

  test('counts as use without any other request', async () => {
    const bench = createBench()
    const reader = await bench.signedIn()
    bench.advance(30)
    expect((await sessionOf(reader)).idleExpiresIn).toBe(3600)
    bench.advance(3500)
    expect((await sessionOf(reader)).idleExpiresIn).toBe(3600)
    bench.advance(3500)
    expect((await reader.ask('{ viewer { id } }')).status).toBe(200)
  })

  test('has the expiry of the refresh tokens for an access token', async () => {
    const bench = createBench()
    const admin = await bench.signedIn('ADMIN', 'TOKEN')
    bench.advance(60)
    expect(await sessionOf(admin)).toMatchObject({
      csrfToken: null,
      expiresIn: 90 * day - 60,
      idleExpiresIn: 30 * day - 60,
      permissions: [
        'notes:write',
        'accounts:read',
        'accounts:update',
        'accounts:impersonate',
        'audit:read',
        'ownership:bypass',
      ],
    })
  })

  test('has the permissions of role and scopes for a client, and the expiry of the sign-in', async () => {
    const bench = createOAuthBench()
    const author = await bench.signedIn('AUTHOR')
    bench.advance(600)
    const scope = 'openid notes:write accounts:read'
    const { access_token } = await bench.give(author, { scope })
    const client = bench.bearing(access_token)
    const own = { account: { id: author.account.id }, csrfToken: null, permissions: ['notes:write'] }
    expect(await sessionOf(client)).toMatchObject({ ...own, expiresIn: 28_200, idleExpiresIn: 3600 })
    const offline = await bench.give(author, { scope: `${scope} offline_access` })
    expect(await sessionOf(bench.bearing(offline.access_token))).toMatchObject({
      ...own,
      expiresIn: 90 * day,
      idleExpiresIn: 30 * day,
    })
    for (const name of ['role', 'email'])
      expect(outcomeOf(await client.ask(`{ session { account { ${name} } } }`))).toEqual([403, 'FORBIDDEN'])
  })

  test('names the administrator who acts as the account', async () => {
    const { admin, adminId, owner } = await acting()
    expect(await sessionOf(admin)).toMatchObject({ account: { id: owner.account.id }, impersonatedBy: adminId })
  })

  test('reports that a second factor must be set up first, and has no permission before', async () => {
    const bench = createFactorBench({ options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } } })
    expect(await sessionOf(await bench.signedIn('ADMIN'))).toMatchObject({ mustEnroll: true, permissions: [] })
  })

  test('is null after the account was deleted', async () => {
    const bench = createBench({ options: { accounts: { deletion: { onDelete: () => undefined } } } })
    const reader = await bench.signedIn()
    await bench.stores.accounts.remove(reader.account.id)
    expect(await sessionOf(reader)).toBeNull()
  })

  test('is null in the access report for anonymous users and clients without scopes', () => {
    const { rows } = reportAccess(createBench().server.access)
    expect(rows.find(({ coordinate }) => coordinate === 'Query.session')?.outcomes).toMatchObject({
      anonymous: 'null',
      READER: 'yes',
      'third party without scopes': 'null',
    })
  })
})

describe('session of a payload', () => {
  const signIn = `mutation ($input: SignInInput!) { signIn(input: $input) { status csrfToken session { ${fields} } } }`

  test.each(deliveries.slice(0, 2))('is the new session after a sign-in by %s', async (delivery) => {
    const bench = createBench()
    const before = await bench.signedIn('ADMIN')
    const other = await bench.insert({ roles: ['AUTHOR'] })
    bench.advance(60)
    const input = { email: other.email, password, delivery }
    const signed = okData(await before.ask(signIn, { input })).signIn
    expect(signed.session).toMatchObject({
      account: { id: other.id },
      csrfToken: delivery === 'SESSION' ? expect.any(String) : null,
      expiresIn: delivery === 'SESSION' ? 28_800 : 90 * day,
      authenticatedAt: new Date(bench.clock.time).toISOString(),
      permissions: ['notes:write'],
    })
  })

  test('is null until the second factor is proven, even if another account is signed in', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const other = await bench.signedIn()
    const input = { email: person.account.email, password }
    expect(okData(await other.ask(signIn, { input })).signIn).toMatchObject({
      status: 'SECOND_FACTOR_REQUIRED',
      session: null,
    })
    const verify =
      'mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { session { factors } } }'
    const answered = await person.ask(verify, { input: { challenge: await challengeOf(person), code: person.code() } })
    expect(okData(answered).verifySecondFactor.session.factors).toEqual(['password', 'totp'])
  })

  test('names the account in the response to a refresh', async () => {
    const bench = createBench()
    const reader = await bench.signedIn('READER', 'TOKEN')
    reader.bearer = null
    bench.advance(day)
    const { refresh } = okData(await reader.ask(`mutation { refresh { accessToken session { ${fields} } } }`))
    expect(refresh.session).toMatchObject({
      account: { id: reader.account.id },
      csrfToken: null,
      expiresIn: 89 * day,
      idleExpiresIn: 30 * day,
      authenticatedAt: new Date(bench.clock.time - day * 1000).toISOString(),
    })
  })
})
