import type { SignInResult } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, password } from '../bench.ts'
import { delay, wrapDocumentStore } from '../stores/test-stores.ts'
import { challengeOf, createFactorsBench, type FactorsBench, storedFactors } from './factors-bench.ts'

const session = { delivery: 'session' } as const
type Identity = SignInSuccess['identity']

const kindsOf = async ({ accounts }: FactorsBench, id: string) =>
  (await accounts.listFactors(id)).map(({ kind }) => kind)

function credentialOf(result: SignInResult): string {
  if (result.ok && result.status === 'signed-in' && result.credentials.delivery === 'session')
    return result.credentials.credential
  throw new Error('the sign-in was refused')
}

/** Signs in with the password and a recovery code. */
async function signInByRecoveryCode(bench: FactorsBench, code: string, delivery: 'session' | 'token' = 'session') {
  const challenge = await challengeOf(bench.tryPassword())
  const result = await bench.accounts.verifySecondFactor({ delivery, challenge, code })
  if (!result.ok) throw new Error('the recovery code was refused')
  return result
}

const identityOf = async (bench: FactorsBench, credential: string): Promise<Identity | null> =>
  bench.accounts.identifySession(await bench.sessions.read(credential))

describe('an enrolment of an authenticator app', () => {
  test('an unconfirmed enrolment does not count as a factor', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    expect(begun).toMatchObject({ ok: true, otpauthUri: expect.stringContaining('otpauth://totp/Example') })
    expect(await kindsOf(bench, account.id)).toEqual([])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], epoch: 0 })
    expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
  })

  test('a confirmed enrolment renews the session, revokes everything else, and returns recovery codes once', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const other = await bench.signIn({ delivery: 'token' })
    const current = await bench.signIn()
    const { identity } = current
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code })
    if (!confirmed.ok || !confirmed.credentials) throw new Error('refused')
    expect(confirmed.codes).toHaveLength(10)
    expect(confirmed.deviceToken).not.toBeNull()
    const next = await identityOf(bench, confirmed.credentials.credential)
    expect(next?.factors.map(({ kind }) => kind)).toEqual(['password', 'totp'])
    expect(next).toMatchObject({ enrolledFactors: ['totp'], epoch: 2 })
    expect(next?.key).not.toBe(identity.key)
    expect((await bench.accounts.listSessions(account.id)).map(({ key }) => key)).toEqual([next?.key])
    const token = other.credentials.delivery === 'session' ? '' : other.credentials.refreshToken
    expect(await bench.accounts.refresh({ token, channel: 'cookie' })).toEqual(invalidCredentials)
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ to: email, subject: 'An authenticator app was added to your account' })
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'factor.added', factor: 'totp', id: null }))
  })

  test('an enrolment over a family keeps the family and stores its fresh proof', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { identity, credentials } = await bench.signIn({ delivery: 'token' })
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code })
    expect(confirmed).toMatchObject({ ok: true, credentials: null })
    const token = credentials.delivery === 'session' ? '' : credentials.refreshToken
    const refreshed = await bench.accounts.refresh({ token, channel: 'cookie' })
    expect(refreshed).toMatchObject({ ok: true, identity: { key: identity.key, subject: account.id } })
    expect(refreshed.ok && refreshed.identity.factors.map(({ kind }) => kind)).toEqual(['password', 'totp'])
  })

  test('an enrolment is confirmed only in the session that started it', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const other = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    expect(await bench.accounts.confirmTotpEnrollment({ identity: other.identity, code })).toEqual(invalidCredentials)
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], epoch: 0 })
    expect(await bench.accounts.confirmTotpEnrollment({ identity, code })).toMatchObject({ ok: true })
  })

  test('a wrong code leaves the enrolment unconfirmed', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    const code = bench.codeOf(begun.ok ? begun.secret : '', 40)
    expect(await bench.accounts.confirmTotpEnrollment({ identity, code })).toEqual(invalidCredentials)
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], epoch: 0 })
    expect(await kindsOf(bench, account.id)).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor: 'totp', reason: 'factor-wrong' })
  })

  test('an enrolment that replaces an app keeps the recovery codes and invalidates the old app', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const first = await bench.enrollTotp(account)
    bench.advance(30)
    const begun = await bench.accounts.startTotpEnrollment({ identity: first.identity })
    const secret = begun.ok ? begun.secret : ''
    const code = bench.codeOf(secret)
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity: first.identity, code })
    expect(confirmed).toMatchObject({ ok: true, codes: null })
    bench.advance(30)
    const old = await challengeOf(bench.tryPassword())
    const withOld = { ...session, challenge: old, code: bench.codeOf(first.secret) }
    expect(await bench.accounts.verifySecondFactor(withOld)).toEqual(invalidCredentials)
    const withNew = { ...session, challenge: old, code: bench.codeOf(secret) }
    expect(await bench.accounts.verifySecondFactor(withNew)).toMatchObject({ ok: true })
  })

  test('an enrolment that is confirmed fifty times in parallel is confirmed once, and leaves one session', async () => {
    for (let round = 0; round < 5; round++) {
      const bench = createFactorsBench({ aroundRecords: delay, aroundAccounts: delay })
      const account = await bench.insert()
      const { identity } = await bench.signIn()
      const begun = await bench.accounts.startTotpEnrollment({ identity })
      const code = bench.codeOf(begun.ok ? begun.secret : '')
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => bench.accounts.confirmTotpEnrollment({ identity, code })),
      )
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(await bench.store.get(account.id)).toMatchObject({ enrolled: ['totp'], epoch: 2 })
      expect(await bench.accounts.listSessions(account.id)).toHaveLength(1)
    }
  })

  test('an enrolment is refused for an identity of an older epoch', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    await bench.store.replace(id, {}, { epoch: 1, keptKey: identity.key })
    expect(await bench.accounts.startTotpEnrollment({ identity })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'account-changed' })
  })
})

