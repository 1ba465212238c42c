import type { StoredAccount } from '@latchkey/accounts'
import { isStoreError, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, newPassword, password } from '../bench.ts'
import { beginPasskey, beginTotp, challengeOf } from '../factors/factors-bench.ts'
import { askForChange, changeAddress } from '../own-account/mailed-links.ts'
import { type AuditedBench, createAuditedBench, origin, stateOf } from './audited-bench.ts'

const attempt = origin

/** Prepares a decision about an account, and returns what makes it. */
type Prepare = (bench: AuditedBench, account: StoredAccount) => Promise<() => Promise<unknown>>

const decisions: Readonly<Record<string, Prepare>> = {
  'a sign-in':
    async ({ accounts }) =>
    () =>
      accounts.signIn({ email, password, delivery: 'session', attempt }),
  'a sign-in with a code': async (bench, account) => {
    const { secret } = await bench.enrollTotp(account)
    bench.advance(60)
    const challenge = await challengeOf(bench.tryPassword())
    const code = bench.codeOf(secret)
    return () => bench.accounts.verifySecondFactor({ challenge, code, delivery: 'token', attempt })
  },
  'a change of the password': async ({ accounts, signIn }) => {
    const { identity } = await signIn()
    return () => accounts.changePassword({ identity, currentPassword: password, newPassword, attempt })
  },
  'a reset of the password': async ({ accounts, mailedToken }) => {
    await accounts.requestPasswordReset({ email, attempt })
    const token = await mailedToken()
    return () => accounts.resetPassword({ token, newPassword, attempt })
  },
  'a new authenticator app': async (bench) => beginTotp(bench, await bench.signIn()),
  'a new passkey': async (bench) => beginPasskey(bench, await bench.signIn()),
  'the removal of a passkey': async (bench) => {
    const { id, identity } = await bench.addPasskey(await bench.signIn())
    return () => bench.accounts.removePasskey({ identity, id, attempt })
  },
  'new recovery codes': async (bench, account) => {
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(60)
    return () => bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret), attempt })
  },
  'another role': async ({ accounts }, { id }) => {
    return () => accounts.setRoles({ id, roles: ['ADMIN'], attempt })
  },
  'a sign-out': async ({ accounts, signIn }) => {
    const { identity } = await signIn()
    return () => accounts.signOut({ identity, attempt })
  },
  'the end of all sessions': async ({ accounts, signIn }) => {
    const { identity } = await signIn()
    return () => accounts.revokeAllSessions({ identity, exceptCurrent: false, attempt })
  },
  'a confirmed change of address': async (bench) => {
    const { confirm } = await askForChange(bench, await bench.signIn())
    return () => bench.accounts.confirmEmailChange({ token: confirm, attempt })
  },
  'a change of address that is undone': async (bench) => {
    const { undo } = await changeAddress(bench, await bench.signIn())
    return () => bench.accounts.undoEmailChange({ token: undo, attempt })
  },
  'a deletion': async ({ accounts, signIn }) => {
    const { identity } = await signIn()
    return () => accounts.deleteAccount({ identity, attempt })
  },
  'a locked account': async ({ accounts }, { id }) => {
    return () => accounts.lockAccount({ id, attempt })
  },
  'sessions that an administrator ends': async ({ accounts }, { id }) => {
    return () => accounts.endSessions({ id, attempt })
  },
  'the removal of all factors': async (bench, account) => {
    await bench.enrollTotp(account)
    return () => bench.accounts.resetFactors({ id: account.id, attempt })
  },
  'the removal of all factors where there are none': async (bench, account) => {
    await bench.signIn()
    return () => bench.accounts.resetFactors({ id: account.id, attempt })
  },
}

const deletion = { onDelete: () => {} }

const prepared = async (prepare: Prepare) => {
  const bench = createAuditedBench({ options: { deletion } })
  const account = await bench.insert()
  const decide = await prepare(bench, account)
  await bench.accounts.settled()
  await bench.written()
  return { bench, account, decide }
}

