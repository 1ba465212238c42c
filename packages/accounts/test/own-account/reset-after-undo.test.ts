import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, invalidLink, newPassword, presentedBy } from '../bench.ts'
import {
  challengeOf,
  createFactorsBench,
  type FactorsBench,
  type FactorsBenchOptions,
  storedFactors,
} from '../factors/factors-bench.ts'
import { askForCode, byCode, showCode } from '../sign-in/mailed-codes.ts'
import { askForChange, cookieOf, identityOf, mailsTo, newEmail, tokenTo } from './mailed-links.ts'

const session = { delivery: 'session' } as const

/** An account with an app from before the change of its address, which was undone. */
async function openUndone(options: FactorsBenchOptions = {}) {
  const bench = createFactorsBench(options)
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  bench.advance(60)
  const { undo } = await askForChange(bench, app)
  const undone = await bench.accounts.undoEmailChange({ token: undo })
  if (!undone.ok) throw new Error('the change was not undone')
  bench.advance(60)
  const token = await tokenTo(bench, email, 'choose-password')
  return { bench, account, app, token }
}

const stored = ({ store }: FactorsBench, { id }: { readonly id: string }) => store.get(id)

async function challengeFor({ bench, token }: Pick<Awaited<ReturnType<typeof openUndone>>, 'bench' | 'token'>) {
  const reset = await bench.accounts.resetPassword({ token, newPassword })
  if (!reset.ok || reset.status !== 'second-factor-required') throw new Error('no factor was asked for')
  return reset
}

describe('the password of an account whose change of address was undone', () => {
  test('is set only once its older factor was shown, which signs in', async () => {
    const { bench, account, app, token } = await openUndone()
    const before = await stored(bench, account)
    const { challenge, factors } = await challengeFor({ bench, token })
    expect(factors).toEqual(['totp', 'recovery-code'])
    expect(await stored(bench, account)).toEqual(before)
    const shown = await bench.accounts.verifySecondFactor({ challenge, code: bench.codeOf(app.secret), ...session })
    expect(shown).toMatchObject({ ok: true, status: 'signed-in', account: { id: account.id, email } })
    expect((await stored(bench, account))?.passwordHash).toMatch(/^\$argon2id/)
    if (!shown.ok || shown.credentials.delivery !== 'session') throw new Error('no session was opened')
    const identity = await identityOf(bench, shown.credentials.credential)
    expect(identity?.factors?.map(({ kind, category }) => `${kind} ${category}`)).toEqual([
      'password know',
      'totp have',
    ])
    expect(await bench.accounts.resetPassword({ token, newPassword })).toEqual(invalidLink)
    bench.advance(60)
    const signIn = bench.accounts.signIn({ email, password: newPassword, ...session })
    expect(await signIn).toMatchObject({ status: 'second-factor-required' })
    expect(bench.events.map(({ type }) => type)).toContain('password.reset')
    const mails = await mailsTo(bench, email)
    expect(mails.filter(({ kind }) => kind === 'password-changed')).toHaveLength(1)
  })

  test('is set after a recovery code or a passkey as well', async () => {
    const { bench, account, app, token } = await openUndone()
    const { challenge } = await challengeFor({ bench, token })
    const shown = bench.accounts.verifySecondFactor({ challenge, code: app.codes[0] ?? '', ...session })
    expect(await shown).toMatchObject({ ok: true, status: 'signed-in' })
    const other = createFactorsBench()
    const { id } = await other.insert()
    const added = await other.addPasskey(await other.signIn())
    other.advance(60)
    const { undo } = await askForChange(other, added)
    await other.accounts.undoEmailChange({ token: undo })
    const asked = await challengeFor({ bench: other, token: await tokenTo(other, email, 'choose-password') })
    expect(asked.factors).toContain('passkey')
    const response = await other.showPasskey(asked.challenge)
    const finished = other.accounts.finishPasskeySignIn({ challenge: asked.challenge, response, ...session })
    expect(await finished).toMatchObject({ ok: true, status: 'signed-in' })
    for (const [one, of] of [
      [bench, account],
      [other, { id }],
    ] as const)
      expect((await stored(one, of))?.passwordHash).not.toBeNull()
  })

  test('is not set by a wrong code, and the link stays usable after five wrong codes', async () => {
    const { bench, account, app, token } = await openUndone()
    const before = await stored(bench, account)
    const { challenge } = await challengeFor({ bench, token })
    for (let tries = 0; tries < 5; tries++) {
      const shown = bench.accounts.verifySecondFactor({ challenge, code: '000000', ...session })
      expect(await shown).toEqual(invalidCredentials)
    }
    const late = bench.accounts.verifySecondFactor({ challenge, code: bench.codeOf(app.secret), ...session })
    expect(await late).toEqual(invalidCredentials)
    expect(await stored(bench, account)).toEqual(before)
    const again = await challengeFor({ bench, token })
    const shown = bench.accounts.verifySecondFactor({ ...again, code: bench.codeOf(app.secret), ...session })
    expect(await shown).toMatchObject({ ok: true })
  })

  test('a later reset requires the second factor in the same way', async () => {
    const { bench, account } = await openUndone()
    await bench.accounts.requestPasswordReset({ email })
    await challengeFor({ bench, token: await tokenTo(bench, email, 'reset-password') })
    expect((await stored(bench, account))?.passwordHash).toBeNull()
  })

  test('one of two resets with presented factors wins', async () => {
    const { bench, account, app, token } = await openUndone()
    const asked = [await challengeFor({ bench, token }), await challengeFor({ bench, token })]
    const [code = '', other = ''] = app.codes
    const codes = [code, other]
    const shown = await Promise.all(
      asked.map(({ challenge }, index) =>
        bench.accounts.verifySecondFactor({ challenge, code: codes[index] ?? '', ...session }),
      ),
    )
    expect(shown.filter(({ ok }) => ok)).toHaveLength(1)
    expect(shown.filter(({ ok }) => !ok)).toEqual([invalidCredentials])
    expect(await bench.accounts.listSessions(account.id)).toHaveLength(1)
    expect(bench.events.filter(({ type }) => type === 'password.reset')).toHaveLength(1)
  })

  test('the password is not set if the account changes after the code, and no session is open', async () => {
    let changes = false
    const { bench, account, app, token } = await openUndone({
      async aroundAccounts(method, run) {
        if (method === 'replace' && changes) {
          changes = false
          await bench.store.replace(account.id, {}, { epoch: 7 })
        }
        return run()
      },
    })
    const { challenge } = await challengeFor({ bench, token })
    changes = true
    const shown = bench.accounts.verifySecondFactor({ challenge, code: bench.codeOf(app.secret), ...session })
    expect(await shown).toEqual(invalidCredentials)
    expect(await stored(bench, account)).toMatchObject({ passwordHash: null, epoch: 7 })
    expect(await bench.sessions.list(account.id)).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', reason: 'account-changed' })
  })

  test('the password cannot be set while no factor of the account can be presented, until a reset of the factors', async () => {
    const { bench, account, token } = await openUndone()
    for (const factor of await storedFactors(bench, account.id)) await bench.documents.remove(factor)
    await bench.store.replace(account.id, {}, { enrolled: ['a kind of a later release'] })
    const before = await stored(bench, account)
    expect(await bench.accounts.resetPassword({ token, newPassword })).toEqual(invalidLink)
    expect(await stored(bench, account)).toEqual(before)
    await bench.accounts.resetFactors({ id: account.id })
    await bench.accounts.requestPasswordReset({ email })
    const fresh = await tokenTo(bench, email, 'reset-password')
    const reset = bench.accounts.resetPassword({ token: fresh, newPassword })
    expect(await reset).toMatchObject({ ok: true, status: 'password-set' })
  })
})