describe('an authenticator app', () => {
  test('an authenticator app is disabled by one of its codes, and the last factor takes the recovery codes with it', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { secret, identity } = await bench.enrollTotp(account)
    bench.advance(30)
    const disabled = await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) })
    if (!disabled.ok || !disabled.credentials) throw new Error('refused')
    expect(await kindsOf(bench, account.id)).toEqual([])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], epoch: 4 })
    const next = await identityOf(bench, disabled.credentials.credential)
    expect(next?.factors.map(({ kind }) => kind)).toEqual(['password'])
    expect(await bench.tryPassword()).toMatchObject({ status: 'signed-in' })
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ subject: 'An authenticator app was removed from your account' })
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'factor.removed', factor: 'totp' }))
  })

  test('an authenticator app is disabled by a recovery code, which is spent', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { codes, identity } = await bench.enrollTotp(account)
    expect(await bench.accounts.disableTotp({ identity, code: codes[3] ?? '' })).toMatchObject({ ok: true })
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'recovery-code.used', remaining: 9 }))
    expect(await kindsOf(bench, account.id)).toEqual([])
    await bench.accounts.settled()
    expect(bench.outbox.map(({ kind }) => kind)).toContain('recovery-code-used')
  })

  test('a wrong code does not disable an authenticator app', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { secret, identity } = await bench.enrollTotp(account)
    for (const code of [bench.codeOf(secret, 40), 'none', '']) {
      expect(await bench.accounts.disableTotp({ identity, code })).toEqual(invalidCredentials)
    }
    expect(await kindsOf(bench, account.id)).toEqual(['totp', 'recovery-code'])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: ['totp'], epoch: 2 })
  })

  test('an app that the account lacks cannot be disabled, and spends no recovery code', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { codes, identity } = await bench.addPasskey(await bench.signIn())
    expect(await bench.accounts.disableTotp({ identity, code: codes?.[0] ?? '' })).toEqual(invalidCredentials)
    const list = await bench.accounts.listFactors(account.id)
    expect(list.find(({ kind }) => kind === 'recovery-code')).toMatchObject({ lastUsedAt: null })
  })
})

