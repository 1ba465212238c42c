import type { Accounts, AccountsOptions, StoredAccount } from '@latchkey/accounts'
import { type SignInTransition, signInTransitions } from '@latchkey/accounts/internal'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, createBench, needs, newPassword, password } from '../bench.ts'

const reason = 'Ticket 4711'

/** Administrators act as those who are none. */
const mayImpersonate: Required<AccountsOptions>['impersonation']['mayImpersonate'] = (administrator, account) =>
  administrator.roles.includes('ADMIN') && !account.roles.includes('ADMIN')

async function createScene(options: BenchOptions = {}, change: Partial<StoredAccount> = {}) {
  const bench = createBench({ ...options, options: { impersonation: { mayImpersonate }, ...options.options } })
  await bench.insert({ roles: ['ADMIN'] })
  const { identity } = await bench.signIn()
  const account = await bench.insert({ id: 'acc_helped', email: 'helped@example.com', ...change })
  const start = (given: object = {}) =>
    bench.accounts.startImpersonation({ identity, accountId: account.id, reason, ...given })
  const open = async () => (await bench.sessions.list(account.id)).map(({ key }) => key)
  return { bench, identity, account, start, open }
}

const rows = signInTransitions.filter(({ on }) => on === 'impersonation')

/** What makes the condition of a row true. */
const bringing: Readonly<Record<string, { readonly change?: Partial<StoredAccount>; readonly of?: 'self' | 'none' }>> =
  {
    'own-account': { of: 'self' },
    'unknown-account': { of: 'none' },
    unverified: { change: { status: 'unverified' } },
    disabled: { change: { status: 'disabled' } },
    locked: { change: { status: 'locked' } },
    'out-of-reach': { change: { roles: ['ADMIN'] } },
    'within-reach': {},
  }

test('the table has one transition into an impersonation, and none out of it', () => {
  const into = signInTransitions.filter(({ to }) => to === 'impersonated')
  expect(into).toEqual([{ from: 'signed-in', on: 'impersonation', when: 'within-reach', to: 'impersonated' }])
  expect(signInTransitions.filter(({ from }) => from === 'impersonated')).toEqual([])
  expect(rows.map(({ when }) => when).sort()).toEqual(Object.keys(bringing).sort())
})

test.each(rows.map((row): [string, SignInTransition] => [row.when, row]))(
  'the table decides each request to impersonate an account: %s',
  async (when, { to }) => {
    const { change = {}, of } = bringing[when] ?? {}
    const { bench, identity, account, start, open } = await createScene({}, change)
    const accountId = of === 'self' ? identity.subject : of === 'none' ? 'acc_none' : account.id
    const asked = start({ accountId })
    if (to === 'impersonated') {
      expect(await asked).toMatchObject({ account: { id: account.id }, identity: { impersonator: identity.subject } })
      expect(await open()).toHaveLength(1)
      return
    }
    if (when === 'unknown-account') expect(await asked).toBeNull()
    else await expect(asked).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED', field: 'accountId' })
    expect(await open()).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'impersonation.refused', reason: when })
  },
)

