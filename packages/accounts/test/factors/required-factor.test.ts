import { type AccountFacts, allowNativeDelivery, type StoredAccount } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  createBench,
  email,
  invalidCredentials,
  joinOptions,
  newPassword,
  password,
  presentedBy,
  type SignInOptions,
} from '../bench.ts'
import { beginPasskey, createFactorsBench, type FactorsBench, type FactorsBenchOptions } from './factors-bench.ts'

const day = 86_400
type SecondFactorPolicy = NonNullable<SignInOptions['secondFactor']>

const forAll: SecondFactorPolicy = { required: 'all', graceSeconds: 7 * day }
const deliveries = ['session', 'token', 'native'] as const

function benchWith(secondFactor: SecondFactorPolicy = forAll, options: FactorsBenchOptions = {}): FactorsBench {
  return createFactorsBench({ ...options, options: joinOptions({ signIn: { secondFactor } }, options.options) })
}

/** Who a credential is now, as a request with it would find out. */
async function identify(
  bench: FactorsBench,
  { credentials }: Pick<SignInSuccess, 'credentials'>,
): Promise<AccountFacts> {
  const facts =
    credentials.delivery === 'session'
      ? await bench.accounts.identifySession(await bench.sessions.read(credentials.credential))
      : await bench.accounts.identifyToken(await bench.verify(credentials.accessToken))
  if (facts?.kind !== 'account') throw new Error('the credential is not accepted')
  return facts
}

const collection = 'enrollment-deadline'
const askedRows = async ({ documents }: FactorsBench, { id }: StoredAccount) =>
  (await documents.listByOwner(id, { collections: [collection] })).items

const free = { enrollmentDueAt: null, mustEnroll: false, roles: ['READER'] }
const restricted = { mustEnroll: true, roles: [] }

/** Sets up an authenticator app in an open session. */
async function enroll(bench: FactorsBench, identity: AccountFacts) {
  const begun = await bench.accounts.startTotpEnrollment({ identity })
  if (!begun.ok) throw new Error('no enrolment has begun')
  const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code: bench.codeOf(begun.secret) })
  if (!confirmed.ok) throw new Error('the enrolment was refused')
  return { secret: begun.secret, credentials: confirmed.credentials }
}

/** Signs in, and sets up an authenticator app. */
async function enrollIn(bench: FactorsBench) {
  const { credentials } = await enroll(bench, (await bench.signIn()).identity)
  if (!credentials) throw new Error('the enrolment has ended the session')
  return { identity: await identify(bench, { credentials }) }
}