describe.each(['session', 'token'] as const)('a reset that a factor finishes signs in by %s', (delivery) => {
  async function reset(holder: 'the account' | 'another account') {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    await bench.insert({ id: 'acc_other', email: 'other@example.com' })
    const other = await bench.signIn({ email: 'other@example.com' })
    await bench.store.replace(account.id, {}, { passwordHash: null })
    bench.advance(60)
    await bench.accounts.requestPasswordReset({ email })
    const { challenge } = await challengeFor({ bench, token: await tokenTo(bench, email, 'reset-password') })
    const replaces = await bench.sessions.read(holder === 'the account' ? app.credential : cookieOf(other))
    const code = bench.codeOf(app.secret)
    const shown = await bench.accounts.verifySecondFactor({ challenge, code, delivery, replaces })
    const openOf = async (id: string) => (await bench.sessions.list(id)).map(({ key }) => key)
    return {
      shown,
      replaced: replaces?.key,
      account,
      open: await openOf(account.id),
      others: await openOf('acc_other'),
    }
  }

  test('replaces a session of the account in the browser, which the reset has revoked', async () => {
    const { shown, account, replaced, open } = await reset('the account')
    expect(shown).toMatchObject({ ok: true, status: 'signed-in', account: { id: account.id } })
    expect(open).toHaveLength(1)
    expect(open).not.toContain(replaced)
  })

  test('revokes a session of another account in the browser', async () => {
    const { shown, account, open, others } = await reset('another account')
    expect(shown).toMatchObject({ ok: true, status: 'signed-in', account: { id: account.id } })
    expect([open.length, others]).toEqual([1, []])
  })
})