describe('startImpersonation is refused', () => {
  test('without the option, which is named', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const identity = (await bench.signIn()).identity
    const asked = bench.accounts.startImpersonation({ identity, accountId: id, reason })
    await expect(asked).rejects.toMatchObject({ code: 'OPERATION_UNAVAILABLE', message: needs('impersonation') })
  })

  test('startImpersonation accepts a reason of 500 characters and refuses 501', async () => {
    const { start } = await createScene()
    expect(await start({ reason: 'x'.repeat(500) })).not.toBeNull()
    await expect(start({ reason: 'x'.repeat(501) })).rejects.toMatchObject({ code: 'REASON_INVALID' })
  })

  test.each([undefined, null, 7, '', ' \u00a0 ', 'x'.repeat(501), 'a\nb', '\ud800', 'a\u2028b'])(
    'startImpersonation refuses the reason %j without a read of a store',
    async (given) => {
      const { bench, start, open } = await createScene()
      const before = bench.events.length
      await expect(start({ reason: given })).rejects.toMatchObject({ code: 'REASON_INVALID', field: 'reason' })
      expect([await open(), bench.events.length]).toEqual([[], before])
    },
  )

  test.each([{ epoch: 9 }, { status: 'locked' }] as const)(
    "startImpersonation is refused if the administrator's account has changed since the sign-in: %j",
    async (change) => {
      const { bench, identity, start, open } = await createScene()
      await bench.store.replace(identity.subject, {}, change)
      await expect(start()).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
      expect(await open()).toEqual([])
      const refused = { type: 'impersonation.refused', accountId: null, reason: 'account-changed' }
      expect(bench.events.at(-1)).toMatchObject(refused)
    },
  )

  test.each([false, true])(
    'startImpersonation is refused without a valid own session, with records and accounts read together: %s',
    async (readsTogether) => {
      const { bench, identity, start, open } = await createScene({ readsTogether })
      const client = { clientId: 'spa', scopes: ['openid'], grant: 'gr_1' }
      const { family } = await bench.refreshTokens.issue({ subject: identity.subject, factors: [], ...client })
      await bench.insert({ id: 'acc_other', email: 'other@example.com' })
      const other = await bench.signIn({ email: 'other@example.com' })
      for (const key of ['se_none', null, family.key, other.identity.key]) {
        await expect(start({ identity: { ...identity, key } })).rejects.toMatchObject({
          code: 'IMPERSONATION_NOT_ALLOWED',
        })
      }
      await bench.sessions.revoke(identity.subject, identity.key)
      await expect(start()).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
      expect(await open()).toEqual([])
    },
  )

  test('startImpersonation is refused during another impersonation, whatever the identity claims', async () => {
    const scene = await createScene({ options: { impersonation: { mayImpersonate: () => true } } })
    const { bench, start } = scene
    const { identity } = (await start()) ?? {}
    const other = await bench.insert({ id: 'acc_other', email: 'other@example.com' })
    for (const by of [identity, { ...identity, impersonator: null }, { ...scene.identity, impersonator: 'acc_any' }]) {
      const nested = start({ identity: by, accountId: other.id })
      await expect(nested).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
      expect(bench.events.at(-1)).toMatchObject({ type: 'impersonation.refused', reason: 'impersonated' })
    }
    expect(await bench.sessions.list(other.id)).toEqual([])
  })
})