describe('an account that must have a second factor', () => {
  test.each(deliveries)(
    'is signed in without restriction until the grace expires, and restricted afterwards: %s',
    async (delivery) => {
      const bench = benchWith(forAll, { options: { signIn: { nativeDelivery: allowNativeDelivery } } })
      const account = await bench.insert()
      const dueAt = bench.now() + 7 * day * 1000
      const first = await bench.signIn({ delivery })
      expect(first.identity).toMatchObject({ enrollmentDueAt: dueAt, mustEnroll: false, roles: ['READER'] })
      expect(await identify(bench, first)).toMatchObject({
        enrollmentDueAt: dueAt,
        mustEnroll: false,
        roles: ['READER'],
      })
      expect(bench.events.at(-1)).toMatchObject({ type: 'session.created', enrollmentDueAt: dueAt })

      bench.advance(7 * day - 1)
      const last = await bench.signIn({ delivery })
      expect(await identify(bench, last)).toMatchObject({ enrollmentDueAt: dueAt, mustEnroll: false })
      bench.advance(1)
      expect(await identify(bench, last)).toMatchObject({ ...restricted, subject: account.id, enrollmentDueAt: dueAt })
      const late = await bench.signIn({ delivery })
      expect(late.identity).toMatchObject({ ...restricted, enrollmentDueAt: dueAt })
      expect(bench.events.at(-1)).toMatchObject({ type: 'session.created', enrollmentDueAt: dueAt })
    },
  )

  test('has a grace of a week by default', async () => {
    const bench = benchWith({ required: 'all' })
    await bench.insert()
    expect((await bench.signIn()).identity.enrollmentDueAt).toBe(bench.now() + 604_800_000)
  })

  test('has a grace of a year at most', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 31_536_000 })
    await bench.insert()
    expect((await bench.signIn()).identity.enrollmentDueAt).toBe(bench.now() + 31_536_000_000)
  })

  test('has no grace with graceSeconds: 0', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 0 })
    await bench.insert()
    expect((await bench.signIn()).identity).toMatchObject({ ...restricted, enrollmentDueAt: bench.now() })
  })

  test('must enrol if it holds a role of the policy, and not otherwise', async () => {
    const bench = benchWith({ required: ['ADMIN', 'EDITOR'], graceSeconds: 0 })
    const admin = await bench.insert({ email: 'admin@example.com', roles: ['READER', 'EDITOR'] })
    const reader = await bench.insert()
    expect((await bench.signIn({ email: 'admin@example.com' })).identity).toMatchObject(restricted)
    expect((await bench.signIn()).identity).toMatchObject(free)
    expect([await askedRows(bench, admin), await askedRows(bench, reader)]).toMatchObject([[{}], []])
  })

  test('gets a required role and has to enrol at its next sign-in, since its sessions are revoked', async () => {
    const bench = benchWith({ required: ['ADMIN'], graceSeconds: day })
    const { id } = await bench.insert()
    const before = await bench.signIn()
    await bench.accounts.setRoles({ id, roles: ['ADMIN'] })
    await expect(identify(bench, before)).rejects.toThrow('not accepted')
    expect((await bench.signIn()).identity).toMatchObject({
      enrollmentDueAt: bench.now() + day * 1000,
      roles: ['ADMIN'],
    })
  })

  test('needs no factor in a service without a policy, which stores no row', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const signedIn = await bench.signIn()
    expect(await identify(bench, signedIn)).toMatchObject(free)
    expect((await bench.documents.listByOwner(account.id)).items).toEqual([])
    expect((await bench.records.get(signedIn.identity.key))?.value).not.toContain('enrollment')
  })
})

