import { unknownAttempt } from '@latchkey/accounts'
import { expect } from 'vitest'
import { life } from '../account-life/operations.ts'
import { okData, operations, showPasskey } from '../support/factor-bench.ts'
import { type Answer, outcomeOf, refreshBy } from '../support/visitor.ts'
import { byCode } from './operations.ts'
import { signInAsOwnUser } from './provider-tries.ts'
import { answerAsOwner, codesTo, mailedTo, type StolenAccount, signInAsOwner, tokenTo } from './stolen-account.ts'
import type { Thief } from './thieves.ts'

/** How an owner comes back. */
export const waysBack = ['sign out everywhere', 'reset by mail', 'undo by mail', 'administrator', 'none'] as const
export type WayBack = (typeof waysBack)[number]

const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'

type Walk = (held: StolenAccount) => Promise<void>

const walks: Readonly<Record<Exclude<WayBack, 'none'>, Walk>> = {
  async 'sign out everywhere'(held) {
    if (!(await isIn(held))) await signInAsOwner(held, held.owner)
    okData(await held.owner.ask('mutation { revokeAllSessions }'))
  },
  async 'reset by mail'(held) {
    const email = await addressOf(held)
    const earlier = mailedTo(held.bench, email, 'reset-password')
    okData(await held.owner.ask(requestReset, { input: { email } }))
    await expect.poll(() => mailedTo(held.bench, email, 'reset-password')).not.toBe(earlier)
    await setPassword(held, await tokenTo(held.bench, email, 'reset-password'))
  },
  async 'undo by mail'(held) {
    const { bench, formerEmail, email, owner } = held
    const earlier = [formerEmail, email].map((address) => mailedTo(bench, address, 'choose-password'))
    let undone: Answer | null = null
    for (const address of [formerEmail, email])
      for (const kind of ['email-changed', 'email-change-notice']) {
        const token = mailedTo(bench, address, kind)
        if (undone === null && token !== null)
          undone = await succeeded(owner.ask(life.undoEmailChange, { input: { token } }))
      }
    if (undone === null) throw new Error('no mail undoes the change')
    const back = await addressOf(held)
    await expect.poll(() => earlier.includes(mailedTo(bench, back, 'choose-password'))).toBe(false)
    await setPassword(held, await tokenTo(bench, back, 'choose-password'))
  },
  /** Removes every factor, so that what a thief has added asks the owner for nothing. */
  async administrator(held) {
    const { bench, id } = held
    const accounts = await bench.server.accounts()
    await accounts.resetFactors({ id, attempt: unknownAttempt })
    await walks['reset by mail'](held)
  },
}

async function succeeded(asked: Promise<Answer>): Promise<Answer | null> {
  const answer = await asked
  return answer.status === 200 && answer.errors.length === 0 ? answer : null
}

async function addressOf({ bench, id }: StolenAccount): Promise<string> {
  return (await bench.stores.accounts.get(id))?.email ?? ''
}

/** Sets a password of the owner's own by a link, and signs in with it. */
async function setPassword(held: StolenAccount, token: string): Promise<void> {
  const { owner } = held
  Object.assign(owner, { jar: new Map(), csrfToken: null, bearer: null, refreshToken: null })
  held.password = 'eleven quiet lanterns glow'
  const answer = await owner.ask(reset, { input: { token, newPassword: held.password } })
  const challenge = answer.errors[0]?.extensions.challenge
  if (typeof challenge === 'string') return answerAsOwner(held, owner, challenge)
  okData(answer)
  await signInAsOwner({ ...held, email: await addressOf(held) }, owner)
}

async function isIn({ owner, id }: StolenAccount): Promise<boolean> {
  return (await owner.ask(operations.viewer)).data?.viewer.id === id
}

/** Walks the way back, and shows that its owner is in the account and the thief is not. */
export async function walkBack(thief: Thief, way: WayBack): Promise<void> {
  const { held } = thief
  if (way === 'none') {
    expect(await held.bench.stores.accounts.get(held.id)).toBeNull()
    return
  }
  const code = await askForCode(thief)
  await walks[way](held)
  expect(await isIn(held), 'the owner is back').toBe(true)
  await expectDead(thief)
  if (code !== null) expect(outcomeOf(await code.show()), 'a code of a mail').toEqual(refusedSignIn)
}

/** A code that is asked for before its owner comes back, where the thief reads the mails of the account. */
async function askForCode({ held, mailboxes }: Thief): Promise<{ readonly show: () => Promise<Answer> } | null> {
  const { bench, mailsCodes } = held
  const email = await addressOf(held)
  if (!mailsCodes || !mailboxes.includes(email)) return null
  const visitor = bench.visitor()
  const before = codesTo(bench, email).length
  okData(await visitor.ask(byCode.request, { input: { email } }))
  await expect.poll(() => codesTo(bench, email)).toHaveLength(before + 1)
  const code = codesTo(bench, email).at(-1)
  return { show: () => visitor.ask(byCode.signIn, { input: { email, code } }) }
}

const refusedLink = [200, 'BAD_USER_INPUT']
const refusedSignIn = [401, 'INVALID_CREDENTIALS']
const byKind: Readonly<Record<string, string>> = {
  'reset-password': reset,
  'choose-password': reset,
  'confirm-email-change': life.confirmEmailChange,
  'email-changed': life.undoEmailChange,
  'email-change-notice': life.undoEmailChange,
}

/** Nothing of what the thief had, or has made of it, opens the account any more. */
async function expectDead(thief: Thief): Promise<void> {
  const { held, visitor, password, mailboxes, authenticator } = thief
  const { bench, formerEmail, email } = held
  const address = await addressOf(held)
  expect(outcomeOf(await visitor.ask(operations.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  if (visitor.refreshToken !== null)
    expect(outcomeOf(await refreshBy('NATIVE', visitor))).toEqual([401, 'UNAUTHENTICATED'])
  for (const { to, kind, url } of bench.outbox.filter((mail) => mailboxes.includes(mail.to))) {
    const query = byKind[kind]
    const token = url && new URL(url).searchParams.get('token')
    // What restores the address of the account opens nothing to who has copied the mail: it is said in the page.
    if (!query || !token || (query === life.undoEmailChange && to === address)) continue
    const input = { token, ...(query === reset && { newPassword: password ?? held.password }) }
    expect(outcomeOf(await bench.visitor().ask(query, { input })), `${kind} to ${to}`).toEqual(refusedLink)
  }
  if (password !== null)
    for (const one of [formerEmail, email, ...mailboxes])
      expect(outcomeOf(await bench.visitor().signIn(one, password))).toEqual(refusedSignIn)
  if (held.hasProviders) expect(outcomeOf(await signInAsOwnUser(thief)), 'a user of a provider').toEqual(refusedSignIn)
  const passkey = showPasskey(bench.visitor(), authenticator).catch(() => null)
  expect((await passkey)?.status ?? 401).toBe(401)
}
