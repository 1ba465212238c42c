import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { okData, operations } from '../support/factor-bench.ts'
import { type Answer, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

const bench = createBench()
const viewer = '{ viewer { email } }'
const confirm = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { csrfToken } }'
const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'

/** A query as a page sends it that shows the session which it knows. */
function show(visitor: Visitor, token: string | null, query = viewer): Promise<Answer> {
  return visitor.ask(query, {}, { ...ownPage, ...(token !== null && { 'x-csrf-token': token }) })
}

describe('a page of a user while another user has signed in in the same browser', () => {
  async function besides() {
    const [page, second] = [await bench.signedIn('AUTHOR'), await bench.signedIn('READER')]
    const { csrfToken: former } = page
    okData(await show(page, former))
    await page.post('/sign-in', { email: second.account.email, password })
    return { page, former, second }
  }

  test('is handed no answer of the other, and learns the token of the session', async () => {
    const { page, former, second } = await besides()
    const refused = await show(page, former)
    expect([...outcomeOf(refused), refused.data]).toEqual([403, 'CSRF_REJECTED', undefined])
    expect(refused.text).not.toContain(second.account.email)
    const got = await page.get(`/graphql?query=${encodeURIComponent(viewer)}`, { 'x-csrf-token': former ?? '' })
    expect([...outcomeOf(got), got.text.includes(second.account.email)]).toEqual([403, 'CSRF_REJECTED', false])
    const answered = await show(page, refused.headers.get('x-csrf-token'))
    expect(okData(answered).viewer.email).toBe(second.account.email)
  })

  test('can query the signed-in account without a token', async () => {
    const { page, second } = await besides()
    const { session } = okData(await show(page, null, '{ session { csrfToken account { email } } }'))
    expect(session.account.email).toBe(second.account.email)
    expect(okData(await show(page, session.csrfToken)).viewer.email).toBe(second.account.email)
  })
})

describe('a page whose session was renewed in another tab', () => {
  test.each<[string, (visitor: Visitor) => Promise<Answer>]>([
    ['by a step-up', (visitor) => visitor.ask(confirm, { input: { currentPassword: password } })],
    ['by a new password', (visitor) => visitor.ask(change, { input: { currentPassword: password, newPassword } })],
    ['on a page of the service', (visitor) => visitor.post('/confirm-password', { password })],
  ])('%s goes on with the token of the refusal', async (_what, renew) => {
    const visitor = await bench.signedIn('AUTHOR')
    const { csrfToken: former } = visitor
    expect((await renew(visitor)).cookies.length).toBeGreaterThan(0)
    const refused = await show(visitor, former)
    expect(outcomeOf(refused)).toEqual([403, 'CSRF_REJECTED'])
    const answered = okData(await show(visitor, refused.headers.get('x-csrf-token')))
    expect(answered.viewer.email).toBe(visitor.account.email)
  })
})

test.each<[string, (visitor: Visitor) => Promise<unknown>, string]>([
  [
    'has ended',
    async (visitor) => {
      const jar = new Map(visitor.jar)
      okData(await visitor.ask('mutation { signOut }'))
      Object.assign(visitor, { jar })
    },
    '{ session { expiresIn } }',
  ],
  ['is gone with its cookie', async (visitor) => visitor.jar.clear(), '{ session { expiresIn } }'],
])('a query that shows the token of a session that %s is answered for nobody', async (_what, end, query) => {
  const visitor = await bench.signedIn('AUTHOR')
  const { csrfToken } = visitor
  await end(visitor)
  expect(okData(await show(visitor, csrfToken, query))).toEqual({ session: null })
})

test('a query with an access token is answered, with any CSRF token', async () => {
  const [visitor, other] = [await bench.signedIn('AUTHOR', 'TOKEN'), await bench.signedIn('READER')]
  expect(okData(await show(visitor, other.csrfToken, operations.viewer)).viewer).toBeDefined()
})
