import type { StoredAccount } from '@latchkey/accounts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { codeAt } from '@latchkey/test-services'
import { life } from '../account-life/operations.ts'
import { type Bench, linksIn, password } from '../support/bench.ts'
import { decide, open, requestPath } from '../support/clients/asking.ts'
import { keep, okData, operations } from '../support/factor-bench.ts'
import type { Visitor } from '../support/visitor.ts'

/** What an account has beside its password. */
export const protections = ['nothing', 'an authenticator app', 'a passkey'] as const
export type Protection = (typeof protections)[number]

/** A service, and whether it has the options `emailCode` and `providers`. */
export interface Service {
  readonly bench: Bench
  readonly mailsCodes: boolean
  readonly hasProviders: boolean
}

/** An account of an administrator, who has changed its address an hour ago, and what its owner holds. */
export interface StolenAccount extends Service {
  readonly id: string
  readonly protection: Protection
  /** The address that the account had until then. */
  readonly formerEmail: string
  readonly email: string
  /** The browser in which the owner is signed in. */
  readonly owner: Visitor
  /** What the owner knows: another one after a reset. */
  password: string
  readonly codes: string[]
  readonly authenticator: SoftwareAuthenticator
  /** Returns a code of the app that was never shown. */
  newCode(): string
  /** The passkey of the owner, if there is one. */
  readonly passkeyId: string
  /** Another account, and what the owner has allowed a client. */
  readonly other: StoredAccount
}

/** The issuer of which owners and thieves are users. */
export const provider = 'https://id.example.com'

let drawn = 0

export async function createStolenAccount(
  { bench, mailsCodes, hasProviders }: Service,
  protection: Protection,
): Promise<StolenAccount> {
  const formerEmail = `former-${++drawn}@example.org`
  const email = `owner-${drawn}@example.org`
  const { id } = await bench.insert({ email: formerEmail, roles: ['ADMIN'] })
  const other = await bench.insert()
  const owner = bench.visitor()
  const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
  let secret = ''
  const held: { -readonly [Name in keyof StolenAccount]: StolenAccount[Name] } = {
    bench,
    mailsCodes,
    hasProviders,
    id,
    protection,
    formerEmail,
    email: formerEmail,
    owner,
    password,
    codes: [],
    authenticator,
    newCode() {
      bench.advance(30)
      return codeAt(secret, bench.clock.time)
    },
    passkeyId: '',
    other,
  }
  await signInByPassword(held, owner)
  if (protection === 'an authenticator app') {
    secret = okData(await owner.ask(operations.enroll)).startTotpEnrollment.secret
    const confirmed = okData(await owner.ask(operations.confirm, { input: { code: held.newCode() } }))
    held.codes.push(...confirmed.confirmTotpEnrollment.codes)
  }
  if (protection === 'a passkey') {
    const made = await addPasskey(owner, authenticator)
    held.passkeyId = made.id
    held.codes.push(...(made.recoveryCodes ?? []))
  }
  const link = { issuer: provider, subject: `owner of ${id}`, accountId: id, createdAt: bench.clock.time }
  if (hasProviders) await linksIn(bench.stores.documents).insert(link)
  bench.advance(60)
  await readCsrf(owner)
  await decide(owner, await open(owner, requestPath()), 'allow')
  okData(await owner.ask(life.requestEmailChange, { input: { newEmail: email } }))
  okData(
    await bench
      .visitor()
      .ask(life.confirmEmailChange, { input: { token: await tokenTo(bench, email, 'confirm-email-change') } }),
  )
  await tokenTo(bench, formerEmail, 'email-changed')
  held.email = email
  await readCsrf(owner)
  bench.advance(3600)
  return held
}

async function signInByPassword({ email, password: shown }: StolenAccount, visitor: Visitor): Promise<void> {
  okData(await visitor.signIn(email, shown))
}

/** Lets a browser add a passkey to the account in which it is signed in. */
async function addPasskey(visitor: Visitor, authenticator: SoftwareAuthenticator) {
  const { options } = okData(await visitor.ask(operations.register)).startPasskeyRegistration
  const response = JSON.stringify(await authenticator.create(JSON.parse(options), { ignoresLists: true }))
  const made = okData(await visitor.ask(operations.registered, { input: { name: 'Laptop', response } }))
  await readCsrf(visitor)
  return made.finishPasskeyRegistration as { readonly id: string; readonly recoveryCodes: readonly string[] | null }
}

/** A page of the service reads what it has to send with its mutations. */
export async function readCsrf(visitor: Visitor): Promise<void> {
  const { data } = await visitor.ask(operations.csrf)
  visitor.csrfToken = data?.csrfToken ?? null
}

/** Signs the owner in with all that the account asks for, by a cookie or with tokens. */
export async function signInAsOwner(
  held: StolenAccount,
  visitor: Visitor,
  delivery: 'SESSION' | 'NATIVE' = 'SESSION',
): Promise<void> {
  const { signIn } = okData(await visitor.signIn(held.email, held.password, delivery))
  if (signIn.status === 'SIGNED_IN') return
  await answerAsOwner(held, visitor, signIn.challenge, delivery)
}

/** Answers a challenge with the factor of the owner. */
export async function answerAsOwner(
  held: StolenAccount,
  visitor: Visitor,
  challenge: string,
  delivery: 'SESSION' | 'NATIVE' = 'SESSION',
): Promise<void> {
  if (held.protection === 'an authenticator app') {
    const input = { challenge, code: held.newCode(), delivery }
    keep(visitor, okData(await visitor.ask(operations.verify, { input })).verifySecondFactor)
    return
  }
  const { options } = okData(await visitor.ask(operations.startPasskey, { input: { challenge } })).startPasskeySignIn
  const response = JSON.stringify(await held.authenticator.get(JSON.parse(options)))
  const input = { challenge, response, delivery }
  keep(visitor, okData(await visitor.ask(operations.finishPasskey, { input })).finishPasskeySignIn)
}

/** The token of the latest mail of a kind to an address, once it was sent. */
export function tokenTo(bench: Bench, to: string, kind: string): Promise<string> {
  return waitFor(() => mailedTo(bench, to, kind), `no mail ${kind} was sent to ${to}`)
}

/** The code of the latest mail to sign in by, once it was sent. */
export function codeTo(bench: Bench, to: string): Promise<string> {
  return waitFor(() => codesTo(bench, to).at(-1) ?? null, `no code was sent to ${to}`)
}

/** The codes to sign in by that an address has got by now. */
export function codesTo({ outbox }: Bench, to: string): readonly string[] {
  return outbox.flatMap((mail) => (mail.to === to && mail.kind === 'sign-in-code' ? [mail.data.code] : []))
}

async function waitFor(find: () => string | null, otherwise: string): Promise<string> {
  for (let turn = 0; turn < 400; turn++) {
    const found = find()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error(otherwise)
}

/** The token of the latest mail of a kind that an address has got by now. */
export function mailedTo({ outbox }: Bench, to: string, kind: string): string | null {
  const url = outbox.findLast((mail) => mail.to === to && mail.kind === kind && mail.url !== null)?.url
  return url ? new URL(url).searchParams.get('token') : null
}
