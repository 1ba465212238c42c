import { reportAccess } from '@latchkey/graphql'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { codeAt } from '@latchkey/test-services'
import { printSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { type Bench, newPassword, password } from '../support/bench.ts'
import { createFactorBench, okData, operations, showPasskey, withTotp } from '../support/factor-bench.ts'
import { openGrant } from '../support/grants.ts'
import { type Answer, outcomeOf, saysRestricted, type Visitor } from '../support/visitor.ts'

const deliveries = ['SESSION', 'TOKEN', 'NATIVE'] as const
const day = 86_400
const weekMs = 7 * day * 1000
const noGrace = { required: 'all', graceSeconds: 0 } as const

const benchWith = (secondFactor: NonNullable<Parameters<typeof createFactorBench>[0]>['options'] = {}) =>
  createFactorBench({
    options: { ...secondFactor, signIn: { secondFactor: { required: 'all' }, ...secondFactor.signIn } },
  })

const dueMutation = `mutation ($input: SignInInput!) { signIn(input: $input) {
  status accessToken refreshToken csrfToken enrollmentDueAt account { id name } } }`

/** Signs in once more, and returns what the answer says of the grace. */
async function signInAgain(visitor: Visitor, email: string, delivery: string) {
  const { signIn } = okData(await visitor.ask(dueMutation, { input: { email, password, delivery } }))
  visitor.csrfToken = signIn.csrfToken
  visitor.bearer = signIn.accessToken
  visitor.refreshToken = signIn.refreshToken
  return signIn
}

const enrollmentRequired = {
  message: 'Set up a second factor to continue.',
  extensions: { code: 'FORBIDDEN', reason: 'enrollment-required' },
}

const writeNote = 'mutation { writeNote(text: "a note") }'
const confirmPassword = `mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) {
  status accessToken refreshToken csrfToken enrollmentDueAt } }`

async function keepConfirmed(visitor: Visitor, currentPassword: string): Promise<Answer> {
  const answer = await visitor.ask(confirmPassword, { input: { currentPassword } })
  const delivered = answer.data?.confirmPassword
  if (delivered) {
    visitor.csrfToken = delivered.csrfToken
    visitor.bearer = delivered.accessToken
    visitor.refreshToken = delivered.refreshToken ?? visitor.refreshToken
  }
  return answer
}

/** Sets up an authenticator app, and returns its secret. */
async function enroll(bench: Bench, visitor: Visitor): Promise<string> {
  const { secret } = okData(await visitor.ask(operations.enroll)).startTotpEnrollment
  const code = codeAt(secret, bench.clock.time)
  const { codes } = okData(await visitor.ask(operations.confirm, { input: { code } })).confirmTotpEnrollment
  expect(codes).toHaveLength(10)
  if (visitor.csrfToken) visitor.csrfToken = okData(await visitor.ask(operations.csrf)).csrfToken
  return secret
}

describe.each(deliveries)('an account that must have a second factor, by %s,', (delivery) => {
  test('works within the grace period, whose expiry is in the response to the sign-in', async () => {
    const bench = benchWith()
    const author = await bench.signedIn('AUTHOR', delivery)
    const dueAt = new Date(bench.clock.time + weekMs).toISOString()
    bench.advance(60)
    const signIn = await signInAgain(author, author.account.email, delivery)
    expect(signIn).toMatchObject({ status: 'SIGNED_IN', enrollmentDueAt: dueAt, account: { name: 'A Reader' } })
    expect(outcomeOf(await author.ask(writeNote))).toEqual([200, null])
    expect(bench.events.filter(({ type }) => type === 'session.created')).toMatchObject([
      { enrollmentDueAt: Date.parse(dueAt) },
      { enrollmentDueAt: Date.parse(dueAt) },
    ])
  })

  test('may only set up a factor after the grace period, and may do everything with a factor in the same session', async () => {
    const bench = benchWith({ signIn: { secondFactor: noGrace } })
    const author = await bench.signedIn('AUTHOR', delivery)
    const refused = await author.ask(writeNote)
    expect([refused.status, refused.data, refused.errors]).toEqual([
      403,
      undefined,
      [expect.objectContaining(enrollmentRequired)],
    ])
    expect(refused.text).not.toContain('notes:write')
    expect(okData(await author.ask('{ viewer { id name } sessions { current } factors { kind } }'))).toEqual({
      viewer: { id: author.account.id, name: 'A Reader' },
      sessions: [{ current: true }],
      factors: [],
    })
    const secret = await enroll(bench, author)
    expect(outcomeOf(await author.ask(writeNote))).toEqual([200, null])
    bench.advance(30)
    const again = bench.visitor()
    const { signIn } = okData(await again.signIn(author.account.email, password, delivery))
    expect(signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', factors: ['totp', 'recovery-code'] })
    const input = { challenge: signIn.challenge, code: codeAt(secret, bench.clock.time), delivery }
    const { verifySecondFactor } = okData(await again.ask(operations.verify, { input }))
    expect(verifySecondFactor.status).toBe('SIGNED_IN')
  })

  test('reads its own fields before it has a factor, and no field of other accounts', async () => {
    const other = { id: '', email: '' }
    const bench = benchWith({
      typeDefs: `
        extend type Account { greeting: String! @public }
        type Query { hello: String! @public, secretPlan: String! @public, other: Account @public }
        type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }`,
      resolvers: {
        Query: { hello: () => 'Hello', secretPlan: () => 'none', other: () => other },
        Account: { greeting: () => 'Hello' },
        Mutation: { writeNote: () => 'noted' },
      } as never,
      signIn: { secondFactor: noGrace },
    })
    const admin = await bench.signedIn('ADMIN', delivery)
    const { id, email } = admin.account
    const own = { id, name: 'A Reader', email, role: 'ADMIN' }
    const fields = 'account { id name email role }'
    expect(okData(await admin.ask(`{ session { ${fields} mustEnroll } viewer { email role } }`))).toEqual({
      session: { account: own, mustEnroll: true },
      viewer: { email, role: 'ADMIN' },
    })
    const again = `mutation ($input: SignInInput!) { signIn(input: $input) { session { ${fields} mustEnroll } } }`
    const { signIn } = okData(await bench.visitor().ask(again, { input: { email, password, delivery } }))
    expect(signIn).toEqual({ session: { account: own, mustEnroll: true } })
    Object.assign(other, await bench.insert({ roles: ['AUTHOR'] }))
    for (const field of ['email', 'role']) {
      const refused = await admin.ask(`{ other { ${field} } }`)
      expect(outcomeOf(refused)).toEqual([403, 'FORBIDDEN'])
      expect(refused.text).not.toMatch(/AUTHOR|example\.com/)
    }
    await enroll(bench, admin)
    expect(okData(await admin.ask('{ other { email role } }')).other).toEqual({ email: other.email, role: 'AUTHOR' })
  })

  test('must confirm the password to set up a factor long after the sign-in', async () => {
    const bench = benchWith({ signIn: { secondFactor: noGrace } })
    const author = await bench.signedIn('AUTHOR', delivery)
    bench.advance(301)
    const asked = await author.ask(operations.enroll)
    expect([outcomeOf(asked), asked.errors[0]?.extensions.factors]).toEqual([[401, 'STEP_UP_REQUIRED'], ['password']])
    const wrong = await keepConfirmed(author, newPassword)
    expect(outcomeOf(wrong)).toEqual([403, 'INVALID_CREDENTIALS'])
    const confirmed = okData(await keepConfirmed(author, password)).confirmPassword
    expect(confirmed.enrollmentDueAt).toBe(new Date(bench.clock.time - 301_000).toISOString())
    expect(saysRestricted(await author.ask(writeNote))).toBe(true)
    await enroll(bench, author)
    expect(outcomeOf(await author.ask(writeNote))).toEqual([200, null])
  })

  test('can set up a passkey instead', async () => {
    const bench = benchWith({ signIn: { secondFactor: noGrace } })
    const author = await bench.signedIn('AUTHOR', delivery)
    const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const { options } = okData(await author.ask(operations.register)).startPasskeyRegistration
    const response = JSON.stringify(await authenticator.create(JSON.parse(options)))
    okData(await author.ask(operations.registered, { input: { name: 'Laptop', response } }))
    if (author.csrfToken) author.csrfToken = okData(await author.ask(operations.csrf)).csrfToken
    expect(outcomeOf(await author.ask(writeNote))).toEqual([200, null])
    expect(outcomeOf(await showPasskey(bench.visitor(), authenticator, { delivery }))).toEqual([200, null])
  })

  test('is restricted again in its session after its last factor was removed', async () => {
    const bench = benchWith({ signIn: { secondFactor: noGrace } })
    const author = await bench.signedIn('AUTHOR', delivery)
    const secret = await enroll(bench, author)
    bench.advance(30)
    const code = codeAt(secret, bench.clock.time)
    expect(okData(await author.ask(operations.disable, { input: { code } })).disableTotp).toBe(true)
    if (author.csrfToken) author.csrfToken = okData(await author.ask(operations.csrf)).csrfToken
    expect(saysRestricted(await author.ask(writeNote))).toBe(true)
    expect(okData(await author.ask('{ viewer { id } }')).viewer.id).toBe(author.account.id)
  })

  test('can sign out, revoke its other sessions, and be refreshed, while it must set up a factor', async () => {
    const bench = benchWith({ signIn: { secondFactor: noGrace } })
    const author = await bench.signedIn('AUTHOR', delivery)
    const other = bench.visitor()
    await signInAgain(other, author.account.email, 'SESSION')
    const { sessions } = okData(await author.ask('{ sessions { id current } }'))
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    expect(okData(await author.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id })).revokeSession).toBe(true)
    expect(okData(await author.ask('mutation { revokeAllSessions }')).revokeAllSessions).toBe(0)
    if (delivery !== 'SESSION') {
      const input = delivery === 'NATIVE' ? { refreshToken: author.refreshToken } : {}
      const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
      const { accessToken } = okData(await author.ask(refresh, { input })).refresh
      author.bearer = accessToken
      const [, claims = ''] = accessToken.split('.')
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).role).toBe('')
      expect(saysRestricted(await author.ask(writeNote))).toBe(true)
    }
    if (author.csrfToken) author.csrfToken = okData(await author.ask(operations.csrf)).csrfToken
    expect(okData(await author.ask('mutation { signOut }')).signOut).toBe(true)
    expect(outcomeOf(await author.ask('{ viewer { id } }'))).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('every root field', () => {
  /** Every root field of the service, as one may ask for it. */
  const rootFields: Readonly<Record<string, string>> = {
    'Mutation.changePassword':
      'mutation { changePassword(input: { currentPassword: "a", newPassword: "another password" }) }',
    'Mutation.confirmPassword': 'mutation { confirmPassword(input: { currentPassword: "a" }) { status } }',
    'Mutation.confirmTotpEnrollment': 'mutation { confirmTotpEnrollment(input: { code: "000000" }) { codes } }',
    'Mutation.disableTotp': 'mutation { disableTotp(input: { code: "000000" }) }',
    'Mutation.finishPasskeyRegistration':
      'mutation { finishPasskeyRegistration(input: { name: "a", response: "{}" }) { id } }',
    'Mutation.finishPasskeySignIn': 'mutation { finishPasskeySignIn(input: { response: "{}" }) { status } }',
    'Mutation.refresh': 'mutation { refresh { accessToken } }',
    'Mutation.regenerateRecoveryCodes': 'mutation { regenerateRecoveryCodes(input: { code: "000000" }) { codes } }',
    'Mutation.removePasskey': 'mutation { removePasskey(id: "a") }',
    'Mutation.renamePasskey': 'mutation { renamePasskey(input: { id: "a", name: "b" }) { id } }',
    'Mutation.requestPasswordReset': 'mutation { requestPasswordReset(input: { email: "a@example.com" }) }',
    'Mutation.resetPassword': 'mutation { resetPassword(input: { token: "a", newPassword: "another password" }) }',
    'Mutation.revokeAllSessions': 'mutation { revokeAllSessions }',
    'Mutation.revokeSession': 'mutation { revokeSession(id: "a") }',
    'Mutation.setRole': 'mutation { setRole(input: { accountId: "a", role: READER }) { id } }',
    'Mutation.signIn': 'mutation { signIn(input: { email: "a@example.com", password: "a" }) { status } }',
    'Mutation.signOut': 'mutation { signOut }',
    'Mutation.signUp':
      'mutation { signUp(input: { email: "a@example.com", password: "a new password", name: "A" }) { accepted } }',
    'Mutation.startPasskeyRegistration': 'mutation { startPasskeyRegistration { options } }',
    'Mutation.startPasskeySignIn': 'mutation { startPasskeySignIn { options } }',
    'Mutation.startTotpEnrollment': 'mutation { startTotpEnrollment { secret } }',
    'Mutation.verifyEmail': 'mutation { verifyEmail(input: { token: "a" }) }',
    'Mutation.verifySecondFactor':
      'mutation { verifySecondFactor(input: { challenge: "a", code: "000000" }) { status } }',
    'Mutation.changeName': 'mutation { changeName(input: { name: "Ada" }) { id } }',
    'Mutation.confirmEmailChange': 'mutation { confirmEmailChange(input: { token: "none" }) }',
    'Mutation.endSessions': 'mutation { endSessions(accountId: "acc_none") }',
    'Mutation.exportAccount': 'mutation { exportAccount }',
    'Mutation.lockAccount': 'mutation { lockAccount(id: "acc_none") { id } }',
    'Mutation.requestEmailChange': 'mutation { requestEmailChange(input: { newEmail: "ada@example.org" }) }',
    'Mutation.undoEmailChange': 'mutation { undoEmailChange(input: { token: "none" }) }',
    'Mutation.unlockAccount': 'mutation { unlockAccount(id: "acc_none") { id } }',
    'Query.findAccounts': '{ findAccounts { hasNextPage } }',
    'Mutation.writeNote': writeNote,
    'Mutation.writeProfile': 'mutation { writeProfile }',
    'Query.accounts': '{ accounts { id } }',
    'Query.auditEntries': '{ auditEntries { hasNextPage } }',
    'Query.csrfToken': '{ csrfToken }',
    'Query.session': '{ session { mustEnroll } }',
    'Query.factors': '{ factors { kind } }',
    'Query.hello': '{ hello }',
    'Query.passkeys': '{ passkeys { id } }',
    'Query.profile': '{ profile }',
    'Query.secretPlan': '{ secretPlan }',
    'Query.sessions': '{ sessions { id } }',
    'Query.viewer': '{ viewer { id } }',
  }
  const open = [
    'Mutation.confirmPassword',
    'Mutation.confirmTotpEnrollment',
    'Mutation.finishPasskeyRegistration',
    'Mutation.revokeAllSessions',
    'Mutation.revokeSession',
    'Mutation.startPasskeyRegistration',
    'Mutation.startTotpEnrollment',
    'Mutation.writeProfile',
    'Query.factors',
    'Query.passkeys',
    'Query.session',
    'Query.sessions',
    'Query.viewer',
  ]
  const closed = [
    'Mutation.changeName',
    'Mutation.changePassword',
    'Mutation.disableTotp',
    'Mutation.endSessions',
    'Mutation.exportAccount',
    'Mutation.lockAccount',
    'Mutation.regenerateRecoveryCodes',
    'Mutation.removePasskey',
    'Mutation.renamePasskey',
    'Mutation.requestEmailChange',
    'Mutation.setRole',
    'Mutation.unlockAccount',
    'Mutation.writeNote',
    'Query.accounts',
    'Query.auditEntries',
    'Query.findAccounts',
    'Query.profile',
  ]
  const createOwn = () =>
    benchWith({
      signIn: { secondFactor: noGrace },
      typeDefs: `
        extend type Account { greeting: String! @public }
        type Query { hello: String! @public, secretPlan: String! @public, profile: String @authenticated }
        type Mutation {
          writeNote(text: String!): String! @requires(permissions: "notes:write")
          writeProfile: String @authenticated @beforeEnrollment
        }`,
      resolvers: {
        Query: { hello: () => 'Hello', secretPlan: () => 'none', profile: () => 'mine' },
        Mutation: { writeNote: () => 'noted', writeProfile: () => 'written' },
        Account: { greeting: () => 'Hello' },
      },
    })

  test('is closed to an administrator without a factor, except marked and public fields', async () => {
    const bench = createOwn()
    const names = bench.server.access.fields.map(({ coordinate }) => coordinate)
    const roots = names.filter((name) => /^(?:Query|Mutation)\./.test(name))
    expect(Object.keys(rootFields).sort()).toEqual(roots)
    const refused: string[] = []
    for (const name of roots) {
      const admin = await bench.signedIn('ADMIN')
      if (saysRestricted(await admin.ask(rootFields[name] ?? ''))) refused.push(name)
    }
    expect(refused).toEqual(closed)
  })

  test('is the same in the access report', () => {
    const { rows } = reportAccess(createOwn().server.access)
    const openBefore = rows.filter(({ rule }) => rule.includes('before enrollment')).map(({ coordinate }) => coordinate)
    expect(openBefore).toEqual(['Account.email', 'Account.role', ...open])
  })

  test('is unmarked in a service without a policy', () => {
    const { rows, columns } = reportAccess(createFactorBench().server.access)
    expect(columns).not.toContain('before enrollment')
    expect(rows.filter(({ rule }) => rule.includes('before enrollment'))).toEqual([])
    const { schema } = createFactorBench().server.access
    expect(printSchema(schema)).not.toContain('enrollmentDueAt')
  })
})

describe('a policy by role', () => {
  test('applies to accounts with the role, and to others once they get it', async () => {
    const bench = benchWith({ signIn: { secondFactor: { required: ['ADMIN'], graceSeconds: 0 } } })
    const author = await bench.signedIn('AUTHOR')
    expect(outcomeOf(await author.ask(writeNote))).toEqual([200, null])
    const admin = await bench.signedIn('ADMIN')
    expect(saysRestricted(await admin.ask('{ accounts { id } }'))).toBe(true)
    await enroll(bench, admin)
    const input = { accountId: author.account.id, role: 'ADMIN' }
    expect(okData(await admin.ask(operations.setRole, { input })).setRole.role).toBe('ADMIN')
    expect(outcomeOf(await author.ask(writeNote))).toEqual([401, 'UNAUTHENTICATED'])
    await signInAgain(author, author.account.email, 'SESSION')
    expect(saysRestricted(await author.ask(writeNote))).toBe(true)
  })
})

describe('a session from before the policy', () => {
  test.each(deliveries)(
    'is restricted at once, by %s, and its owner has the grace after a new sign-in',
    async (delivery) => {
      const before = createFactorBench()
      const author = await before.signedIn('AUTHOR', delivery)
      const after = createFactorBench({ beside: before, options: { signIn: { secondFactor: { required: 'all' } } } })
      const visitor: Visitor = Object.assign(after.visitor(), {
        bearer: author.bearer,
        csrfToken: author.csrfToken,
        refreshToken: author.refreshToken,
      })
      for (const [name, value] of author.jar) visitor.jar.set(name, value)
      expect(saysRestricted(await visitor.ask(writeNote))).toBe(true)
      const { enrollmentDueAt } = await signInAgain(visitor, author.account.email, delivery)
      expect(enrollmentDueAt).toBe(new Date(after.clock.time + weekMs).toISOString())
      expect(outcomeOf(await visitor.ask(writeNote))).toEqual([200, null])
    },
  )

  test('stays unrestricted if the account has a factor', async () => {
    const before = createFactorBench()
    const person = await withTotp(before)
    const after = createFactorBench({ beside: before, options: { signIn: { secondFactor: noGrace } } })
    const visitor = after.visitor()
    const { signIn } = okData(await visitor.signIn(person.account.email, password))
    const input = { challenge: signIn.challenge, code: person.code(), delivery: 'SESSION' }
    okData(await visitor.ask(operations.verify, { input }))
    expect(outcomeOf(await visitor.ask('{ viewer { email role } }'))).toEqual([200, null])
  })
})

test("a client's grant has no access if its account must set up a factor", async () => {
  const bench = benchWith({ signIn: { secondFactor: noGrace } })
  const account = await bench.insert({ roles: ['AUTHOR'] })
  const scopes = ['openid', 'email', 'notes:write']
  const { accessToken } = await openGrant(bench, account, { clientId: 'demo-spa', scopes })
  const client = bench.visitor()
  client.bearer = accessToken
  for (const query of [writeNote, '{ viewer { email } }']) expect(saysRestricted(await client.ask(query))).toBe(true)
})

test('an administrator resets the factors of an account: it must set up new ones at its next sign-in', async () => {
  const bench = benchWith({ signIn: { secondFactor: noGrace } })
  const author = await bench.signedIn('AUTHOR')
  await enroll(bench, author)
  const accounts = await bench.server.accounts()
  const attempt = { address: null, deviceToken: null, channel: 'command', requestId: null } as const
  await accounts.resetFactors({ id: author.account.id, attempt })
  await signInAgain(author, author.account.email, 'SESSION')
  expect(saysRestricted(await author.ask(writeNote))).toBe(true)
})

describe('createServer refuses a policy', () => {
  test.each([
    ['for a role that is not one of the policy', { required: ['OWNER'] }, '"OWNER" is not a role of the policy'],
    ['for no one', { required: [] }, '"signIn.secondFactor.required" must be \'all\' or a list of roles'],
    ['with a grace below none', { required: 'all', graceSeconds: -1 }, '"signIn.secondFactor.graceSeconds" must be'],
    ['with a misspelt member', { required: 'all', grace: 5 }, '"signIn.secondFactor.grace"'],
  ])('%s', (_what, secondFactor, message) => {
    expect(() => benchWith({ signIn: { secondFactor: secondFactor as never } })).toThrow(message)
    expect(() => benchWith({ signIn: { secondFactor: secondFactor as never } })).toThrow(TypeError)
  })

  test('without a factor that could meet it', () => {
    const none = { signIn: { totp: undefined, passkeys: undefined, recoveryCodes: undefined } } as never
    expect(() => benchWith(none)).toThrow('"signIn.secondFactor" needs "signIn.totp" or "signIn.passkeys"')
  })
})
