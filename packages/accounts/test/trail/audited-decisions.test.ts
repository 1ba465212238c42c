import { type StoredAccount, unknownAttempt } from '@latchkey/accounts'
import { auditedKinds, unauditedKinds } from '@latchkey/accounts/internal'
import { documentId } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'
import { email, newPassword, password } from '../bench.ts'
import { beginPasskey, beginTotp, challengeOf } from '../factors/factors-bench.ts'
import { changeAddress } from '../own-account/mailed-links.ts'
import { type AuditedBench, createAuditedBench, origin } from './audited-bench.ts'
import { decisionsOnProviders } from './provider-decisions.ts'

const wrong = 'herons never read at dusk'
const attempt = origin

const deletion = {
  onDelete: ({ name }: { readonly name: string }): void => {
    if (name === 'Undeletable') throw new Error('it is refused')
  },
}

const apiKeys = { prefix: 'lk_', mayGrant: () => true }
const askedKey = { name: 'Export', scopes: ['articles:read'], expiresInDays: 1 }
const impersonation = { mayImpersonate: ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN') }

async function asAdministrator(bench: AuditedBench) {
  await bench.insert({ roles: ['ADMIN'] })
  const { identity } = await bench.signIn()
  const { id: accountId } = await bench.insert({ id: 'acc_helped', email: 'helped@example.com' })
  await bench.written()
  return { identity, accountId, reason: 'Ticket 4711', attempt }
}

const begun = (kind: string, outcome: 'done' | 'failed' = 'done') => [`${kind} intended`, `${kind} ${outcome}`]

/** What is done, and the rows of it: what comes before `bench.written()` prepares it. */
const decisions: readonly (readonly [string, (bench: AuditedBench) => Promise<unknown>, readonly string[]])[] = [
  [
    'a sign-in',
    async (bench) => {
      await bench.insert()
      await bench.signIn({ attempt })
    },
    begun('session.created'),
  ],
  [
    'a wrong password',
    async (bench) => {
      await bench.insert()
      await bench.accounts.signIn({ email, password: wrong, delivery: 'token', attempt })
    },
    ['sign-in.failed done'],
  ],
  [
    'a wrong password where there is no account',
    (bench) => bench.accounts.signIn({ email, password: wrong, delivery: 'token', attempt }),
    ['sign-in.failed done'],
  ],
  [
    'a sign-out',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.signOut({ identity, attempt })
    },
    begun('session.ended'),
  ],
  [
    'a sign-out by an access token and its refresh token',
    async (bench) => {
      await bench.insert()
      const { identity, credentials } = await bench.signIn({ delivery: 'token' })
      if (credentials.delivery === 'session') throw new Error('no family was opened')
      await bench.written()
      await bench.accounts.signOut({ identity, refreshToken: credentials.refreshToken, attempt })
    },
    begun('session.ended'),
  ],
  [
    'an administrator who acts as an account',
    async (bench) => bench.accounts.startImpersonation(await asAdministrator(bench)),
    begun('impersonation.started'),
  ],
  [
    'an administrator who may not act as an account',
    async (bench) => {
      const { identity, ...asked } = await asAdministrator(bench)
      await bench.accounts.startImpersonation({ identity, ...asked, accountId: identity.subject }).catch(() => null)
    },
    ['impersonation.refused done'],
  ],
  [
    'the end of it by bearer',
    async (bench) => {
      const { identity, ...asked } = await asAdministrator(bench)
      const started = await bench.accounts.startImpersonation({ identity: { ...identity, via: 'bearer' }, ...asked })
      if (!started) throw new Error('it was refused')
      await bench.written()
      await bench.accounts.endImpersonation({ identity: started.identity, attempt })
    },
    begun('impersonation.ended'),
  ],
  [
    'an API key that is created',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.createApiKey({ identity, ...askedKey, attempt })
    },
    begun('api-key.created'),
  ],
  [
    'an API key that is revoked',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      const created = await bench.accounts.createApiKey({ identity, ...askedKey, attempt })
      if (!created.ok) throw new Error('the key was refused')
      await bench.written()
      await bench.accounts.revokeApiKey({ subject: identity.subject, id: created.apiKey.id, attempt })
    },
    begun('api-key.revoked'),
  ],
  [
    'the end of a session that has ended',
    async (bench) => {
      const { id: subject } = await bench.insert()
      await bench.accounts.revokeSession({ subject, key: 'se_none', attempt })
    },
    begun('session.ended', 'failed'),
  ],
  [
    'the end of all other sessions',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.revokeAllSessions({ identity, attempt })
    },
    begun('sessions.ended'),
  ],
  [
    'a changed password',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.changePassword({ identity, currentPassword: password, newPassword, attempt })
    },
    begun('password.changed'),
  ],
  [
    'a password that is not changed',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.changePassword({ identity, currentPassword: wrong, newPassword, attempt })
    },
    [],
  ],
  [
    'a reset that is asked for',
    async (bench) => {
      await bench.insert()
      await bench.accounts.requestPasswordReset({ email, attempt })
      await bench.accounts.settled()
    },
    begun('password.reset-requested'),
  ],
  [
    'a reset password',
    async (bench) => {
      await bench.insert()
      await bench.accounts.requestPasswordReset({ email, attempt })
      const token = await bench.mailedToken()
      await bench.written()
      await bench.accounts.resetPassword({ token, newPassword, attempt })
    },
    begun('password.reset'),
  ],
  [
    'a reset that is asked for where there is no account',
    async (bench) => {
      await bench.accounts.requestPasswordReset({ email, attempt })
      await bench.accounts.settled()
    },
    [],
  ],
  [
    'a verified address',
    async (bench) => {
      await bench.accounts.signUp({ email, password, name: 'A Reader', attempt })
      await bench.accounts.verifyEmail({ token: await bench.mailedToken(), password, attempt })
    },
    ['account.created intended', 'email.verified intended', 'account.created done', 'email.verified done'],
  ],
  [
    'a verified address of an account that was imported',
    async (bench) => {
      await bench.insert({ status: 'unverified' })
      await bench.accounts.signUp({ email, password, name: 'A Reader', attempt })
      await bench.accounts.verifyEmail({ token: await bench.mailedToken(), password, attempt })
    },
    begun('email.verified'),
  ],
  [
    'a created account',
    (bench) => bench.accounts.create({ email, password, name: 'A Reader', roles: ['READER'], attempt }),
    begun('account.created'),
  ],
  [
    'another role',
    async (bench) => {
      const { id } = await bench.insert()
      await bench.accounts.setRoles({ id, roles: ['ADMIN'], attempt })
    },
    begun('role.changed'),
  ],
  [
    'the same role',
    async (bench) => {
      const { id } = await bench.insert()
      await bench.accounts.setRoles({ id, roles: ['READER'], attempt })
    },
    [],
  ],
  [
    'an account that is disabled and enabled',
    async (bench) => {
      const { id } = await bench.insert()
      await bench.accounts.disable({ id, attempt })
      await bench.accounts.enable({ id, attempt })
    },
    [...begun('account.disabled'), ...begun('account.enabled')],
  ],
  [
    'an account that is locked and unlocked',
    async (bench) => {
      const { id } = await bench.insert()
      await bench.accounts.lockAccount({ id, attempt })
      await bench.accounts.unlockAccount({ id, attempt })
    },
    [...begun('account.locked'), ...begun('account.unlocked')],
  ],
  [
    'sessions that an administrator ends',
    async (bench) => {
      const { id } = await bench.insert()
      await bench.accounts.endSessions({ id, attempt })
    },
    begun('sessions.ended'),
  ],
  [
    'a change of address that is asked for, confirmed and undone',
    async (bench) => {
      await bench.insert()
      const signedIn = await bench.signIn()
      await bench.written()
      const { undo } = await changeAddress(bench, signedIn)
      await bench.accounts.undoEmailChange({ token: undo, attempt })
    },
    [...begun('email-change.requested'), ...begun('email-change.confirmed'), ...begun('email-change.undone')],
  ],
  [
    'a link that undoes a change of address, of an account that was closed',
    async (bench) => {
      const { id } = await bench.insert()
      const { undo } = await changeAddress(bench, await bench.signIn())
      await bench.accounts.disable({ id, attempt })
      await bench.written()
      await bench.accounts.undoEmailChange({ token: undo, attempt })
    },
    [],
  ],
  [
    'a change of address whose mail is withheld',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      for (let asked = 0; asked < 4; asked++) {
        await bench.accounts.requestEmailChange({ identity, newEmail: 'new@example.com', attempt })
        await bench.accounts.settled()
        if (asked === 2) await bench.written()
      }
    },
    [],
  ],
  [
    'an account that is deleted',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.deleteAccount({ identity, attempt })
    },
    begun('account.deleted'),
  ],
  [
    'an account whose deletion the application refuses',
    async (bench) => {
      await bench.insert({ name: 'Undeletable' })
      const { identity } = await bench.signIn()
      await bench.written()
      await bench.accounts.deleteAccount({ identity, attempt }).catch(() => null)
    },
    begun('account.deleted', 'failed'),
  ],
  [
    'an authenticator app that is added',
    async (bench) => {
      await bench.enrollTotp(await bench.insert())
    },
    [...begun('session.created'), ...begun('factor.added')],
  ],
  [
    'a passkey that is added and removed',
    async (bench) => {
      await bench.insert()
      const signedIn = await bench.signIn()
      await bench.written()
      const { id, identity } = await bench.addPasskey(signedIn)
      await bench.accounts.removePasskey({ identity, id, attempt })
    },
    [...begun('factor.added'), ...begun('factor.removed')],
  ],
  [
    'a wrong code, and a recovery code that signs in',
    async (bench) => {
      const { codes } = await bench.enrollTotp(await bench.insert())
      const challenge = await challengeOf(bench.tryPassword())
      await bench.written()
      await bench.accounts.verifySecondFactor({ challenge, code: '000000', delivery: 'session', attempt })
      const [code = ''] = codes
      await bench.accounts.verifySecondFactor({ challenge, code, delivery: 'session', attempt })
    },
    ['second-factor.failed done', ...begun('recovery-code.used'), ...begun('session.created')],
  ],
  [
    'a wrong recovery code',
    async (bench) => {
      await bench.enrollTotp(await bench.insert())
      const challenge = await challengeOf(bench.tryPassword())
      await bench.written()
      const code = 'AAAA-AAAA-AAAA-AAAA'
      await bench.accounts.verifySecondFactor({ challenge, code, delivery: 'session', attempt })
    },
    [...begun('recovery-code.used', 'failed'), 'second-factor.failed done'],
  ],
  [
    'new recovery codes',
    async (bench) => {
      const { secret, identity } = await bench.enrollTotp(await bench.insert())
      await bench.written()
      bench.advance(60)
      await bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret), attempt })
    },
    begun('factor.added'),
  ],
  [
    'factors that an administrator removes',
    async (bench) => {
      const account = await bench.insert()
      await bench.enrollTotp(account)
      await bench.written()
      await bench.accounts.resetFactors({ id: account.id, attempt })
    },
    ['factor.removed intended', 'factor.removed intended', 'factor.removed done', 'factor.removed done'],
  ],
  [
    'the removal of all factors of an account that has none, which ends what it has open',
    async (bench) => {
      const account = await bench.insert()
      await bench.signIn()
      await bench.written()
      await bench.accounts.resetFactors({ id: account.id, attempt })
    },
    begun('sessions.ended'),
  ],
  [
    'a refresh token that is shown twice',
    async (bench) => {
      await bench.insert()
      const { credentials } = await bench.signIn({ delivery: 'token' })
      if (credentials.delivery === 'session') throw new Error('no family was opened')
      await bench.written()
      await bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie', attempt })
      bench.advance(60)
      await bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie', attempt })
    },
    ['family.reused done'],
  ],
  [
    'a hundred wrong passwords',
    async (bench) => {
      await bench.insert()
      for (let guess = 0; guess < 100; guess++) {
        bench.advance(3600)
        await bench.accounts.signIn({ email, password: wrong, delivery: 'session', attempt })
        if (guess === 98) await bench.written()
      }
    },
    ['password.disabled done', 'sign-in.failed done'],
  ],
  [
    'a hundred wrong codes',
    async (bench) => {
      const account = await bench.insert()
      const { identity } = await bench.enrollTotp(account)
      for (let guess = 0; guess < 100; guess++) {
        bench.advance(20)
        await bench.accounts.disableTotp({ identity, code: '000000', attempt })
        if (guess === 98) await bench.written()
      }
    },
    ['second-factor.failed done', 'factor.disabled done'],
  ],
  [
    'too many wrong passwords, however often it is tried again',
    async (bench) => {
      await bench.insert()
      for (let guess = 0; guess < 20; guess++) {
        await bench.accounts.signIn({ email, password: wrong, delivery: 'session', attempt }).catch(() => null)
      }
    },
    [...Array(5).fill('sign-in.failed done'), 'sign-in.throttled done'],
  ],
  ...decisionsOnProviders,
]