describe.each([false, true])('an open impersonation, with records and accounts read together: %s', (readsTogether) => {
  async function opened() {
    const scene = await createScene({ readsTogether })
    const started = await scene.start()
    if (started?.credentials.delivery !== 'session') throw new Error('no session was opened')
    const { credential, session } = started.credentials
    const identify = async () => (await scene.bench.accounts.identifyCredential(credential))?.facts ?? null
    return { ...scene, session, identify }
  }

  test('checks both accounts with every request', async () => {
    const { bench, identity, identify, account } = await opened()
    expect(await identify()).toMatchObject({ subject: account.id, impersonator: identity.subject, factors: [] })
    await bench.store.replace(identity.subject, {}, { status: 'locked' })
    expect(await identify()).toBeNull()
    await bench.store.replace(identity.subject, {}, { status: 'active' })
    expect(await identify()).not.toBeNull()
    await bench.store.replace(identity.subject, {}, { epoch: 99 })
    expect(await identify()).toBeNull()
  })

  test('ends with the session of the administrator', async () => {
    const { bench, identity, identify } = await opened()
    await bench.sessions.revoke(identity.subject, identity.key)
    expect(await identify()).toBeNull()
  })

  test('is listed for the owner only while it is valid', async () => {
    const { bench, identity, account, session } = await opened()
    const listed = async () => (await bench.accounts.listSessions(account.id)).map(({ key }) => key)
    expect(await listed()).toEqual([session.key])
    await bench.sessions.revoke(identity.subject, identity.key)
    expect(await listed()).toEqual([])
  })

  test('cannot be renewed', async () => {
    const { bench, account, session } = await opened()
    expect(await bench.sessions.regenerate(account.id, session.key, { epoch: 0, factors: [] })).toBeNull()
    const impersonation = session.impersonation
    const issued = await bench.refreshTokens.issue({
      subject: account.id,
      clientId: 'first-party',
      factors: [],
      impersonation,
    })
    expect(await bench.refreshTokens.redeem(issued.token, { clientId: 'first-party' })).toEqual({
      ok: false,
      reason: 'unknown',
    })
    expect(await bench.refreshTokens.regenerate(issued.family, { epoch: 0 })).toBeNull()
    const before = [await bench.records.get(session.key), await bench.records.get(issued.family.key)]
    expect(await bench.sessions.renew(account.id, session.key, { epoch: 1 })).toBe(false)
    const factors = [{ kind: 'password', at: bench.now() }]
    expect(await bench.refreshTokens.renew(issued.family, { epoch: 1, factors })).toBe(false)
    expect([await bench.records.get(session.key), await bench.records.get(issued.family.key)]).toEqual(before)
  })

  test.each(['cookie', 'bearer'] as const)('is revoked by its own change of the account: %s', async (via) => {
    const { bench, account, identity, start } = await createScene({ readsTogether })
    const acting = (await start({ identity: { ...identity, via } }))?.identity
    if (!acting) throw new Error('nothing was opened')
    // An application that says no more of the identity than what the use case takes.
    const { impersonator: _unsaid, ...said } = acting
    const change = { identity: said, currentPassword: password, newPassword }
    expect(await bench.accounts.changePassword(change)).toMatchObject({ ok: true, credentials: null })
    expect(await bench.sessions.list(account.id)).toEqual([])
  })

  test('is stored without the device of the administrator', async () => {
    const { bench, account } = await opened()
    expect(await bench.sessions.list(account.id)).toMatchObject([{ device: { address: null, userAgent: null } }])
  })
})

const answered = { code: '123456', challenge: 'none', response: {}, id: 'pk_1', name: 'Another', kinds: ['totp'] }
const passwords = { currentPassword: password, newPassword }
const ownersAlone = [
  'changeName',
  'requestEmailChange',
  'deleteAccount',
  'exportAccount',
  'confirmPassword',
  'changePassword',
  'revokeAllSessions',
  'startStepUp',
  'startTotpEnrollment',
  'confirmTotpEnrollment',
  'disableTotp',
  'regenerateRecoveryCodes',
  'startPasskeyRegistration',
  'finishPasskeyRegistration',
  'renamePasskey',
  'removePasskey',
] as const

test.each(ownersAlone)(
  '%s is refused for an administrator who impersonates the account, and leaves it unchanged',
  async (useCase) => {
    const { bench, account, start, open } = await createScene()
    const { identity } = (await start()) ?? {}
    const before = [await bench.store.get(account.id), await open()]
    const events = bench.events.length
    const input = { ...answered, ...passwords, newEmail: 'mine@example.com', identity }
    const call = bench.accounts[useCase] as (given: object) => Promise<unknown>
    await expect(call(input)).rejects.toMatchObject({ name: 'AccountsError', code: 'NOT_WHILE_IMPERSONATING' })
    await bench.accounts.settled()
    expect([await bench.store.get(account.id), await open()]).toEqual(before)
    expect(bench.events.slice(events)).toEqual([])
    expect(bench.outbox.filter(({ kind }) => kind !== 'impersonated')).toEqual([])
  },
)

/** What an application may return in place of `true`. */
const noAnswers: readonly (readonly [string, unknown])[] = [
  ['a text', 'yes'],
  ['a number', 1],
  ['an object', {}],
  ['nothing', undefined],
  ['a promise of a text', Promise.resolve('yes')],
  ['a promise of false', Promise.resolve(false)],
]

