import { allowNativeDelivery } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench } from './factors-bench.ts'

const session = { delivery: 'session' } as const

/** An account with an app, and a challenge for another device. */
async function challenged(bench: FactorsBench = createFactorsBench()) {
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  bench.advance(30)
  const challenge = await challengeOf(bench.tryPassword())
  return { bench, account, app, challenge, code: bench.codeOf(app.secret) }
}

describe('a code says by its form what it is:', () => {
  test.each([
    ['six digits are of an app', '123456', 'totp'],
    ['six digits in groups, too', '123 456', 'totp'],
    ['and in a text of a hundred characters', '123456'.padStart(100), 'totp'],
    ['a longer text is a recovery code', '123456'.padStart(101), 'recovery-code'],
    ['so are seven digits', '1234567', 'recovery-code'],
    ['and six after a letter', 'a123456', 'recovery-code'],
    ['and nothing', '', 'recovery-code'],
  ])('%s', async (_what, shown, factor) => {
    const { bench, challenge } = await challenged()
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code: shown })).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor, reason: 'factor-wrong' })
  })
})

test('a challenge without tries left starts no passkey ceremony', async () => {
  const { bench, app } = await challenged()
  await bench.addPasskey({ identity: app.identity } as never)
  const challenge = await challengeOf(bench.tryPassword())
  for (let tried = 0; tried < 5; tried++) {
    expect(await bench.accounts.startPasskeySignIn({ challenge })).toMatchObject({ ok: true })
    const code = bench.codeOf(app.secret, 40 + tried)
    expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toEqual(invalidCredentials)
  }
  expect(await bench.accounts.startPasskeySignIn({ challenge })).toEqual(invalidCredentials)
})

test('a delivery that is not allowed is refused before the code is looked at, which stays good', async () => {
  const { bench, challenge, code } = await challenged()
  const refused = bench.accounts.verifySecondFactor({ delivery: 'native', challenge, code })
  await expect(refused).rejects.toMatchObject({ code: 'DELIVERY_NOT_ALLOWED', field: 'delivery' })
  expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
})

test('a sign-in in a page completes beside the tokens of an application, and does not renew them', async () => {
  const bench = createFactorsBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
  const { account, app, challenge, code } = await challenged(bench)
  const native = await bench.accounts.verifySecondFactor({ delivery: 'native', challenge, code })
  if (!native.ok) throw new Error('refused')
  bench.advance(30)
  const again = await challengeOf(bench.tryPassword())
  const answer = { ...session, challenge: again, code: bench.codeOf(app.secret) }
  const page = { identity: native.identity, allowsNative: false }
  expect(await bench.accounts.verifySecondFactor({ ...answer, ...page })).toMatchObject({ ok: true })
  const open = (await bench.accounts.listSessions(account.id)).map(({ key }) => key)
  expect(open).toContain(native.identity.key)
})

test('a recovery code that a step-up has used up is an event, and its owner gets a mail', async () => {
  const { bench, account, app } = await challenged()
  const { identity } = app
  const { challenge } = await bench.accounts.startStepUp({ identity, kinds: ['recovery-code'] })
  const answer = { ...session, challenge: challenge ?? '', code: app.codes[0] ?? '', identity }
  expect(await bench.accounts.verifySecondFactor(answer)).toMatchObject({ ok: true })
  const used = { type: 'recovery-code.used', accountId: account.id, remaining: 9 }
  expect(bench.events).toContainEqual(expect.objectContaining(used))
  await bench.accounts.settled()
  expect(bench.outbox.at(-1)).toMatchObject({ to: account.email, subject: 'A recovery code was used' })
})

test('a step-up whose session was just revoked is refused, and its event names the session', async () => {
  const { bench, account, app } = await challenged()
  const { identity } = app
  const { challenge } = await bench.accounts.startStepUp({ identity, kinds: ['totp'] })
  await bench.sessions.revoke(account.id, identity.key)
  const answer = { ...session, challenge: challenge ?? '', code: bench.codeOf(app.secret), identity }
  expect(await bench.accounts.verifySecondFactor(answer)).toMatchObject({ ok: false })
  expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', sessionKey: identity.key })
  expect(await bench.accounts.listSessions(account.id)).toEqual([])
})

describe('a ceremony of a passkey for a step-up', () => {
  test('is started by the session that requested the step-up, and offers only its passkeys', async () => {
    const bench = createFactorsBench()
    const stranger = await bench.insert({ email: 'other@example.com' })
    await bench.addPasskey(await bench.signIn({ email: stranger.email }))
    const account = await bench.insert()
    const { identity } = await bench.addPasskey(await bench.signIn())
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds: ['passkey'] })
    for (const other of [{ subject: stranger.id }, { key: 'se_other' }]) {
      const shown = { challenge, identity: { ...identity, ...other } }
      expect(await bench.accounts.startPasskeySignIn(shown)).toEqual(invalidCredentials)
    }
    const begun = await bench.accounts.startPasskeySignIn({ challenge, identity })
    expect(begun).toMatchObject({ ok: true, options: { allowCredentials: [{ type: 'public-key' }] } })
    expect(await bench.accounts.listPasskeys(account.id)).toHaveLength(1)
  })

  test('is not started for a challenge that accepts no passkey', async () => {
    const { bench, app } = await challenged()
    const { identity } = app
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds: ['totp'] })
    expect(await bench.accounts.startPasskeySignIn({ challenge, identity })).toEqual(invalidCredentials)
  })
})

test('a passkey without a name is not read for a delivery that is not allowed', async () => {
  const bench = createFactorsBench()
  await bench.insert()
  await bench.addPasskey(await bench.signIn())
  const response = await bench.showPasskey()
  const refused = bench.accounts.finishPasskeySignIn({ delivery: 'native', response })
  await expect(refused).rejects.toMatchObject({ code: 'DELIVERY_NOT_ALLOWED', field: 'delivery' })
  expect(await bench.accounts.finishPasskeySignIn({ ...session, response })).toMatchObject({ ok: true })
})

test('startStepUp offers no kind that the account lacks, and no challenge to a disabled account', async () => {
  const { bench, account, app } = await challenged()
  const ask = (kinds: readonly string[]) => bench.accounts.startStepUp({ identity: app.identity, kinds })
  const nothing = { challenge: null, factors: [] }
  expect(await ask(['passkey'])).toEqual(nothing)
  await bench.store.replace(account.id, {}, { status: 'disabled' })
  expect(await ask(['totp'])).toEqual(nothing)
})

test('a code of an app uses up no recovery code, and says so of none', async () => {
  const { bench, challenge, code } = await challenged()
  await bench.accounts.settled()
  const mails = bench.outbox.length
  expect(await bench.accounts.verifySecondFactor({ ...session, challenge, code })).toMatchObject({ ok: true })
  await bench.accounts.settled()
  expect(bench.events.filter(({ type }) => type === 'recovery-code.used')).toEqual([])
  expect(bench.outbox).toHaveLength(mails)
})
