import type { MailKind } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, newPassword, password, type TestOptions } from '../bench.ts'
import { challengeOf, createFactorsBench } from '../factors/factors-bench.ts'
import { createLimitedBench } from '../limits/limited-bench.ts'
import { newEmail, tokenTo } from '../own-account/mailed-links.ts'

/** The pages of the service that a mail may lead to: nothing else is there in production. */
const pages =
  /^https:\/\/example\.com\/(?:(?:verify|reset|confirm-email-change|undo-email-change)\?token=…|reset|devices|account)$/

/** The latest mail as its reader sees it, with what is drawn at random left out. */
async function latest({ accounts, outbox }: Bench): Promise<string> {
  await accounts.settled()
  const mail = outbox.at(-1)
  const text = mail?.text.replace(/token=[\w.-]+/, 'token=…').replace(/^\d{8}$/m, '…')
  if (mail?.url) expect(mail.text).toContain(`\n\n${mail.url}`)
  for (const link of text?.match(/https?:\S+/g) ?? []) expect(link).toMatch(pages)
  return [`To: ${mail?.to}`, `Subject: ${mail?.subject}`, `Link: ${mail?.url ? 'one' : 'none'}`, text].join('\n')
}

const signUp = ({ accounts }: Bench) => accounts.signUp({ email, password, name: 'A Reader' })

/** An account with a factor of each kind, and the session that added them. */
async function enrollAll() {
  const bench = createFactorsBench()
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  const added = await bench.addPasskey({ identity: app.identity } as never)
  bench.advance(30)
  return { bench, account, app, added, code: bench.codeOf(app.secret) }
}

/** An account with an authenticator app, and wrong codes after its password. */
async function guessed(times: number): Promise<Bench> {
  const { bench } = await enrollAll()
  for (let shown = 0, challenge = ''; shown < times; shown++) {
    if (shown % 5 === 0) challenge = await challengeOf(bench.tryPassword())
    await bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code: '000000' })
  }
  return bench
}

const mails: Readonly<Record<string, () => Promise<Bench>>> = {
  async 'for a sign-up'() {
    const bench = createBench()
    await signUp(bench)
    return bench
  },
  async 'for a second sign-up of an address'() {
    const bench = createBench()
    await signUp(bench)
    await signUp(bench)
    return bench
  },
  async 'for a sign-up of an address that has an account'() {
    const bench = createBench()
    await bench.insert()
    await signUp(bench)
    return bench
  },
  async 'for an address that is confirmed without the password'() {
    const bench = createBench()
    await signUp(bench)
    await bench.accounts.verifyEmail({ token: await bench.mailedToken() })
    return bench
  },
  async 'for a new password that was asked for'() {
    const bench = createBench()
    await bench.insert()
    await bench.accounts.requestPasswordReset({ email })
    return bench
  },
  async 'for a code to sign in'() {
    const bench = createBench({ options: { signIn: { emailCode: {} } } })
    await bench.insert()
    await bench.accounts.requestSignInCode({ email })
    return bench
  },
  async 'for a code to sign in that works for a minute'() {
    const bench = createBench({ options: { signIn: { emailCode: { lifetimeSeconds: 60 } } } })
    await bench.insert()
    await bench.accounts.requestSignInCode({ email })
    return bench
  },
  async 'for a password that was changed'() {
    const bench = createBench()
    await bench.insert()
    const { identity } = await bench.signIn()
    await bench.accounts.changePassword({ identity, currentPassword: password, newPassword })
    return bench
  },
  async 'for a password that too many guesses have disabled'() {
    const bench = createLimitedBench({ passwordFailures: 1 })
    await bench.insert()
    await bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })
    return bench
  },
  async 'for an authenticator app that too many codes have disabled'() {
    return guessed(100)
  },
  async 'for wrong codes after the password'() {
    return guessed(5)
  },
  async 'for an authenticator app that was added'() {
    const bench = createFactorsBench()
    await bench.enrollTotp(await bench.insert())
    return bench
  },
  async 'for a passkey that was added'() {
    return (await enrollAll()).bench
  },
  async 'for recovery codes that were replaced'() {
    const { bench, added, code } = await enrollAll()
    await bench.accounts.regenerateRecoveryCodes({ identity: added.identity, code })
    return bench
  },
  async 'for an authenticator app that was removed'() {
    const { bench, added, code } = await enrollAll()
    await bench.accounts.disableTotp({ identity: added.identity, code })
    return bench
  },
  async 'for a passkey that was removed'() {
    const { bench, added } = await enrollAll()
    await bench.accounts.removePasskey({ identity: added.identity, id: added.id })
    return bench
  },
  async 'for factors that were reset by an administrator'() {
    const { bench, account } = await enrollAll()
    await bench.accounts.resetFactors({ id: account.id })
    return bench
  },
  async 'for a recovery code that was used'() {
    const { bench, app } = await enrollAll()
    const challenge = await challengeOf(bench.tryPassword())
    await bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code: app.codes[0] ?? '' })
    return bench
  },
  async 'for a recovery code that was used, where their number is not known'() {
    const bench = createFactorsBench({}, ({ recoveryCodes, ...parts }) => {
      if (!recoveryCodes) return parts
      const verify = async (...given: Parameters<typeof recoveryCodes.verify>) => {
        const { remaining: _remaining, ...verdict } = await recoveryCodes.verify(...given)
        return verdict as never
      }
      return { ...parts, recoveryCodes: { ...recoveryCodes, verify } }
    })
    const { codes } = await bench.enrollTotp(await bench.insert())
    const challenge = await challengeOf(bench.tryPassword())
    await bench.accounts.verifySecondFactor({ delivery: 'session', challenge, code: codes[0] ?? '' })
    return bench
  },
}

