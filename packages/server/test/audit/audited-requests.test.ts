import { verifyAudit } from '@latchkey/audit'
import { deriveSecrets } from '@latchkey/bytes'
import { expect, test } from 'vitest'
import { type AuditedBench, createAuditedBench, listEntries } from '../support/audited-bench.ts'
import { newPassword, password } from '../support/bench.ts'
import {
  challengeOf,
  okData,
  operations,
  type Person,
  signInWithBoth,
  withPasskey,
  withTotp,
} from '../support/factor-bench.ts'
import type { Visitor } from '../support/visitor.ts'

const wrong = 'herons never read at dusk'
const begun = (kind: string, outcome = 'done') => [`${kind} intended`, `${kind} ${outcome}`]

const mutations = {
  signUp: 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }',
  verifyEmail: 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }',
  requestReset: 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }',
  reset: 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }',
  change: 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
  refresh: 'mutation ($input: RefreshInput) { refresh(input: $input) { refreshToken } }',
  setRole: operations.setRole,
} as const

/** Signs in with both factors, as the operations on factors need it. */
async function signedInPerson(bench: AuditedBench): Promise<Person> {
  const person = await withTotp(bench)
  await signInWithBoth(person, 'SESSION')
  bench.written()
  return person
}

/** What is asked, and the rows of it. */
const decisions: readonly (readonly [string, (bench: AuditedBench) => Promise<unknown>, readonly string[]])[] = [
  [
    'signing up and confirming the address',
    async (bench) => {
      const visitor = bench.visitor()
      const person = { email: 'new@example.com', password, name: 'A Newcomer' }
      await visitor.ask(mutations.signUp, { input: person })
      const token = await bench.mailedToken('new@example.com')
      okData(await visitor.ask(mutations.verifyEmail, { input: { token, password } }))
    },
    ['account.created intended', 'email.verified intended', 'account.created done', 'email.verified done'],
  ],
  [
    'a sign-in, a failed one, and signing out',
    async (bench) => {
      const { account, ...visitor } = await bench.signedIn()
      await bench.visitor().signIn(account.email, wrong)
      await visitor.ask('mutation { signOut }')
    },
    [...begun('session.created'), 'sign-in.failed done', ...begun('session.ended')],
  ],
  [
    'ending one session, and all others',
    async (bench) => {
      const visitor = await bench.signedIn()
      await bench.visitor().signIn(visitor.account.email, password)
      const { sessions } = okData(await visitor.ask('{ sessions { id current } }'))
      const other = sessions.find(({ current }: { current: boolean }) => !current)
      bench.written()
      await visitor.ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id: other.id })
      await visitor.ask('mutation { revokeAllSessions }')
    },
    [...begun('session.ended'), ...begun('sessions.ended')],
  ],
  [
    'too many wrong passwords',
    async (bench) => {
      const { email } = await bench.insert()
      for (let guess = 0; guess < 12; guess++) await bench.visitor().signIn(email, wrong)
    },
    [...Array(5).fill('sign-in.failed done'), 'sign-in.throttled done'],
  ],
  [
    'changing the password',
    async (bench) => {
      const visitor = await bench.signedIn()
      bench.written()
      okData(await visitor.ask(mutations.change, { input: { currentPassword: password, newPassword } }))
    },
    begun('password.changed'),
  ],
  [
    'resetting the password',
    async (bench) => {
      const { email } = await bench.insert()
      const visitor = bench.visitor()
      await visitor.ask(mutations.requestReset, { input: { email } })
      const token = await bench.mailedToken(email)
      okData(await visitor.ask(mutations.reset, { input: { token, newPassword } }))
    },
    [...begun('password.reset-requested'), ...begun('password.reset')],
  ],
  [
    'an authenticator app, a wrong code, a recovery code, and the end of the app',
    async (bench) => {
      const person = await withTotp(bench)
      const challenge = await challengeOf(person)
      expect(bench.written()).toEqual([...begun('session.created'), ...begun('factor.added')])
      await person.ask(operations.verify, { input: { challenge, code: '000000' } })
      await person.ask(operations.verify, { input: { challenge, code: person.codes[0] } })
    },
    ['second-factor.failed done', ...begun('recovery-code.used'), ...begun('session.created')],
  ],
  [
    'disabling an authenticator app',
    async (bench) => {
      const person = await signedInPerson(bench)
      person.csrfToken = okData(await person.ask(operations.csrf)).csrfToken
      okData(await person.ask(operations.disable, { input: { code: person.code() } }))
    },
    begun('factor.removed'),
  ],
  [
    'a passkey that is added and removed',
    async (bench) => {
      const visitor = await withPasskey(bench)
      okData(await visitor.ask(operations.remove, { id: visitor.passkeyId }))
    },
    [...begun('session.created'), ...begun('factor.added'), ...begun('factor.removed')],
  ],
  [
    'a stolen refresh token',
    async (bench) => {
      const visitor = await bench.signedIn('READER', 'NATIVE')
      const refresh = () => bench.visitor().ask(mutations.refresh, { input: { refreshToken: visitor.refreshToken } })
      bench.written()
      await refresh()
      bench.advance(60)
      await refresh()
    },
    ['family.reused done'],
  ],
  [
    'another role',
    async (bench) => {
      const admin = await bench.signedIn('ADMIN')
      bench.written()
      okData(await admin.ask(mutations.setRole, { input: { accountId: (await bench.insert()).id, role: 'AUTHOR' } }))
    },
    begun('role.changed'),
  ],
  [
    'an account that is disabled and enabled by the application',
    async (bench) => {
      const { id } = await bench.insert()
      const accounts = await bench.server.accounts()
      const attempt = { address: null, deviceToken: null, channel: 'command', requestId: null } as const
      await accounts.disable({ id, attempt })
      await accounts.enable({ id, attempt })
    },
    [...begun('account.disabled'), ...begun('account.enabled')],
  ],
  [
    'keys that are replaced and rotated',
    async (bench) => {
      await bench.server.replaceKeys()
      await bench.server.rotateKeys()
    },
    [...begun('key.replaced'), ...begun('key.rotated')],
  ],
  [
    'a token that is ended before its time',
    async (bench) => {
      const { bearer } = await bench.signedIn('READER', 'NATIVE')
      bench.written()
      await bench.server.revokeToken(bearer ?? '')
    },
    begun('token.revoked'),
  ],
]