describe('the audit log has', () => {
  test.each(decisions)(
    'the audit log of %s has the intention before the outcome, and no further rows',
    async (_what, decide, expected) => {
      const providers = { newAccounts: 'verified-email' } as const
      const options = { apiKeys, impersonation, deletion, signIn: { providers } }
      const bench = createAuditedBench({ options })
      await decide(bench)
      expect(await bench.written()).toEqual(expected)
      const done = expected.filter((row) => row.endsWith(' done')).map((row) => row.split(' ')[0])
      expect(bench.events.map(({ type }) => type)).toEqual(expect.arrayContaining(done))
    },
  )
})

test('API keys beyond 25 of an account fail in the audit log, even in parallel', async () => {
  const bench = createAuditedBench({ options: { apiKeys } })
  await bench.insert()
  const { identity } = await bench.signIn()
  await bench.written()
  const asked = Array.from({ length: 30 }, () => bench.accounts.createApiKey({ identity, ...askedKey, attempt }))
  const created = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length
  const rows = await bench.written()
  const count = (row: string) => rows.filter((one) => one === row).length
  expect(count('api-key.created intended')).toBeGreaterThan(25)
  expect([count('api-key.created done'), count('api-key.created failed')]).toEqual([
    created,
    count('api-key.created intended') - created,
  ])
})