describe('a passkey', () => {
  test('a passkey is added in the session that started it, with its name, and is listed', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const other = await bench.signIn()
    const begun = await bench.accounts.startPasskeyRegistration({ identity })
    const response = await bench.authenticator.create((begun.ok && begun.options) as never)
    const input = { name: 'Phone', response }
    const elsewhere = { ...input, identity: other.identity }
    expect(await bench.accounts.finishPasskeyRegistration(elsewhere)).toEqual(invalidCredentials)
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], epoch: 0 })
    const added = await bench.addPasskey(other)
    expect(await bench.accounts.listPasskeys(account.id)).toMatchObject([{ id: added.id, name: 'Phone' }])
    expect(await bench.accounts.listFactors(account.id)).toMatchObject([
      { kind: 'passkey', category: 'know+have', lastUsedAt: null },
      { kind: 'recovery-code', category: 'have' },
    ])
    expect(added.identity.factors.map(({ kind }) => kind)).toEqual(['password', 'passkey'])
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'factor.added', factor: 'passkey', id: added.id }),
    )
  })

  test.each([
    ['', 'blank'],
    ['x'.repeat(65), 'too long'],
    ['a\u202eb', 'of characters that turn the text'],
    [null, 'none'],
  ])('a passkey with the name %j (%s) is refused', async (name, _how) => {
    const bench = createFactorsBench()
    await bench.insert()
    const { identity } = await bench.signIn()
    const input = { identity, name: name as string, response: {} }
    await expect(bench.accounts.finishPasskeyRegistration(input)).rejects.toMatchObject({
      code: 'NAME_INVALID',
      field: 'name',
    })
  })

  test('removing a passkey revokes sessions opened since the claim, even if the store fails after the removal', async () => {
    let opened = ''
    let removals: number | null = null
    const bench: FactorsBench = createFactorsBench({
      aroundDocuments: (store) =>
        wrapDocumentStore(store, async (method, run) => {
          if (method !== 'remove' || removals === null) return run()
          removals += 1
          if (removals === 1) {
            const response = await bench.showPasskey()
            opened = credentialOf(await bench.accounts.finishPasskeySignIn({ ...session, response }))
            // The sign-in has changed the passkey: it is removed at the second try.
            return run()
          }
          await run()
          throw new StoreError('STORE_UNAVAILABLE', 'the store does not answer')
        }),
    })
    const { id: accountId } = await bench.insert()
    const { identity, id } = await bench.addPasskey(await bench.signIn())
    removals = 0
    await expect(bench.accounts.removePasskey({ identity, id })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.accounts.listPasskeys(accountId)).toEqual([])
    expect(opened).toMatch(/^se_/)
    expect(await identityOf(bench, opened)).toBeNull()
  })

  test('a passkey is removed from its account only, and the others stay with the recovery codes', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const stranger = await bench.insert({ email: 'other@example.com' })
    const first = await bench.addPasskey(await bench.signIn())
    const theirs = await bench.signIn({ email: stranger.email })
    expect(await bench.accounts.removePasskey({ identity: theirs.identity, id: first.id })).toBeNull()
    expect(await bench.store.get(stranger.id)).toMatchObject({ epoch: 0 })
    const { secret, identity } = await enrollBeside(bench, first.identity)
    expect(secret).not.toBe('')
    const removed = await bench.accounts.removePasskey({ identity, id: first.id })
    expect(removed).toMatchObject({ ok: true, codes: null })
    expect(await kindsOf(bench, account.id)).toEqual(['totp', 'recovery-code'])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: ['totp'] })
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'factor.removed', factor: 'passkey', id: first.id }),
    )
  })
})