describe('while the audit log cannot be written,', () => {
  test.each(Object.entries(decisions))('%s is refused: sessions and factors are unchanged', async (_of, prepare) => {
    const { bench, account, decide } = await prepared(prepare)
    const before = await stateOf(bench, account)
    bench.failAppend(1)
    expect(await decide().catch(isStoreError)).toBe(true)
    expect(await stateOf(bench, account)).toEqual(before)
    expect(await bench.written()).toEqual([])
  })

  test.each(Object.entries(decisions))(
    'the outcome of %s stays unknown: the change is made, and its answer is the same',
    async (_of, prepare) => {
      const usual = await prepared(prepare)
      const answered = Object.keys((await usual.decide()) ?? {})
      const intended = (await usual.bench.written()).filter((row) => row.endsWith(' intended')).length
      const { bench, account, decide } = await prepared(prepare)
      const before = await stateOf(bench, account)
      bench.failAppend(intended + 1)
      expect(Object.keys((await decide()) ?? {})).toEqual(answered)
      expect(await stateOf(bench, account)).not.toEqual(before)
      expect(bench.auditEvents.map(({ type }) => type)).toEqual(['audit.failed'])
      const states = (await bench.entries()).slice(0, intended).map(({ state }) => state)
      expect(states.filter((state) => state === 'unknown')).toHaveLength(1)
    },
  )

  test('a wrong password, an unknown account and a wrong code all get the error of the store', async () => {
    const bench = createAuditedBench()
    const { secret } = await bench.enrollTotp(await bench.insert())
    expect(secret).not.toBe('')
    const challenge = await challengeOf(bench.tryPassword())
    const form = { password: newPassword, delivery: 'session', attempt } as const
    for (const refused of [
      () => bench.accounts.signIn({ email, ...form }),
      () => bench.accounts.signIn({ email: 'nobody@example.com', ...form }),
      () => bench.accounts.verifySecondFactor({ challenge, code: '000000', delivery: 'session', attempt }),
    ]) {
      bench.failAppend(1)
      expect(await refused().catch(isStoreError)).toBe(true)
    }
  })

  test('the first refusal of too many passwords is the error of the store, too', async () => {
    const bench = createAuditedBench()
    await bench.insert()
    const guess = () => bench.accounts.signIn({ email, password: newPassword, delivery: 'session', attempt })
    for (let count = 0; count < 5; count++) await guess()
    bench.failAppend(1)
    expect(await guess().catch(isStoreError)).toBe(true)
    expect(await guess().catch(({ code }) => code)).toBe('ATTEMPTS_RATE_LIMITED')
  })

  test('a stolen refresh token still revokes its family', async () => {
    const bench = createAuditedBench()
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn({ delivery: 'token' })
    if (credentials.delivery === 'session') throw new Error('no family was opened')
    const refresh = () => bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie', attempt })
    await refresh()
    bench.advance(60)
    bench.failAppend(1)
    expect(await refresh().catch(isStoreError)).toBe(true)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(bench.events.map(({ type }) => type)).toContain('family.reused')
  })

  test('no mail with a link is sent, and the answer is the same as for another address', async () => {
    const bench = createAuditedBench()
    await bench.insert()
    bench.failAppend(1)
    expect(await bench.accounts.requestPasswordReset({ email, attempt })).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(bench.events.map(({ type }) => type)).toEqual(['password.reset-requested', 'mail.failed'])
  })

  test('no change of address is started, and neither address gets a mail', async () => {
    const bench = createAuditedBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    bench.failAppend(1)
    expect(await bench.accounts.requestEmailChange({ identity, newEmail: 'new@example.com', attempt })).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(await bench.store.reservations.listByAccount(id, bench.now())).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'mail.failed', purpose: 'email-change-notice' })
  })

  test('an account is neither created nor verified', async () => {
    for (const nth of [1, 2]) {
      const bench = createAuditedBench()
      await bench.accounts.signUp({ email, password, name: 'A Reader', attempt })
      const token = await bench.mailedToken()
      bench.failAppend(nth)
      expect(await bench.accounts.verifyEmail({ token, password, attempt }).catch(isStoreError)).toBe(true)
      expect(await bench.accounts.findByEmail(email)).toBeNull()
      expect(await bench.accounts.verifyEmail({ token, password, attempt })).toMatchObject({ ok: true })
    }
  })
})