const changes: Readonly<Record<string, () => Promise<string>>> = {
  async 'for a change of address that has to be confirmed'() {
    return latestOf(await askedForChange(), 'confirm-email-change')
  },
  async 'for a change of address that can be undone'() {
    return latestOf(await askedForChange(), 'email-change-notice')
  },
  async 'for a change of address that can be undone for a day'() {
    return latestOf(await askedForChange({ emailUndoDays: 1 }), 'email-change-notice')
  },
  async 'for a change of address that both addresses confirm'() {
    return latestOf(await askedForChange({ emailUndoDays: 0 }), 'email-change-notice')
  },
  async 'for an address of an account that another one has asked for'() {
    const bench = createBench()
    await bench.insert({ email: newEmail })
    await bench.insert()
    const { identity } = await bench.signIn()
    await bench.accounts.requestEmailChange({ identity, newEmail })
    return latestOf(bench, 'account-exists')
  },
  async 'for a reserved address that someone has signed up with'() {
    const bench = await askedForChange()
    await bench.accounts.confirmEmailChange({ token: await tokenTo(bench, newEmail, 'confirm-email-change') })
    await signUp(bench)
    return latestOf(bench, 'account-exists')
  },
  async 'for the former address after a change'() {
    const bench = await askedForChange()
    await bench.accounts.confirmEmailChange({ token: await tokenTo(bench, newEmail, 'confirm-email-change') })
    return latestOf(bench, 'email-changed', email)
  },
  async 'for the new address after a change'() {
    const bench = await askedForChange()
    await bench.accounts.confirmEmailChange({ token: await tokenTo(bench, newEmail, 'confirm-email-change') })
    return latestOf(bench, 'email-changed', newEmail)
  },
  async 'for an account that was deleted'() {
    const bench = createBench({ options: { deletion: { onDelete: () => {} } } })
    await bench.insert()
    const { identity } = await bench.signIn()
    await bench.accounts.deleteAccount({ identity })
    return latestOf(bench, 'account-deleted')
  },
  async 'for an account that was locked'() {
    const bench = createBench()
    const { id } = await bench.insert()
    await bench.accounts.lockAccount({ id })
    return latestOf(bench, 'account-locked')
  },
  async 'for a device that is not known'() {
    const bench = createBench({ options: { mails: { notifyNewDevices: true } } })
    await bench.insert()
    await bench.signIn()
    return latestOf(bench, 'new-device')
  },
}

/** An account that has asked for another address. */
async function askedForChange(options: TestOptions = {}): Promise<Bench> {
  const bench = createBench({ options })
  await bench.insert()
  const { identity } = await bench.signIn()
  await bench.accounts.requestEmailChange({ identity, newEmail })
  return bench
}

async function latestOf(bench: Bench, kind: MailKind, to?: string): Promise<string> {
  await bench.accounts.settled()
  const outbox = bench.outbox.filter((mail) => mail.kind === kind && (to === undefined || mail.to === to))
  return latest({ ...bench, outbox })
}

describe('a mail', () => {
  test.each(Object.entries(changes))('%s reads as written', async (_occasion, send) => {
    expect(await send()).toMatchSnapshot()
  })

  test.each(Object.entries(mails))('%s reads as written', async (_occasion, send) => {
    expect(await latest(await send())).toMatchSnapshot()
  })
})