test.each(decisions)('%s writes its intention to the audit log before its outcome', async (_what, decide, rows) => {
  const bench = await createAuditedBench()
  await decide(bench)
  expect(bench.written()).toEqual(rows)
  await bench.server.close()
  const secrets = deriveSecrets(bench.secrets, 'audit')
  expect((await verifyAudit({ store: auditOf(bench), secrets })).findings).toEqual([])
})

test('a refused rotation of keys writes its failure to the audit log', async () => {
  const bench = await createAuditedBench({
    sessions: { accessTokens: { algorithm: 'ES256', publishAheadSeconds: 3600 } },
  })
  expect(await bench.server.rotateKeys().catch(({ code }) => code)).toBe('JWT_ROTATION_TOO_EARLY')
  expect(bench.written()).toEqual(begun('key.rotated', 'failed'))
})

test('rows contain no password, code, token, mail address or mistyped input', async () => {
  const bench = await createAuditedBench()
  const person = await withTotp(bench)
  const visitor = Object.assign(await bench.signedIn('READER', 'NATIVE'))
  await bench.visitor().signIn('what I typed by mistake', wrong)
  await bench.visitor().signIn('nobody@example.com', wrong)
  await person.ask(operations.verify, { input: { challenge: await challengeOf(person), code: person.codes[0] } })
  await visitor.ask(mutations.requestReset, { input: { email: visitor.account.email } })
  const token = await bench.mailedToken(visitor.account.email)
  await visitor.ask(mutations.reset, { input: { token, newPassword } })
  const text = JSON.stringify(bench.database.prepare('select * from latchkey_audit').all())
  const secrets = [password, newPassword, wrong, token, visitor.refreshToken, visitor.bearer, ...person.codes]
  for (const secret of [...secrets, 'what I typed', '@example.com']) expect(text).not.toContain(secret)
})

const failing: readonly (readonly [
  string,
  (bench: AuditedBench) => Promise<(visitor: Visitor) => Promise<unknown>>,
])[] = [
  [
    'a sign-in',
    async (bench) => {
      const { email } = await bench.insert()
      return (visitor) => visitor.signIn(email, password)
    },
  ],
  [
    'a wrong password',
    async (bench) => {
      const { email } = await bench.insert()
      return (visitor) => visitor.signIn(email, wrong)
    },
  ],
  ['a password of no account', async () => (visitor) => visitor.signIn('nobody@example.com', wrong)],
]

test.each(failing)('an outage of the audit log answers %s with 503, without details', async (_what, prepare) => {
  const bench = await createAuditedBench()
  const ask = await prepare(bench)
  const visitor = bench.visitor()
  bench.failAppend(1)
  expect(await ask(visitor)).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'], cookies: [] })
  expect([...visitor.jar]).toEqual([])
})

test('a sign-in succeeds if its outcome cannot be written, and is unknown in the audit log', async () => {
  const bench = await createAuditedBench()
  const admin = await bench.insert({ roles: ['ADMIN'] })
  const visitor = bench.visitor()
  bench.failAppend(2)
  expect(await visitor.signIn(admin.email, password)).toMatchObject({ status: 200 })
  expect(bench.events.map(({ type }) => type)).toEqual(['session.created', 'audit.failed'])
  expect((await listEntries(visitor)).nodes).toMatchObject([{ kind: 'session.created', state: 'unknown' }])
})

function auditOf({ stores }: AuditedBench) {
  if (!stores.audit) throw new Error('there is no audit store')
  return stores.audit
}