describe('the answer of mayImpersonate', () => {
  const answering = async (first: unknown) => {
    const answer = { give: (): unknown => first }
    const asked = (() => answer.give()) as Required<AccountsOptions>['impersonation']['mayImpersonate']
    return { answer, ...(await createScene({ options: { impersonation: { mayImpersonate: asked } } })) }
  }
  const identifyOf = (
    { bench }: { readonly bench: Bench },
    started: Awaited<ReturnType<Accounts['startImpersonation']>>,
  ) => {
    if (started?.credentials.delivery !== 'session') throw new Error('no session was opened')
    const { credential } = started.credentials
    return async () => (await bench.accounts.identifyCredential(credential))?.facts ?? null
  }

  test('may be a promise of true', async () => {
    const scene = await answering(Promise.resolve(true))
    const identify = identifyOf(scene, await scene.start())
    expect(await identify()).toMatchObject({ subject: scene.account.id })
  })

  test.each(noAnswers)(
    'any answer but true refuses to start and to continue an impersonation: %s',
    async (_what, no) => {
      const scene = await answering(no)
      await expect(scene.start()).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
      expect(await scene.open()).toEqual([])
      scene.answer.give = () => true
      const identify = identifyOf(scene, await scene.start())
      scene.answer.give = () => no
      expect(await identify()).toBeNull()
    },
  )

  test('an error of mayImpersonate passes through, and no session is opened', async () => {
    const scene = await answering(true)
    const identify = identifyOf(scene, await scene.start())
    const opened = await scene.open()
    const failing = new StoreError('STORE_UNAVAILABLE', 'it does not answer')
    scene.answer.give = () => Promise.reject(failing)
    await expect(identify()).rejects.toBe(failing)
    await expect(scene.start()).rejects.toBe(failing)
    expect(await scene.open()).toEqual(opened)
  })
})

/** A token of an administrator who acts as an account, and what it says when it is changed. */
test('an access token is valid with the actor of its family alone', async () => {
  const { bench, start, identity } = await createScene()
  const started = await start({ identity: { ...identity, via: 'bearer' } })
  if (started?.credentials.delivery !== 'bearer') throw new Error('no token was signed')
  const claims = await bench.verify(started.credentials.accessToken)
  expect(await bench.accounts.identifyToken(claims)).toMatchObject({ impersonator: identity.subject })
  for (const act of [undefined, null, {}, { sub: 'acc_other' }, identity.subject, []]) {
    expect(await bench.accounts.identifyToken({ ...claims, act } as typeof claims)).toBeNull()
  }
  const own = await bench.signIn({ delivery: 'token' })
  const ownClaims = await bench.verify((own.credentials as { readonly accessToken: string }).accessToken)
  expect(await bench.accounts.identifyToken(ownClaims)).not.toBeNull()
  expect(await bench.accounts.identifyToken({ ...ownClaims, act: { sub: 'acc_other' } })).toBeNull()
})

test('an access token ends with the session of the administrator, and with either account', async () => {
  const { bench, start, identity, account } = await createScene()
  const started = await start({ identity: { ...identity, via: 'bearer' } })
  if (started?.credentials.delivery !== 'bearer') throw new Error('no token was signed')
  const claims = await bench.verify(started.credentials.accessToken)
  const identify = () => bench.accounts.identifyToken(claims)
  for (const id of [identity.subject, account.id]) {
    await bench.store.replace(id, {}, { status: 'locked' })
    expect(await identify()).toBeNull()
    await bench.store.replace(id, {}, { status: 'active' })
    expect(await identify()).toMatchObject({ subject: account.id, impersonator: identity.subject })
  }
  await bench.sessions.revoke(identity.subject, identity.key)
  expect(await identify()).toBeNull()
})

test("the owner's copy of the data says who has acted as the account", async () => {
  const { bench, start, account, identity } = await createScene()
  await start()
  const exported = await (bench as Bench).accounts.exportAccount({ identity: { subject: account.id } })
  expect(JSON.parse(exported ?? '{}').sessions).toMatchObject([{ impersonatedBy: identity.subject }])
})