describe('the instant from which the grace counts', () => {
  test('starts with the first sign-in under the policy and never changes', async () => {
    const bench = benchWith()
    const account = await bench.insert()
    const first = (await bench.signIn()).identity.enrollmentDueAt
    for (const days of [1, 3, 30]) {
      bench.advance(days * day)
      expect((await bench.signIn()).identity.enrollmentDueAt).toBe(first)
    }
    expect(await askedRows(bench, account)).toHaveLength(1)
  })

  test('is the same for two parallel first sign-ins', async () => {
    const held: (() => void)[] = []
    const bench = benchWith(forAll, {
      aroundDocuments: (store) => ({
        ...store,
        // Both find none before either writes one.
        async get(...given) {
          const found = await store.get(...given)
          if (found === null && held.length < 2)
            await new Promise<void>((go) => {
              held.push(go)
              if (held.length === 2) for (const one of held) one()
            })
          return found
        },
      }),
    })
    const account = await bench.insert()
    const one = bench.signIn()
    const other = bench.signIn({ delivery: 'token' })
    const signedIn = await Promise.all([one, other])
    const [row, ...others] = await askedRows(bench, account)
    expect(others).toEqual([])
    const dueAt = JSON.parse(row?.value ?? '{}').since + 7 * day * 1000
    expect(signedIn.map(({ identity }) => identity.enrollmentDueAt)).toEqual([dueAt, dueAt])
  })

  test('moves with a changed policy, also for open sessions', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 2 * day })
    await bench.insert()
    const signedIn = await bench.signIn()
    bench.advance(1800)
    const { accounts } = besides(bench, { required: 'all', graceSeconds: 1800 })
    const { credentials } = signedIn
    if (credentials.delivery !== 'session') throw new Error('it is a session')
    const facts = await accounts.identifySession(await bench.sessions.read(credentials.credential))
    expect(facts).toMatchObject(restricted)
    expect(await identify(bench, signedIn)).toMatchObject({ mustEnroll: false })
  })

  test('does not start with a sign-in whose second factor is pending', async () => {
    const bench = benchWith()
    const account = await bench.insert()
    await bench.store.replace(account.id, {}, { enrolled: ['webcam'] })
    expect(await bench.tryPassword()).toEqual(invalidCredentials)
    expect(await askedRows(bench, account)).toEqual([])
  })

  test('is not listed as a factor, and the password alone still signs in', async () => {
    const bench = benchWith()
    const { id } = await bench.insert()
    await bench.signIn()
    expect(await bench.accounts.listFactors(id)).toEqual([])
    expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
  })

  test('is written once, and only read by later sign-ins', async () => {
    const inserted: string[] = []
    const bench = benchWith(forAll, {
      aroundDocuments: (store) => ({
        ...store,
        insert: (factor) => {
          inserted.push(factor.collection)
          return store.insert(factor)
        },
      }),
    })
    await bench.insert()
    for (let turn = 0; turn < 3; turn++) await bench.signIn()
    expect(inserted).toEqual([collection])
  })

  test.each([0, 1, 2])('is read from a row of version %i', async (v) => {
    const bench = benchWith()
    const { id } = await bench.insert()
    const since = bench.now() - day * 1000
    const value = JSON.stringify(v === 0 ? { since } : { v, since })
    await bench.documents.insert({ collection, id, owner: id, version: '1', value })
    expect((await bench.signIn()).identity.enrollmentDueAt).toBe(since + 7 * day * 1000)
  })

  test.each([
    ['of a version that this release does not know', '{"v":99,"since":1}', 'STORE_DATA_NEWER'],
    ['that is none', '{"since":"yesterday"}', 'STORE_DATA_INVALID'],
  ])('a row %s is an outage and opens no session', async (_what, value, code) => {
    const bench = benchWith()
    const { id } = await bench.insert()
    await bench.documents.insert({ collection, id, owner: id, version: '1', value })
    await expect(bench.signIn()).rejects.toMatchObject({
      name: 'StoreError',
      code,
      message: expect.stringContaining('enrollment'),
    })
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test('is written with the version of stored values that the service writes', async () => {
    for (const version of [0, 2]) {
      const bench = benchWith(forAll, { options: { storedVersion: () => version } })
      const account = await bench.insert()
      await bench.signIn()
      const since = bench.now()
      const stored = version === 0 ? { since } : { v: version, since }
      expect((await askedRows(bench, account)).map(({ value }) => JSON.parse(value))).toEqual([stored])
    }
  })

  test('a store that neither stores the row nor has it is an outage', async () => {
    const bench = benchWith(forAll, { aroundDocuments: (store) => ({ ...store, insert: async () => false }) })
    const { id } = await bench.insert()
    await expect(bench.signIn()).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
    expect(await bench.sessions.list(id)).toEqual([])
  })

  test('cannot be read while its store fails, and then no session is opened', async () => {
    let fails = false
    const down = new StoreError('STORE_UNAVAILABLE', 'the store is down')
    const bench = benchWith(forAll, {
      aroundDocuments: (store) => ({
        ...store,
        get: (...given) => (fails ? Promise.reject(down) : store.get(...given)),
      }),
    })
    const { id } = await bench.insert()
    fails = true
    await expect(bench.signIn()).rejects.toBe(down)
    expect(await bench.sessions.list(id)).toEqual([])
  })
})

/** The same service under a policy, as the next release has it. Codes of apps go by a clock of its own. */
function besides(bench: FactorsBench, secondFactor: SecondFactorPolicy): FactorsBench {
  const { store: accounts, records, sessions, refreshTokens, now } = bench
  return createFactorsBench({
    aroundDocuments: () => bench.documents,
    options: { accounts, records, sessions, refreshTokens, now, signIn: { secondFactor } },
  })
}