test('every audited event belongs to a decision above', () => {
  const kinds = decisions.flatMap(([, , expected]) => expected.map((row) => row.split(' ')[0]))
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(auditedKinds).sort())
})

test('an event is audited, or there is a reason why not', () => {
  expect(Object.keys(unauditedKinds)).toContain('link.refused')
  for (const [type, reason] of Object.entries(unauditedKinds)) {
    expect(Object.keys(auditedKinds)).not.toContain(type)
    expect(reason.length).toBeGreaterThan(20)
  }
})

describe('an entry names', () => {
  test('the account, the actor, the origin and the other members of the event', async () => {
    const bench = createAuditedBench()
    const { id: accountId } = await bench.insert()
    const { identity } = await bench.signIn({ attempt, delivery: 'token' })
    expect(await bench.entries()).toEqual([
      {
        id: expect.any(String),
        at: bench.now(),
        kind: 'session.created',
        state: 'done',
        accountId,
        actorId: accountId,
        address: '203.0.113.9',
        userAgent: 'Mozilla/5.0',
        requestId: 'r-1',
        details: {
          channel: 'page',
          delivery: 'token',
          sessionKey: identity.key,
          factors: 'password',
          byRememberedDevice: false,
        },
      },
    ])
  })

  test('the administrator who has changed an account of another person', async () => {
    const bench = createAuditedBench()
    const { id } = await bench.insert()
    await bench.accounts.setRoles({ id, roles: ['ADMIN', 'READER'], actorId: 'acc_admin', attempt })
    const [entry] = await bench.entries()
    expect(entry).toMatchObject({ accountId: id, actorId: 'acc_admin', details: { roles: 'ADMIN READER' } })
  })

  test.each<[string, (bench: AuditedBench, account: StoredAccount) => Promise<() => Promise<unknown>>]>([
    ['totp', async (bench) => beginTotp(bench, await bench.signIn())],
    ['passkey', async (bench) => beginPasskey(bench, await bench.signIn())],
    [
      'recovery-code',
      async (bench, account) => {
        const { secret, identity } = await bench.enrollTotp(account)
        bench.advance(30)
        return () => bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
      },
    ],
  ])('the factor that was to be added, where it is not: %s', async (factor, begin) => {
    let change = async (): Promise<unknown> => undefined
    const bench = createAuditedBench({
      aroundAccounts: async (method, run) => {
        if (method === 'replace') await change()
        return run()
      },
    })
    const account = await bench.insert()
    const { id } = account
    const finish = await begin(bench, account)
    await bench.written()
    change = () => bench.store.replace(id, {}, { epoch: 9 })
    await finish()
    expect(await bench.written()).toContain('factor.added failed')
    const [added] = (await bench.entries()).filter(({ kind }) => kind === 'factor.added')
    expect(added).toMatchObject({ state: 'failed', accountId: id, details: { factor } })
  })

  test('the administrator and the account of a refused impersonation', async () => {
    const bench = createAuditedBench({ options: { impersonation: { mayImpersonate: () => false } } })
    const { id: actorId } = await bench.insert()
    const { identity } = await bench.signIn()
    const { id } = await bench.insert({ email: 'helped@example.com' })
    const start = (given: object) =>
      bench.accounts.startImpersonation({ identity, accountId: id, reason: 'Ticket 4711', attempt, ...given })
    await expect(start({})).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
    expect(await start({ accountId: 'acc_none' })).toBeNull()
    await expect(start({ identity: { ...identity, key: null } })).rejects.toThrow()
    const refused = { kind: 'impersonation.refused', actorId, address: attempt.address }
    expect((await bench.entries()).slice(0, 3)).toMatchObject([
      { ...refused, accountId: null, details: { reason: 'account-changed' } },
      { ...refused, accountId: null, details: { reason: 'unknown-account' } },
      { ...refused, accountId: id, details: { reason: 'out-of-reach' } },
    ])
  })

  test('the administrator of an impersonation whose account changes in parallel', async () => {
    let change = async (): Promise<unknown> => undefined
    const bench = createAuditedBench({
      options: { impersonation: { mayImpersonate: () => true } },
      async aroundRecords(method, run) {
        if (method === 'insert') await change()
        return run()
      },
    })
    const { id: actorId } = await bench.insert()
    const { identity } = await bench.signIn()
    const { id } = await bench.insert({ email: 'helped@example.com' })
    change = () => bench.store.replace(id, {}, { epoch: 9 })
    const asked = bench.accounts.startImpersonation({ identity, accountId: id, reason: 'Ticket 4711', attempt })
    await expect(asked).rejects.toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
    const refused = (await bench.entries()).filter(({ kind }) => kind === 'impersonation.refused')
    expect(refused).toMatchObject([{ actorId, accountId: id, details: { reason: 'account-changed' } }])
  })

  test('no actor for a session revoked by its provider, and the signed-in user otherwise', async () => {
    const bench = createAuditedBench({ options: { signIn: { providers: {} } } })
    const { id: subject } = await bench.insert()
    const issuer = 'https://id.example'
    await bench.links.insert({ issuer, subject: 'ada', accountId: subject, createdAt: 0 })
    const shown = { issuer, subject: 'ada', claims: {}, email: null, emailVerified: false, amr: [], sid: null }
    const signIn = { ...shown, authenticatedAt: bench.now(), binding: null, delivery: 'session', attempt } as const
    await bench.accounts.signInWithProvider(signIn)
    const { identity } = await bench.signIn()
    await bench.accounts.revokeSession({ subject, key: identity.key, attempt })
    await bench.accounts.endProviderSessions({ issuer, subject: 'ada', sid: null, attempt })
    const ended = (await bench.entries()).filter(({ kind }) => kind === 'session.ended')
    expect(ended).toMatchObject([
      { actorId: null, accountId: subject, details: { reason: 'provider' } },
      { actorId: subject, accountId: subject, details: { reason: 'revoked' } },
    ])
  })

  test.each([undefined, 'acc_admin'])('the actor of an imported link, and no owner: %s', async (actorId) => {
    let isGone = false
    const bench = createAuditedBench({
      options: { signIn: { providers: {} } },
      aroundAccounts: (method, run) => (isGone && method === 'get' ? Promise.resolve(null as never) : run()),
      aroundDocuments: (store) => ({
        ...store,
        insert(document) {
          isGone = document.id === documentId('https://id.example', 'grace')
          return store.insert(document)
        },
      }),
    })
    const { id: accountId } = await bench.insert()
    const imported = { accountId, issuer: 'https://id.example', attempt, ...(actorId !== undefined && { actorId }) }
    await bench.accounts.importProviderLink({ ...imported, subject: 'ada' })
    await bench.accounts.importProviderLink({ ...imported, subject: 'grace' })
    const said = { kind: 'provider.linked', accountId, actorId: actorId ?? null, address: attempt.address }
    expect(await bench.entries()).toMatchObject([
      { ...said, state: 'failed' },
      { ...said, state: 'done' },
    ])
  })

  test('the administrator who reset the factors of an account, and the origin of the request', async () => {
    const bench = createAuditedBench({ options: { signIn: { providers: {} } } })
    const account = await bench.insert()
    await bench.enrollTotp(account)
    await bench.links.insert({ issuer: 'https://id.example', subject: 'ada', accountId: account.id, createdAt: 0 })
    await bench.written()
    const reset = async () => {
      const before = (await bench.entries()).length
      await bench.accounts.resetFactors({ id: account.id, actorId: 'acc_admin', attempt })
      const entries = (await bench.entries()).slice(0, -before)
      for (const entry of entries) {
        expect(entry).toMatchObject({ accountId: account.id, actorId: 'acc_admin', address: attempt.address })
      }
      return entries.map(({ kind }) => kind).sort()
    }
    expect(await reset()).toEqual(['factor.removed', 'factor.removed', 'provider.unlinked'])
    expect(bench.events.map(({ type }) => type)).not.toContain('sessions.ended')
    expect(await reset()).toEqual(['sessions.ended'])
    expect(bench.events.map(({ type }) => type)).toContain('sessions.ended')
  })

  test('only the start of an overlong session name', async () => {
    const bench = createAuditedBench()
    const { id: subject } = await bench.insert()
    await bench.accounts.revokeSession({ subject, key: `\u001b[2J${'k'.repeat(1000)}`, attempt })
    const [entry] = await bench.entries()
    expect(entry).toMatchObject({ kind: 'session.ended', state: 'failed' })
    expect(entry?.details.sessionKey).toBe(`[2J${'k'.repeat(509)}`)
  })

  test('no account for a command, which its channel says', async () => {
    const bench = createAuditedBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    const command = { ...unknownAttempt, channel: 'command' } as const
    await bench.accounts.disable({ id, attempt: command })
    await bench.accounts.revokeAllSessions({ identity: { subject: id }, attempt: command })
    await bench.accounts.revokeSession({ subject: id, key: identity.key, attempt: command })
    for (const entry of (await bench.entries()).slice(0, 3)) {
      expect(entry).toMatchObject({ accountId: id, actorId: null, details: { channel: 'command' } })
    }
  })

  test('the number of revoked sessions', async () => {
    const bench = createAuditedBench()
    await bench.insert()
    await bench.signIn()
    const { identity } = await bench.signIn()
    await bench.accounts.revokeAllSessions({ identity, attempt })
    expect((await bench.entries())[0]).toMatchObject({ kind: 'sessions.ended', details: { count: 1 } })
  })

  test('a client by 512 characters at most, none of which moves a cursor', async () => {
    const bench = createAuditedBench()
    const userAgent = `\u001b[2Jcurl\u0000${'x'.repeat(5000)}`
    await bench.accounts.signIn({ email, password, delivery: 'session', attempt: { ...attempt, userAgent } })
    const [entry] = await bench.entries()
    expect(entry?.userAgent).toBe(`[2Jcurl${'x'.repeat(505)}`)
  })
})