describe('the name of a passkey', () => {
  async function withPasskey() {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { id, identity } = await bench.addPasskey(await bench.signIn())
    const namesOf = async () => (await bench.accounts.listPasskeys(account.id)).map(({ name }) => name)
    return { bench, account, id, identity, namesOf }
  }

  test('a passkey is renamed by its owner, and all sessions stay valid', async () => {
    const { bench, account, id, identity, namesOf } = await withPasskey()
    const open = await bench.accounts.listSessions(account.id)
    const renamed = await bench.accounts.renamePasskey({ identity, id, name: '  Die Uhr  ' })
    expect(renamed).toMatchObject({ id, name: 'Die Uhr', kind: 'passkey' })
    expect(await namesOf()).toEqual(['Die Uhr'])
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
    expect(await bench.store.get(account.id)).toMatchObject({ epoch: identity.epoch })
  })

  test('renamePasskey finds only passkeys of the own account', async () => {
    const { bench, id, identity, namesOf } = await withPasskey()
    const stranger = await bench.insert({ email: 'other@example.com' })
    const theirs = await bench.signIn({ email: stranger.email })
    expect(await bench.accounts.renamePasskey({ identity: theirs.identity, id, name: 'Mine' })).toBeNull()
    expect(await bench.accounts.renamePasskey({ identity, id: 'missing', name: 'Mine' })).toBeNull()
    expect(await bench.accounts.renamePasskey({ identity, id: `totp:${identity.subject}`, name: 'Mine' })).toBeNull()
    expect(await namesOf()).toEqual(['Phone'])
  })

  test.each(['', ' ', 'x'.repeat(65), 'a\u202eb', 'a\u0000b', '\ud800', null, 7])(
    'the name %j, which cannot be displayed, is refused',
    async (name) => {
      const { bench, id, identity, namesOf } = await withPasskey()
      const renaming = bench.accounts.renamePasskey({ identity, id, name: name as string })
      await expect(renaming).rejects.toMatchObject({ code: 'NAME_INVALID', field: 'name' })
      expect(await namesOf()).toEqual(['Phone'])
    },
  )
})

async function enrollBeside(bench: FactorsBench, identity: Identity): Promise<{ secret: string; identity: Identity }> {
  const begun = await bench.accounts.startTotpEnrollment({ identity })
  const secret = begun.ok ? begun.secret : ''
  const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code: bench.codeOf(secret) })
  if (!confirmed.ok || !confirmed.credentials) throw new Error('refused')
  const next = await identityOf(bench, confirmed.credentials.credential)
  if (!next) throw new Error('ended')
  return { secret, identity: next }
}

describe('recovery codes', () => {
  test('recovery codes are replaced by a code of the app, and the old codes are invalid', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { secret, codes, identity } = await bench.enrollTotp(account)
    bench.advance(30)
    const replaced = await bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
    expect(replaced.ok && replaced.codes).toHaveLength(10)
    const challenge = await challengeOf(bench.tryPassword())
    const old = { ...session, challenge, code: codes[0] ?? '' }
    expect(await bench.accounts.verifySecondFactor(old)).toEqual(invalidCredentials)
    const fresh = { ...session, challenge, code: (replaced.ok && replaced.codes?.[0]) || '' }
    expect(await bench.accounts.verifySecondFactor(fresh)).toMatchObject({ ok: true })
  })

  test.each(['nothing', 'a recovery code', 'a wrong code'])(
    'recovery codes of an app are not replaced by %s',
    async (what) => {
      const bench = createFactorsBench()
      const account = await bench.insert()
      const { secret, codes, identity } = await bench.enrollTotp(account)
      const shown = { nothing: null, 'a recovery code': codes[0] ?? '' }[what] ?? bench.codeOf(secret, 40)
      const code = what === 'nothing' ? null : shown
      expect(await bench.accounts.regenerateRecoveryCodes({ identity, code })).toEqual(invalidCredentials)
      expect(await bench.store.get(account.id)).toMatchObject({ epoch: 2 })
      const challenge = await challengeOf(bench.tryPassword())
      const still = { ...session, challenge, code: codes[0] ?? '' }
      expect(await bench.accounts.verifySecondFactor(still)).toMatchObject({ ok: true })
    },
  )

  test('recovery codes of a passkey are replaced within five minutes of its use', async () => {
    const bench = createFactorsBench()
    await bench.insert()
    const { identity } = await bench.addPasskey(await bench.signIn())
    bench.advance(301)
    expect(await bench.accounts.regenerateRecoveryCodes({ identity })).toEqual(invalidCredentials)
    bench.advance(-1)
    expect(await bench.accounts.regenerateRecoveryCodes({ identity })).toMatchObject({ ok: true })
  })

  test.each(['session', 'token'] as const)(
    'a recovery code allows one change of a factor, by %s, and no second change',
    async (delivery) => {
      const bench = createFactorsBench()
      const account = await bench.insert()
      const first = await bench.addPasskey(await bench.signIn())
      const second = await bench.addPasskey({ identity: first.identity } as SignInSuccess)
      const { identity, credentials } = await signInByRecoveryCode(bench, first.codes?.[0] ?? '', delivery)
      expect(identity.factors.map(({ kind }) => kind)).toEqual(['password', 'recovery-code'])
      const ids = [first.id, second.id]
      const answers = await Promise.all(ids.map((id) => bench.accounts.removePasskey({ identity, id })))
      expect(answers.filter((answer) => answer?.ok)).toHaveLength(1)
      expect(await bench.accounts.listPasskeys(account.id)).toHaveLength(1)
      const won = answers.find((answer) => answer?.ok)
      const sessionOf = won?.ok && won.credentials ? won.credentials.credential : ''
      const family = credentials.delivery === 'session' ? null : credentials.family
      const next =
        family === null
          ? await identityOf(bench, sessionOf)
          : await bench.accounts.identifyToken({ sub: family.subject, sid: family.key, epoch: identity.epoch } as never)
      expect(next?.factors.map(({ kind }) => kind)).toEqual(['password'])
      const left = (await bench.accounts.listPasskeys(account.id))[0]?.id ?? ''
      expect(await bench.accounts.removePasskey({ identity, id: left })).toEqual(invalidCredentials)
    },
  )

  test('a session from a recovery code enrols the app again once, and another change invalidates an older enrolment', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const passkey = await bench.addPasskey(await bench.signIn())
    const { identity, credentials } = await signInByRecoveryCode(bench, passkey.codes?.[0] ?? '', 'token')
    const begun = await bench.accounts.startTotpEnrollment({ identity })
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    expect(await bench.accounts.removePasskey({ identity, id: passkey.id })).toMatchObject({ ok: true })
    const family = credentials.delivery === 'session' ? null : credentials.family
    const token = { sub: family?.subject, sid: family?.key, epoch: identity.epoch } as never
    const next = (await bench.accounts.identifyToken(token)) as Identity
    expect(next.key).toBe(identity.key)
    expect(await bench.accounts.confirmTotpEnrollment({ identity: next, code })).toEqual(invalidCredentials)
    expect(await kindsOf(bench, account.id)).toEqual([])
  })

  test('a session from a recovery code needs the epoch in the identity to change a factor', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { codes } = await bench.enrollTotp(account)
    const { identity } = await signInByRecoveryCode(bench, codes[0] ?? '')
    const { epoch: _epoch, ...unnamed } = identity
    await expect(bench.accounts.startTotpEnrollment({ identity: unnamed })).rejects.toThrow(TypeError)
  })
})