describe('the audit log of a decision', () => {
  test('has no second row if the store does not report whether the decision was made', async () => {
    let fails = false
    const bench = createAuditedBench({
      async aroundAccounts(method, run) {
        const done = await run()
        if (fails && method === 'replace') throw new StoreError('STORE_UNAVAILABLE', 'no answer in time')
        return done
      },
    })
    await bench.insert()
    const { identity } = await bench.signIn()
    fails = true
    const changing = bench.accounts.changePassword({ identity, currentPassword: password, newPassword, attempt })
    expect(await changing.catch(isStoreError)).toBe(true)
    expect((await bench.entries())[0]).toMatchObject({ kind: 'password.changed', state: 'unknown' })
  })

  test('the answer waits for its outcome', async () => {
    const bench = createAuditedBench()
    await bench.insert()
    await bench.signIn()
    expect(await bench.written()).toEqual(['session.created intended', 'session.created done'])
  })
})

/** What is overtaken, the kind of the decision, and by which call of the accounts it is noticed. */
const overtaken: readonly (readonly [string, string, 'get' | 'insert' | 'replace' | 'remove'])[] = [
  ['a sign-in', 'session.created', 'get'],
  ['a change of the password', 'password.changed', 'replace'],
  ['a reset of the password', 'password.reset', 'replace'],
  ['a new authenticator app', 'factor.added', 'replace'],
  ['a new passkey', 'factor.added', 'replace'],
  ['the removal of a passkey', 'factor.removed', 'replace'],
  ['new recovery codes', 'factor.added', 'replace'],
  ['a new account', 'account.created', 'insert'],
  ['a confirmed address', 'account.created', 'insert'],
  ['another role', 'role.changed', 'replace'],
  ['a confirmed change of address', 'email-change.confirmed', 'replace'],
  ['a change of address that is undone', 'email-change.undone', 'replace'],
  ['a deletion', 'account.deleted', 'remove'],
]

/** These come to nothing by another account, or by the same change. */
const others: Readonly<Record<string, Prepare>> = {
  'a new account': async ({ accounts }) => {
    const person = { email: 'new@example.com', password, name: 'A Reader', roles: ['READER'] }
    return () => accounts.create({ ...person, attempt })
  },
  'a confirmed address': async ({ accounts, mailedToken }) => {
    await accounts.signUp({ email: 'new@example.com', password, name: 'A Reader', attempt })
    const token = await mailedToken()
    return () => accounts.verifyEmail({ token, password, attempt })
  },
}

test.each(overtaken)(
  'the audit log reports %s as failed if another change has overtaken it',
  async (what, kind, noticing) => {
    const is = { overtaken: false }
    const bench: AuditedBench = createAuditedBench({
      options: { deletion },
      async aroundAccounts(method, run) {
        if (!is.overtaken || method !== noticing) return run()
        if (what === 'another role') await bench.store.replace(account.id, {}, { roles: ['ADMIN'] })
        return method === 'get' ? null : false
      },
    })
    const account = await bench.insert()
    const decide = await (others[what] ?? decisions[what])?.(bench, account)
    await bench.accounts.settled()
    await bench.written()
    is.overtaken = true
    await decide?.()
    const states = (await bench.written()).filter((row) => row.startsWith(kind))
    expect(states).toEqual([`${kind} intended`, `${kind} failed`])
    expect((await bench.entries()).map(({ state }) => state)).not.toContain('unknown')
  },
)

test('the audit log reports the revocation of all sessions by a revoked session as failed', async () => {
  const bench = createAuditedBench()
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  await bench.sessions.revoke(id, identity.key)
  await bench.written()
  expect(await bench.accounts.revokeAllSessions({ identity, attempt })).toBe(0)
  expect(await bench.written()).toEqual(['sessions.ended intended', 'sessions.ended failed'])
})

test.each([
  ['"audit.log" must be createAuditLog(…)', { log: {} }],
  ['"audit.log" must be createAuditLog(…)', { log: undefined }],
  ['"audit.secrets" must be a list of at least one secret', { secrets: [] }],
  ['"audit" has no option "store"', { store: {} }],
])('an audit log that cannot be written is refused: %s', (message, change) => {
  const log = { intend: async () => ({}), record: async () => undefined }
  const secrets = [{ id: 'a', bytes: new Uint8Array(32) }]
  const audit = { log, secrets, ...change } as never
  expect(() => createAuditedBench({ options: { audit } })).toThrow(message)
})
