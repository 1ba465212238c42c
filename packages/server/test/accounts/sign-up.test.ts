import { allowNativeDelivery } from '@latchkey/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf, ownPage } from '../support/visitor.ts'

let bench: Bench
beforeEach(() => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
})

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const verifyEmail = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
const email = 'ada@example.com'
const input = { email, password, name: 'Ada' }

describe('a sign-up', () => {
  test.each(['SESSION', 'TOKEN', 'NATIVE'] as const)(
    'is confirmed by the link of its mail, and signs in with delivery %s',
    async (delivery) => {
      const visitor = bench.visitor()
      const asked = await visitor.ask(signUp, { input })
      expect([asked.status, asked.data]).toEqual([200, { signUp: { accepted: true } }])
      expect(outcomeOf(await visitor.signIn(email, password, delivery))).toEqual([401, 'INVALID_CREDENTIALS'])
      const token = await bench.mailedToken(email)
      expect((await visitor.ask(verifyEmail, { input: { token } })).data).toEqual({ verifyEmail: true })
      expect((await visitor.signIn(email, password, delivery)).status).toBe(200)
      expect((await visitor.ask('{ viewer { name email role greeting } }')).data.viewer).toEqual({
        name: 'Ada',
        email,
        role: 'READER',
        greeting: 'Hello Ada',
      })
    },
  )

  test('sends a link to the page of this service', async () => {
    await bench.visitor().ask(signUp, { input })
    await expect.poll(() => bench.outbox[0]?.url).toMatch(/^https:\/\/example\.com\/verify\?token=verify_[\w.%-]+$/)
  })

  test('is accepted for a taken address in the same words, and its owner gets a mail without a link', async () => {
    const visitor = bench.visitor()
    const free = await visitor.ask(signUp, { input })
    await bench.insert({ email: 'taken@example.com' })
    const taken = await visitor.ask(signUp, { input: { ...input, email: 'Taken@Example.com' } })
    expect([taken.status, taken.text]).toEqual([free.status, free.text])
    await expect
      .poll(() => bench.outbox.map(({ to, url }) => [to, url !== null]))
      .toContainEqual(['taken@example.com', false])
  })

  test('is verified once: the link works the first time it is followed', async () => {
    await bench.visitor().ask(signUp, { input })
    const token = await bench.mailedToken(email)
    const answers = await Promise.all([1, 2, 3].map(() => bench.visitor().ask(verifyEmail, { input: { token } })))
    expect(answers.filter(({ data }) => data?.verifyEmail === true)).toHaveLength(1)
    const refused = answers.find(({ data }) => data?.verifyEmail !== true)
    expect(refused?.status).toBe(200)
    expect(refused?.errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.token' })
  })

  test('expires after a day', async () => {
    await bench.visitor().ask(signUp, { input })
    const token = await bench.mailedToken(email)
    bench.advance(24 * 60 * 60)
    expect((await bench.visitor().ask(verifyEmail, { input: { token } })).codes).toEqual(['BAD_USER_INPUT'])
    expect(await bench.stores.accounts.getByEmail(email)).toBeNull()
  })

  test.each([
    ['email', { email: 'ada@example' }, 'Enter a valid email.'],
    ['name', { name: ' ' }, 'Enter a name of 1 to 100 characters.'],
    ['password', { password: 'too short' }, 'This password is too short. Use at least 15 characters.'],
    ['password', { password: 'ada@example.com ada' }, /^This password is too similar to your name/],
    ['password', { password: 'aaaaaaaaaaaaaaaaaaa' }, /^This password is too easy to guess/],
  ])('names the refused input and the reason: %s %j', async (field, change, message) => {
    const answer = await bench.visitor().ask(signUp, { input: { ...input, ...change } })
    expect([answer.status, answer.data]).toEqual([200, null])
    expect(answer.errors[0]).toMatchObject({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      extensions: { code: 'BAD_USER_INPUT', field: `input.${field}` },
    })
    expect(bench.outbox).toEqual([])
  })

  test('is refused if administrators create the accounts, before any work', async () => {
    const closed = createBench({ options: { signUp: 'closed' } })
    const answer = await closed.visitor().ask(signUp, { input })
    expect(answer.errors[0]).toMatchObject({
      message: 'Sign-up is closed. Contact an administrator to get an account.',
      extensions: { code: 'BAD_USER_INPUT' },
    })
    expect(closed.outbox).toEqual([])
  })

  test('is accepted from a page of the service and refused from a page of another origin', async () => {
    const visitor = bench.visitor()
    expect((await visitor.ask(signUp, { input }, ownPage)).status).toBe(200)
    const foreign = await visitor.ask(signUp, { input }, { origin: 'https://evil.example' })
    expect(outcomeOf(foreign)).toEqual([403, 'CSRF_REJECTED'])
  })
})

describe('a password reset', () => {
  const request = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
  const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'

  test('sets a new password, revokes all sessions, and does not sign in', async () => {
    const [cookie, bearer] = [await bench.signedIn(), bench.visitor()]
    await bearer.signIn(cookie.account.email, password, 'TOKEN')
    const visitor = bench.visitor()
    const asked = await visitor.ask(request, { input: { email: cookie.account.email } })
    expect(asked.data).toEqual({ requestPasswordReset: true })
    const token = await bench.mailedToken(cookie.account.email)
    const done = await visitor.ask(reset, { input: { token, newPassword } })
    const device = [expect.stringMatching(/^__Host-device=/)]
    expect([done.data, done.cookies]).toEqual([{ resetPassword: true }, device])
    expect((await cookie.ask('{ viewer { id } }')).status).toBe(401)
    expect((await bearer.ask('{ viewer { id } }')).status).toBe(401)
    bearer.bearer = null
    expect((await bearer.ask('mutation { refresh { accessToken } }')).status).toBe(401)
    expect((await visitor.signIn(cookie.account.email, password)).status).toBe(401)
    expect((await visitor.signIn(cookie.account.email, newPassword)).status).toBe(200)
  })

  test('has the same answer whether or not there is an account, and only an account gets a mail', async () => {
    const { email: known } = await bench.insert()
    const answers = await Promise.all(
      [known, 'nobody@example.com', 'no address at all'].map((email) =>
        bench.visitor().ask(request, { input: { email } }),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    await bench.mailedToken(known)
    expect(bench.outbox).toEqual([])
  })

  test('keeps its link if the new password is refused, and uses it up with an accepted password', async () => {
    const account = await bench.insert()
    await bench.visitor().ask(request, { input: { email: account.email } })
    const token = await bench.mailedToken(account.email)
    const refused = await bench.visitor().ask(reset, { input: { token, newPassword: 'short' } })
    expect(refused.errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.newPassword' })
    expect((await bench.visitor().ask(reset, { input: { token, newPassword } })).data).toEqual({ resetPassword: true })
    const again = await bench.visitor().ask(reset, { input: { token, newPassword: `${newPassword} again` } })
    expect(again.errors[0]).toMatchObject({
      message: 'This link is invalid, expired or already used.',
      extensions: { code: 'BAD_USER_INPUT', field: 'input.token' },
    })
  })
})
