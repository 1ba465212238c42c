import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { email, invalidCredentials, password } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench } from './factors-bench.ts'

const session = { delivery: 'session' } as const

/** An account with an app and a passkey, and a challenge for another device. */
async function challenged(bench: FactorsBench) {
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  await bench.addPasskey({ identity: app.identity } as SignInSuccess)
  bench.advance(30)
  const open = await bench.accounts.listSessions(account.id)
  return { account, app, open, challenge: await challengeOf(bench.tryPassword()) }
}

/** Another process over the same stores, which offers less. */
function offering(bench: FactorsBench, change: Parameters<typeof createFactorsBench>[1]) {
  const { store, records, sessions, refreshTokens, now } = bench
  const onEvent = (event: FactorsBench['events'][number]) => void bench.events.push(event)
  const options = { accounts: store, records, sessions, refreshTokens, now, onEvent }
  return createFactorsBench({ aroundDocuments: () => bench.documents, options }, change).accounts
}

describe('an answer to a challenge is refused and opens no session,', () => {
  test('by a passkey of another account', async () => {
    const bench = createFactorsBench()
    const { account, open, challenge } = await challenged(bench)
    const stranger = await bench.insert({ email: 'other@example.com' })
    await bench.addPasskey(await bench.signIn({ email: stranger.email }))
    const begun = await bench.accounts.startPasskeySignIn({ challenge })
    const response = await bench.authenticator.get((begun.ok && begun.options) as never, { ignoresLists: true })
    const answer = bench.accounts.finishPasskeySignIn({ ...session, challenge, response })
    expect(await answer).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({
      type: 'second-factor.failed',
      accountId: account.id,
      factor: 'passkey',
      reason: 'passkey-account',
    })
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
  })

  test('by a passkey that the part has accepted for a different account', async () => {
    const bench = createFactorsBench({}, ({ passkeys, ...parts }) => {
      if (!passkeys) return parts
      const finishSignIn: typeof passkeys.finishSignIn = async (...given) => ({
        ...(await passkeys.finishSignIn(...given)),
        accountId: 'acc_other',
      })
      return { ...parts, passkeys: { ...passkeys, finishSignIn } }
    })
    const { account, open, challenge } = await challenged(bench)
    const response = await bench.showPasskey(challenge)
    expect(await bench.accounts.finishPasskeySignIn({ ...session, challenge, response })).toEqual(invalidCredentials)
    const failed = { type: 'second-factor.failed', accountId: account.id, factor: 'passkey', reason: 'passkey-account' }
    expect(bench.events.at(-1)).toMatchObject(failed)
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
  })

  test('by a code of an app if another process has no apps configured', async () => {
    const bench = createFactorsBench()
    const { account, app, open, challenge } = await challenged(bench)
    const accounts = offering(bench, ({ totp: _totp, ...parts }) => parts)
    const answer = accounts.verifySecondFactor({ ...session, challenge, code: bench.codeOf(app.secret) })
    expect(await answer).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor: 'totp', reason: 'kind-refused' })
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
  })

  test('by a passkey if another process has no passkeys configured, which refuses the whole request', async () => {
    const bench = createFactorsBench()
    const { account, open, challenge } = await challenged(bench)
    const response = await bench.showPasskey(challenge)
    const accounts = offering(bench, ({ passkeys: _passkeys, ...parts }) => parts)
    const answer = accounts.finishPasskeySignIn({ ...session, challenge, response })
    await expect(answer).rejects.toMatchObject({ code: 'FACTOR_UNAVAILABLE' })
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toMatchObject({
      status: 'second-factor-required',
    })
    expect(await bench.accounts.listSessions(account.id)).toEqual(open)
  })
})

test('a sign-in requests only factors that its process can test and the account has', async () => {
  const bench = createFactorsBench()
  await challenged(bench)
  const signIn = { ...session, email, password }
  const withoutPasskeys = offering(bench, ({ passkeys: _passkeys, ...parts }) => parts)
  expect(await withoutPasskeys.signIn(signIn)).toMatchObject({ factors: ['totp', 'recovery-code'] })
  const withoutApps = offering(bench, ({ totp: _totp, ...parts }) => parts)
  expect(await withoutApps.signIn(signIn)).toMatchObject({ factors: ['passkey', 'recovery-code'] })
})

test('a passkey whose account is gone does not sign in', async () => {
  const bench = createFactorsBench()
  const { id } = await bench.insert()
  await bench.addPasskey(await bench.signIn())
  const open = await bench.sessions.list(id)
  const response = await bench.showPasskey()
  await bench.store.remove(id)
  expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toEqual(invalidCredentials)
  expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', accountId: null, reason: 'unknown-account' })
  expect(await bench.sessions.list(id)).toEqual(open)
})
