import { describe, expect, test } from 'vitest'
import { acting } from '../account-life/impersonating.ts'
import { createBench, newPassword, password } from '../support/bench.ts'
import { operations, withTotp } from '../support/factor-bench.ts'
import { type Answer, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

const allowed = 'https://www.example.com'
const bench = createBench({ options: { http: { allowedOrigins: [allowed] } } })
const write = 'mutation { writeNote(text: "T") }'
const setsSession = ({ cookies }: Answer) => cookies.some((line) => /session=[^;]/.test(line))

/** Sends a mutation with the token of a response's header. */
function writeWith(visitor: Visitor, { headers }: Answer, more: Readonly<Record<string, string>> = {}) {
  return visitor.ask(write, {}, { ...more, 'x-csrf-token': headers.get('x-csrf-token') ?? '' })
}

// That every other response with a session cookie has the header as well, the visitors of all tests see to.
describe('a response that sets the session cookie has its CSRF token', () => {
  const confirm = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { accessToken } }'
  const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
  test.each<[string, (visitor: Visitor, email: string) => Promise<Answer>]>([
    ['a sign-in', (visitor, email) => Object.assign(visitor, { jar: new Map() }).signIn(email, password)],
    ['a step-up', (visitor) => visitor.ask(confirm, { input: { currentPassword: password } })],
    ['a new password', (visitor) => visitor.ask(change, { input: { currentPassword: password, newPassword } })],
    ['a page of a sign-in', (visitor, email) => visitor.post('/sign-in', { email, password })],
    ['a page of a step-up', (visitor) => visitor.post('/confirm-password', { password })],
  ])('%s', async (_what, renew) => {
    const visitor = await bench.signedIn('AUTHOR')
    const { csrfToken: former } = visitor
    const answer = await renew(visitor, visitor.account.email)
    expect(setsSession(answer)).toBe(true)
    visitor.csrfToken = former
    expect(outcomeOf(await visitor.ask(write))).toEqual([403, 'CSRF_REJECTED'])
    expect((await writeWith(visitor, answer)).data).toEqual({ writeNote: 'T' })
  })

  test('the token of the body is the same text', async () => {
    const { account } = await bench.signedIn()
    const answer = await bench.visitor().signIn(account.email, password)
    expect(answer.headers.get('x-csrf-token')).toBe(answer.data.signIn.csrfToken)
  })

  test('a first authenticator app, and an administrator who acts as another account', async () => {
    const { bench: offering, admin } = await acting()
    expect(admin.jar.size).toBeGreaterThan(0)
    await withTotp(offering)
  })
})

test.each(['TOKEN', 'NATIVE'] as const)('a response that delivers tokens, %s, has no CSRF token', async (delivery) => {
  const { bench: offering } = await acting('NATIVE')
  const { account } = await offering.signedIn()
  const visitor = offering.visitor()
  const answer = await visitor.signIn(account.email, password, delivery)
  expect([answer.status, answer.headers.get('x-csrf-token')]).toEqual([200, null])
  const refused = await visitor.ask(operations.viewer, {}, { authorization: 'Bearer none' })
  expect([...outcomeOf(refused), refused.headers.get('x-csrf-token')]).toEqual([401, 'UNAUTHENTICATED', null])
})

describe('a refusal only because of the CSRF token', () => {
  test.each([
    ['a page of ours', ownPage],
    ['a page of an allowed origin, in a browser without Fetch Metadata', { origin: allowed }],
  ])('has a new token for %s', async (_who, headers) => {
    const visitor = await bench.signedIn('AUTHOR')
    for (const csrfToken of [null, 'a.b.c', visitor.csrfToken?.slice(1) ?? '']) {
      visitor.csrfToken = csrfToken
      const refused = await visitor.ask(write, {}, headers)
      expect(outcomeOf(refused)).toEqual([403, 'CSRF_REJECTED'])
      expect((await writeWith(visitor, refused, headers)).status).toBe(200)
    }
  })

  test.each([
    ['a page of another site', { ...ownPage, 'sec-fetch-site': 'cross-site' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['a sibling that is not listed', { origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' }],
  ])('has no token for %s', async (_who, headers) => {
    const visitor = Object.assign(await bench.signedIn('AUTHOR'), { csrfToken: null })
    const refused = await visitor.ask(write, {}, headers)
    expect([...outcomeOf(refused), refused.headers.get('x-csrf-token')]).toEqual([403, 'CSRF_REJECTED', null])
  })

  test('has no token if the session was revoked', async () => {
    const visitor = await bench.signedIn('AUTHOR')
    const jar = new Map(visitor.jar)
    await visitor.ask('mutation { signOut }')
    const refused = await Object.assign(visitor, { jar, csrfToken: null }).ask(write)
    expect([...outcomeOf(refused), refused.headers.get('x-csrf-token')]).toEqual([401, 'UNAUTHENTICATED', null])
  })

  test('has the token of that session alone', async () => {
    const [one, other] = [await bench.signedIn('AUTHOR'), await bench.signedIn('AUTHOR')]
    const refused = await Object.assign(one, { csrfToken: null }).ask(write)
    expect(outcomeOf(await writeWith(other, refused))).toEqual([403, 'CSRF_REJECTED'])
  })
})
