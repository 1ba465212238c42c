import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { life } from '../account-life/operations.ts'
import { newPassword } from '../support/bench.ts'
import { ownForm } from '../support/forms.ts'
import { copyOf, type Visitor } from '../support/visitor.ts'
import { codeTo, mailedTo, readCsrf, type StolenAccount, signInAsOwner, tokenTo } from './stolen-account.ts'

/** What a thief has got hold of. */
export const loots = [
  'a session',
  'access and refresh token',
  'the mailbox of the former address',
  'the mailbox of the present address',
  'the password',
  'a recovery code',
  'password and recovery code',
  'a device token',
  'a code to the former address',
  'a code to the present address',
] as const
export type Loot = (typeof loots)[number]

/** A thief, and what is tried with the loot. */
export interface Thief {
  readonly loot: Loot
  readonly held: StolenAccount
  readonly visitor: Visitor
  /** `null`: the thief can only guess. */
  password: string | null
  code: string | null
  /** The addresses whose mails the thief reads. */
  readonly mailboxes: readonly string[]
  readonly authenticator: SoftwareAuthenticator
  /** The secret of an app that the thief has begun to add. */
  secret: string | null
}

export const guess = 'monkeys type all day long'
export const chosen = newPassword

/** An address of the thief's own. */
let drawn = 0

export async function steal(held: StolenAccount, loot: Loot): Promise<Thief> {
  const { bench, email, formerEmail, codes } = held
  const own = `thief-${++drawn}@example.org`
  const mailboxes = {
    'the mailbox of the former address': [formerEmail, own],
    'the mailbox of the present address': [email, own],
    'a code to the former address': [formerEmail, own],
    'a code to the present address': [email, own],
  } as Partial<Record<Loot, readonly string[]>>
  const hasPassword = loot === 'the password' || loot === 'password and recovery code'
  const hasCode = loot === 'a recovery code' || loot === 'password and recovery code'
  const thief: Thief = {
    loot,
    held,
    visitor: bench.visitor(),
    password: hasPassword ? held.password : null,
    code: hasCode ? (codes.pop() ?? null) : null,
    mailboxes: mailboxes[loot] ?? [own],
    authenticator: createSoftwareAuthenticator({ origin: 'https://example.com' }),
    secret: null,
  }
  if (loot === 'a session' || loot === 'access and refresh token') await stealSignIn(thief)
  if (loot === 'a device token') {
    const device = held.owner.jar.get('__Host-device')
    if (!device) throw new Error('the device of the owner has no token')
    thief.visitor.jar.set('__Host-device', device)
  }
  return thief
}

/** A copy of what another browser or application of the owner has; what was proven by it is older than 300 seconds. */
async function stealSignIn({ loot, held, visitor }: Thief): Promise<void> {
  const { bench } = held
  const elsewhere = bench.visitor()
  await signInAsOwner(held, elsewhere, loot === 'a session' ? 'SESSION' : 'NATIVE')
  bench.advance(301)
  copyOf(elsewhere, visitor)
}

/** Goes as far into the account as the loot leads, by the pages. */
export async function enter(thief: Thief): Promise<void> {
  const { loot, visitor } = thief
  if (lootsOfCodes.has(loot)) {
    const email = await addressForCode(thief)
    await visitor.post('/sign-in-code', { email }, ownForm)
    await visitor.post('/sign-in-code', { email, code: await mailedCode(thief), return_to: '/account' }, ownForm)
  } else if (thief.mailboxes.length > 1) {
    const token = await resetToken(thief)
    await visitor.post('/reset', { token, password: chosen }, ownForm)
    thief.password = chosen
  }
  if (thief.password !== null) await signIn(thief)
  if (thief.code !== null && visitor.jar.has('__Host-challenge'))
    await visitor.post('/second-factor', { code: thief.code, return_to: '/account' }, ownForm)
  if (loot !== 'access and refresh token') await readCsrf(visitor)
}

async function signIn({ held, visitor, password, mailboxes }: Thief): Promise<void> {
  const email = mailboxes.includes(held.formerEmail) ? held.formerEmail : held.email
  await visitor.post('/sign-in', { email, password: password ?? guess, return_to: '/account' }, ownForm)
}

/** The loots of who reads a mailbox and goes in by a code of a mail, which leaves the password as it was. */
export const lootsOfCodes: ReadonlySet<Loot> = new Set([
  'a code to the former address',
  'a code to the present address',
])

/** The address that a code is asked for with: that of the account, which is again the former one where the thief can undo the change. */
export async function addressForCode({ held, mailboxes, visitor }: Thief): Promise<string> {
  const { bench, formerEmail, email } = held
  if (!mailboxes.includes(formerEmail)) return email
  await visitor.ask(life.undoEmailChange, {
    input: { token: mailedTo(bench, formerEmail, 'email-changed') ?? noToken },
  })
  return formerEmail
}

/** The code of the latest mail that the thief reads, or a guess. */
export async function mailedCode({ held: { bench }, mailboxes }: Thief): Promise<string> {
  return mailboxes.length > 1 ? codeTo(bench, mailboxes[0] ?? '') : '00000000'
}

/** The challenge that a sign-in has led to. */
export const challengeOf = ({ visitor }: Thief): string | null =>
  visitor.jar.get('__Host-challenge')?.split('!').pop() ?? null

/** No token that was ever mailed. */
export const noToken = `reset_${'A'.repeat(22)}.${'A'.repeat(43)}`

/** What undoes the change of the owner, where the thief reads it. */
export function undoToken({ held, mailboxes }: Thief): string {
  const { bench, formerEmail } = held
  return (mailboxes.includes(formerEmail) && mailedTo(bench, formerEmail, 'email-changed')) || noToken
}

/** What sets a new password: asked for with the address that the thief reads, or mailed there once the change is undone. */
export async function resetToken(thief: Thief): Promise<string> {
  const { held, mailboxes, visitor } = thief
  const { bench, formerEmail, email } = held
  if (mailboxes.includes(formerEmail)) {
    await visitor.ask(life.undoEmailChange, { input: { token: undoToken(thief) } })
    return tokenTo(bench, formerEmail, 'choose-password')
  }
  if (!mailboxes.includes(email)) return noToken
  const input = { email }
  await visitor.ask('mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }', { input })
  return tokenTo(bench, email, 'reset-password')
}

/** What changes the address of the account to one of the thief's own, where that can be asked for. */
export async function confirmToken({ held, visitor, mailboxes }: Thief): Promise<string> {
  const newEmail = mailboxes.at(-1) ?? ''
  const asked = await visitor.ask(life.requestEmailChange, { input: { newEmail } })
  return asked.status === 200 && asked.data ? tokenTo(held.bench, newEmail, 'confirm-email-change') : noToken
}