test('an administrator who impersonates an account needs no factor of it, and has its roles', async () => {
  const mayImpersonate = () => true
  const bench = benchWith({ required: 'all', graceSeconds: 0 }, { options: { impersonation: { mayImpersonate } } })
  const administrator = await bench.insert({ roles: ['ADMIN'] })
  const { identity } = await enrollIn(bench)
  const { id } = await bench.insert({ email: 'helped@example.com' })
  const reason = 'Ticket 4711'
  const started = await bench.accounts.startImpersonation({ identity, accountId: id, reason })
  expect(started?.identity).toMatchObject({ ...free, subject: id, impersonator: administrator.id })
})

describe('a session from before the policy', () => {
  test('knows of no grace: it is restricted at once, and free after a new sign-in, for the grace', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const before = await bench.signIn()
    if (before.credentials.delivery !== 'session') throw new Error('it is a session')
    const { accounts } = besides(bench, forAll)
    const facts = await accounts.identifySession(await bench.sessions.read(before.credentials.credential))
    expect(facts).toMatchObject({ ...restricted, subject: account.id, enrollmentDueAt: bench.now() })
    const again = await accounts.signIn({ email, password, delivery: 'session' })
    expect(again).toMatchObject({ identity: { mustEnroll: false, enrollmentDueAt: bench.now() + 7 * day * 1000 } })
  })

  test('is no longer restricted once its owner has set up a factor in it', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    const before = await bench.signIn()
    const after = besides(bench, forAll)
    const begun = await bench.accounts.startTotpEnrollment({ identity: before.identity })
    if (!begun.ok) throw new Error('no enrolment has begun')
    const { identity } = before
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code: bench.codeOf(begun.secret) })
    if (!confirmed.ok || !confirmed.credentials) throw new Error('the enrolment was refused')
    const facts = await after.accounts.identifySession(await bench.sessions.read(confirmed.credentials.credential))
    expect(facts).toMatchObject(free)
  })
})