describe('an identifier without an account', () => {
  test('is written as a keyed hash, which is the same for each attempt', async () => {
    const bench = createAuditedBench()
    for (const typed of [newPassword, newPassword, 'nobody@example.com']) {
      await bench.accounts.signIn({ email: typed, password: wrong, delivery: 'session', attempt })
    }
    const hashes = (await bench.entries()).map(({ details }) => details?.identifier)
    expect(hashes).toEqual([expect.stringMatching(/^[\w-]{43}$/), hashes[2], hashes[2]])
    expect(hashes[0]).not.toBe(hashes[1])
    expect(JSON.stringify(await bench.rows())).not.toMatch(new RegExp(`${newPassword}|nobody@example`))
  })

  test('is written as a keyed hash of the canonical address for a code of a mail as well', async () => {
    const bench = createAuditedBench({ options: { signIn: { emailCode: {} } } })
    for (const typed of ['nobody@example.com', ' Nobody@EXAMPLE.com', newPassword, `${newPassword}!`]) {
      const code = { challenge: null, code: '12345678', delivery: 'session' } as const
      await bench.accounts.signInWithCode({ ...code, email: typed, attempt })
    }
    const hashes = (await bench.entries()).map(({ details }) => details?.identifier)
    expect(hashes).toEqual([...hashes.slice(0, 3), hashes[2]])
    expect(new Set(hashes).size).toBe(3)
    expect(JSON.stringify(await bench.rows())).not.toMatch(new RegExp(`${newPassword}|nobody@example`, 'i'))
  })

  test('is in no event, and neither is the name of the client', async () => {
    const bench = createAuditedBench()
    await bench.accounts.signIn({ email: newPassword, password: wrong, delivery: 'session', attempt })
    expect(Object.keys(bench.events[0] ?? {})).not.toContain('identifier')
    expect(JSON.stringify(bench.events)).not.toMatch(new RegExp(`${newPassword}|Mozilla|identifier|actorId`))
  })

  test('has as many rows as a wrong password of an account, even if too many are wrong', async () => {
    const bench = createAuditedBench()
    await bench.insert()
    const rowsOf = async (typed: string): Promise<readonly string[]> => {
      for (let guess = 0; guess < 8; guess++) {
        const address = `203.0.113.${typed.length}`
        const input = { email: typed, password: wrong, delivery: 'session', attempt: { ...attempt, address } } as const
        await bench.accounts.signIn(input).catch(() => null)
      }
      return bench.written()
    }
    expect(await rowsOf('nobody@example.com')).toEqual(await rowsOf(email))
  })
})