describe('a reset of the factors by an administrator', () => {
  test('resetFactors removes all factors, revokes all sessions, and mails the owner', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const passkey = await bench.addPasskey(await bench.signIn())
    await enrollBeside(bench, passkey.identity)
    expect(await bench.accounts.resetFactors({ id: account.id })).toMatchObject({ id: account.id, status: 'active' })
    expect(await storedFactors(bench, account.id)).toEqual([])
    expect(await bench.accounts.listSessions(account.id)).toEqual([])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [], keptKey: null })
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ to: email, subject: 'Your second factors were removed' })
    const removed = bench.events.filter(({ type }) => type === 'factor.removed')
    expect(removed.map((event) => 'factor' in event && event.factor).sort()).toEqual([
      'passkey',
      'recovery-code',
      'totp',
    ])
    const signedIn = await bench.accounts.signIn({ email, password, delivery: 'session' })
    expect(signedIn).toMatchObject({ status: 'signed-in', identity: { enrolledFactors: [] } })
  })

  test('enables an app again that too many wrong codes have disabled, once it is enrolled anew', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    for (let wrong = 0; wrong < 100; wrong += 5) {
      const challenge = await challengeOf(bench.tryPassword())
      for (let tried = 0; tried < 5; tried++) {
        const code = bench.codeOf(secret, 40 + wrong + tried)
        await bench.accounts.verifySecondFactor({ ...session, challenge, code })
      }
    }
    await bench.accounts.resetFactors({ id: account.id })
    await bench.enrollTotp(account)
    expect(await bench.accounts.listFactors(account.id)).toMatchObject([{ kind: 'totp', isDisabled: false }, {}])
  })

  test('resetFactors returns null for an unknown account', async () => {
    const bench = createFactorsBench()
    expect(await bench.accounts.resetFactors({ id: 'acc_none' })).toBeNull()
  })
})