describe('a factor that is set up', () => {
  test('lifts the restriction of the kept session at once', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 0 })
    await bench.insert()
    const { identity } = await bench.signIn()
    const { credentials } = await enroll(bench, identity)
    if (!credentials) throw new Error('the session has not gone on')
    expect(await identify(bench, { credentials })).toMatchObject({ ...free, enrolledFactors: ['totp'] })
  })

  test('lifts the restriction of the kept family, and its next access token has the roles again', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 0 })
    await bench.insert()
    const signedIn = await bench.signIn({ delivery: 'token' })
    if (signedIn.credentials.delivery === 'session') throw new Error('it is a family')
    const { accessToken, refreshToken } = signedIn.credentials
    expect((await bench.verify(accessToken)).role).toBe('')
    await enroll(bench, signedIn.identity)
    expect(await identify(bench, signedIn)).toMatchObject(free)
    const refreshed = await bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })
    if (!refreshed.ok) throw new Error('the family has ended')
    expect((await bench.verify(refreshed.credentials.accessToken)).role).toBe('READER')
  })

  test('can be a passkey as well', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 0 })
    await bench.insert()
    const { identity } = await bench.addPasskey(await bench.signIn())
    expect(identity).toMatchObject({ ...free, enrolledFactors: ['passkey'] })
  })

  test('does not count if another account registers the same passkey at the same moment, and the restriction remains', async () => {
    const bench = benchWith(
      { required: 'all', graceSeconds: 0 },
      {
        aroundDocuments: (store) => ({
          ...store,
          async insert(row) {
            if (row.collection === 'factor-passkey') await store.insert({ ...row, owner: 'acc_other' })
            return store.insert(row)
          },
        }),
      },
    )
    await bench.insert()
    const signedIn = await bench.signIn()
    const finish = await beginPasskey(bench, signedIn)
    expect(await finish()).toEqual(invalidCredentials)
    expect(await identify(bench, signedIn)).toMatchObject(restricted)
  })

  test('restricts the kept session again at once when it is removed', async () => {
    const bench = benchWith()
    const account = await bench.insert()
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(8 * day)
    // The session of the enrolment is over by now.
    const asked = await bench.tryPassword()
    if (!asked.ok || asked.status !== 'second-factor-required') throw new Error('no second factor was asked for')
    const code = bench.codeOf(secret)
    const signedIn = await bench.accounts.verifySecondFactor({ challenge: asked.challenge, code, delivery: 'session' })
    if (!signedIn.ok) throw new Error('the code was refused')
    expect(signedIn.identity).toMatchObject({ ...free, subject: identity.subject })
    bench.advance(30)
    const removed = await bench.accounts.disableTotp({ identity: signedIn.identity, code: bench.codeOf(secret) })
    if (!removed.ok || !removed.credentials) throw new Error('the app was not removed')
    const { credentials } = removed
    expect(await identify(bench, { credentials })).toMatchObject({ ...restricted, enrolledFactors: [] })
  })

  test('leaves the rest of the grace when it is removed', async () => {
    const bench = benchWith()
    const account = await bench.insert()
    const dueAt = bench.now() + 7 * day * 1000
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(60)
    const removed = await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) })
    if (!removed.ok || !removed.credentials) throw new Error('the app was not removed')
    const { credentials } = removed
    expect(await identify(bench, { credentials })).toMatchObject({ mustEnroll: false, enrollmentDueAt: dueAt })
  })

  test('starts no new grace when it is removed, if it existed before the policy', async () => {
    const before = createFactorsBench()
    const account = await before.insert()
    const { secret } = await before.enrollTotp(account)
    const after = besides(before, { required: 'all', graceSeconds: day })
    const signIn = async (): Promise<SignInSuccess> => {
      for (const bench of [before, after]) bench.advance(30)
      const asked = await after.accounts.signIn({ email, password, delivery: 'session' })
      if (!asked.ok || asked.status !== 'second-factor-required') throw new Error('no second factor was asked for')
      const code = before.codeOf(secret)
      const signedIn = await after.accounts.verifySecondFactor({
        challenge: asked.challenge,
        code,
        delivery: 'session',
      })
      if (!signedIn.ok) throw new Error('the code was refused')
      return signedIn
    }
    expect((await signIn()).identity).toMatchObject(free)
    for (const bench of [before, after]) bench.advance(day)
    const { identity } = await signIn()
    expect(identity).toMatchObject(free)
    for (const bench of [before, after]) bench.advance(30)
    const removed = await after.accounts.disableTotp({ identity, code: before.codeOf(secret) })
    if (!removed.ok || removed.credentials?.delivery !== 'session') throw new Error('the app was not removed')
    const session = await before.sessions.read(removed.credentials.credential)
    expect(await after.accounts.identifySession(session)).toMatchObject(restricted)
  })

  test('cannot be a set of recovery codes alone', async () => {
    const bench = benchWith({ required: 'all', graceSeconds: 0 })
    const { id } = await bench.insert()
    const signedIn = await bench.signIn()
    await bench.store.replace(id, {}, { enrolled: ['recovery-code'] })
    expect(await identify(bench, signedIn)).toMatchObject(restricted)
    await bench.store.replace(id, {}, { enrolled: ['recovery-code', 'webcam'] })
    expect(await identify(bench, signedIn)).toMatchObject(free)
  })

  test('starts no new grace after a reset by an administrator', async () => {
    const bench = benchWith()
    const account = await bench.insert()
    await bench.enrollTotp(account)
    bench.advance(8 * day)
    await bench.accounts.resetFactors({ id: account.id })
    expect(await bench.accounts.listFactors(account.id)).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'factor.removed')).not.toContainEqual(
      expect.objectContaining({ factor: expect.stringContaining('enrollment') }),
    )
    expect((await bench.signIn()).identity).toMatchObject(restricted)
  })
})