test('an answer without an open challenge emits an event and writes no row, because strangers can repeat it', async () => {
  const bench = createAuditedBench()
  await bench.enrollTotp(await bench.insert())
  const challenge = await challengeOf(bench.tryPassword())
  const answer = (shown: string) =>
    bench.accounts.verifySecondFactor({ challenge: shown, code: '000000', delivery: 'session', attempt })
  for (let count = 0; count < 5; count++) await answer(challenge)
  await bench.written()
  bench.events.length = 0
  for (const shown of ['none', challenge, challenge]) expect(await answer(shown)).toMatchObject({ ok: false })
  const response = { id: 'none', type: 'public-key', response: {} }
  await bench.accounts.finishPasskeySignIn({ response, delivery: 'session', attempt })
  expect(bench.events.map(({ type }) => type)).toEqual(Array(4).fill('second-factor.failed'))
  expect(await bench.written()).toEqual([])
})

test('answers at once beyond the tries of a challenge have an event, and no row', async () => {
  const bench = createAuditedBench()
  await bench.enrollTotp(await bench.insert())
  const challenge = await challengeOf(bench.tryPassword())
  await bench.written()
  bench.events.length = 0
  const answer = { challenge, code: '000000', delivery: 'session', attempt } as const
  const answers = Array.from({ length: 20 }, () => bench.accounts.verifySecondFactor(answer).catch(() => null))
  await Promise.all(answers)
  const isFailure = (row: string) => row === 'second-factor.failed done'
  expect((await bench.written()).filter(isFailure)).toHaveLength(5)
  const reasons = bench.events.flatMap((event) => (event.type === 'second-factor.failed' ? [event.reason] : []))
  expect(reasons.filter((reason) => reason === 'challenge-ended').length).toBeGreaterThan(0)
})

test('each exceeded window writes one row, for each limit and key', async () => {
  const bench = createAuditedBench()
  await bench.insert()
  const guess = async (address: string) => {
    for (let count = 0; count < 9; count++) {
      const input = { email, password: wrong, delivery: 'session', attempt: { ...attempt, address } } as const
      await bench.accounts.signIn(input).catch(() => null)
    }
    return (await bench.written()).filter((row) => row === 'sign-in.throttled done').length
  }
  expect(await guess('203.0.113.1')).toBe(1)
  expect(await guess('203.0.113.1')).toBe(0)
  expect(await guess('203.0.113.2')).toBe(1)
  bench.advance(600)
  expect(await guess('203.0.113.1')).toBe(0)
  bench.advance(3700)
  expect(await guess('203.0.113.1')).toBe(1)
})