test('a reset that a factor finishes leaves the device the one that the account knew', async () => {
  const bench = createFactorsBench({ options: byCode })
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  await bench.store.replace(account.id, {}, { passwordHash: null })
  const answer = async (challenge: string, deviceToken: string | null) => {
    bench.advance(60)
    const shown = { challenge, code: bench.codeOf(app.secret), ...session, attempt: presentedBy(deviceToken) }
    const result = await bench.accounts.verifySecondFactor(shown)
    return result.ok ? result.deviceToken : null
  }
  const known = await answer(await challengeOf(showCode(bench, await askForCode(bench))), null)
  await bench.accounts.requestPasswordReset({ email })
  const { challenge } = await challengeFor({ bench, token: await tokenTo(bench, email, 'reset-password') })
  const renewed = await answer(challenge, known)
  const before = bench.events.findLast(({ type }) => type === 'session.created')
  await bench.accounts.signIn({ email, password: 'not the password', ...session, attempt: presentedBy(renewed) })
  expect(before?.device).toMatch(/^dev_/)
  expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', device: before?.device })
  expect(renewed?.split('~')).toHaveLength(1)
})

test('a reset of an account with a password requires no factor, and opens no session', async () => {
  const bench = createFactorsBench()
  const account = await bench.insert()
  await bench.enrollTotp(account)
  await bench.accounts.requestPasswordReset({ email })
  const token = await bench.mailedToken()
  const reset = bench.accounts.resetPassword({ token, newPassword })
  expect(await reset).toMatchObject({ ok: true, status: 'password-set' })
  expect(await bench.accounts.listSessions(account.id)).toEqual([])
})

test('an undone change takes every consent, and the links to providers that were made since or cannot be read', async () => {
  const bench = createFactorsBench()
  const { documents, links } = bench
  const account = await bench.insert()
  const other = await bench.insert({ email: newEmail.replace('new', 'other') })
  const issuer = 'https://id.example.com'
  await links.insert({ issuer, subject: 'older', accountId: account.id, createdAt: bench.now() - 1 })
  const broken = { collection: 'provider-link', id: 'broken', owner: account.id, version: 'broken', value: '{' }
  await documents.insert(broken)
  const { undo } = await askForChange(bench, await bench.signIn())
  for (const { id: accountId } of [account, other]) {
    for (const collection of ['oauth-grant', 'note'])
      await documents.insert({ collection, id: accountId, owner: accountId, version: 'first', value: '' })
    await links.insert({ issuer, subject: accountId, accountId, createdAt: bench.now() })
  }
  expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
  expect(bench.events.at(-1)).toMatchObject({ type: 'email-change.undone', factors: ['provider'] })
  const heldBy = async ({ id }: { readonly id: string }) => [
    (await documents.listByOwner(id, { collections: ['oauth-grant', 'note'] })).items.map(
      ({ collection }) => collection,
    ),
    (await links.listByAccount(id)).map(({ subject }) => subject),
    await documents.get('provider-link', 'broken'),
  ]
  expect(await heldBy(account)).toEqual([['note'], ['older'], null])
  expect(await heldBy(other)).toEqual([['oauth-grant', 'note'], [other.id], null])
})

test('an undone change also removes a link to a provider that is added at the same time', async () => {
  let accountId: string | null = null
  const bench = createFactorsBench({
    async aroundAccounts(method, run) {
      if (method === 'replace' && accountId !== null)
        await bench.links.insert({
          issuer: 'https://id.example.com',
          subject: 'late',
          accountId,
          createdAt: bench.now(),
        })
      return run()
    },
  })
  const account = await bench.insert()
  const { undo } = await askForChange(bench, await bench.signIn())
  accountId = account.id
  expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
  expect(bench.events.at(-1)).toMatchObject({ type: 'email-change.undone', factors: ['provider'] })
  expect(await bench.links.listByAccount(account.id)).toEqual([])
})

test('a change is not undone while links to providers cannot be looked for, and its link stays usable', async () => {
  let fails = false
  const bench = createFactorsBench({
    aroundDocuments: (store) => ({
      ...store,
      async listByOwner(owner, options) {
        if (fails && options?.collections?.includes('provider-link'))
          throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return store.listByOwner(owner, options)
      },
    }),
  })
  const account = await bench.insert()
  const { undo } = await askForChange(bench, await bench.signIn())
  fails = true
  const before = await stored(bench, account)
  await expect(bench.accounts.undoEmailChange({ token: undo })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await stored(bench, account)).toEqual(before)
  fails = false
  expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
})

test('the mail to choose a password after an undone change says to look at the factors', async () => {
  const { bench } = await openUndone()
  const mail = bench.outbox.findLast(({ kind }) => kind === 'choose-password')
  expect(mail?.text).toMatch(/review them and remove any you don't recognize/)
  expect(mail?.data).toMatchObject({ occasion: 'undone-change' })
})