describe('the start of the grace survives renewal', () => {
  test.each(['session', 'token'] as const)('by confirmPassword, also while it is restricted: %s', async (delivery) => {
    const bench = benchWith()
    await bench.insert()
    const { identity } = await bench.signIn({ delivery })
    const early = await bench.accounts.confirmPassword({ identity, currentPassword: password })
    if (!early.ok) throw new Error('the password was refused')
    expect(early.identity).toMatchObject({ mustEnroll: false, enrollmentDueAt: identity.enrollmentDueAt })
    bench.advance(7 * day)
    const { identity: late } = await bench.signIn({ delivery })
    const again = await bench.accounts.confirmPassword({ identity: late, currentPassword: password })
    if (!again.ok) throw new Error('the password was refused')
    expect(again.identity).toMatchObject({ ...restricted, enrollmentDueAt: identity.enrollmentDueAt })
    expect(await identify(bench, again)).toMatchObject(restricted)
    const wrong = await bench.accounts.confirmPassword({ identity: again.identity, currentPassword: newPassword })
    expect(wrong).toEqual(invalidCredentials)
  })

  test('by a change of the password', async () => {
    const bench = benchWith()
    await bench.insert()
    const { identity } = await bench.signIn()
    const changed = await bench.accounts.changePassword({ identity, currentPassword: password, newPassword })
    if (!changed.ok || !changed.credentials) throw new Error('the password was not changed')
    const { credentials } = changed
    expect(await identify(bench, { credentials })).toMatchObject({ enrollmentDueAt: identity.enrollmentDueAt })
  })

  test('by every refresh, whose access tokens have no roles once the grace is over', async () => {
    const bench = benchWith()
    await bench.insert()
    const signedIn = await bench.signIn({ delivery: 'token' })
    if (signedIn.credentials.delivery === 'session') throw new Error('it is a family')
    let { refreshToken: token } = signedIn.credentials
    const roles: unknown[] = []
    for (const days of [3, 3, 1]) {
      bench.advance(days * day)
      const result = await bench.accounts.refresh({ token, channel: 'cookie', attempt: presentedBy(null) })
      if (!result.ok) throw new Error('the family has ended')
      token = result.credentials.refreshToken
      roles.push((await bench.verify(result.credentials.accessToken)).role)
      expect(result.identity.enrollmentDueAt).toBe(signedIn.identity.enrollmentDueAt)
    }
    expect(roles).toEqual(['READER', 'READER', ''])
  })
})

describe('createAccounts refuses a policy', () => {
  test.each([
    [
      'without a factor that could meet it',
      undefined,
      '"signIn.secondFactor" needs "signIn.totp" or "signIn.passkeys"',
    ],
    ['for no one', { required: [] }, '"signIn.secondFactor.required" must be \'all\' or a list of roles'],
    ['for what is no list', { required: 'ADMIN' }, '"signIn.secondFactor.required" must be \'all\' or a list of roles'],
    ['for what can be no role', { required: ['two words'] }, '"signIn.secondFactor.required": a role is a text'],
    ['without saying for whom', {}, '"signIn.secondFactor.required" must be'],
    [
      'with a grace below none',
      { required: 'all', graceSeconds: -1 },
      '"signIn.secondFactor.graceSeconds" must be a whole number',
    ],
    [
      'with a broken second',
      { required: 'all', graceSeconds: 0.5 },
      '"signIn.secondFactor.graceSeconds" must be a whole number',
    ],
    ['with a grace of years', { required: 'all', graceSeconds: 31_536_001 }, 'from 0 to 31536000'],
    [
      'with a misspelt member',
      { required: 'all', graceSecond: 5 },
      '"signIn.secondFactor" has no option "graceSecond"',
    ],
  ])('%s', (_what, given, message) => {
    const secondFactor = given as unknown as SecondFactorPolicy
    if (given === undefined)
      expect(() => createBench({ options: { signIn: { secondFactor: forAll } } })).toThrow(message)
    else expect(() => createFactorsBench({ options: { signIn: { secondFactor } } })).toThrow(TypeError)
    if (given !== undefined)
      expect(() => createFactorsBench({ options: { signIn: { secondFactor } } })).toThrow(message)
  })
})
