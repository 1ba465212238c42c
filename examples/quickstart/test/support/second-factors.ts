import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { hashPassword } from '@latchkey/password'
import { isStoreError } from '@latchkey/store'
import { codeAt } from '@latchkey/test-services'
import { readConfiguration } from '../../src/configuration.ts'
import { createData } from '../../src/data/open-data.ts'
import type { PublicationData } from '../../src/publication/publication-data.ts'
import type { Environment } from './start-quickstart.ts'
import { type Answer, createVisitor, type Delivery, keep, seedPassword, type Visitor } from './visitor.ts'

/** Where the pages of the service are, on whose passkeys a browser would sign in. */
export const passkeyOrigin = 'http://localhost:4000'
export const publicUrl = 'http://127.0.0.1:4000'

const payload = 'status account { id } accessToken refreshToken csrfToken challenge factors deviceToken'
export const operations = {
  verify: `mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { ${payload} } }`,
  enroll: 'mutation { startTotpEnrollment { secret } }',
  confirm: 'mutation ($input: ConfirmTotpInput!) { confirmTotpEnrollment(input: $input) { codes } }',
  disable: 'mutation ($input: DisableTotpInput!) { disableTotp(input: $input) }',
  regenerate: 'mutation ($input: RegenerateRecoveryCodesInput!) { regenerateRecoveryCodes(input: $input) { codes } }',
  register: 'mutation { startPasskeyRegistration { options } }',
  registered: `mutation ($input: FinishPasskeyRegistrationInput!) {
    finishPasskeyRegistration(input: $input) { id recoveryCodes } }`,
  remove: 'mutation ($id: ID!) { removePasskey(id: $id) }',
  startPasskey: 'mutation ($input: StartPasskeySignInInput) { startPasskeySignIn(input: $input) { options } }',
  finishPasskey: `mutation ($input: FinishPasskeySignInInput!) { finishPasskeySignIn(input: $input) { ${payload} } }`,
  refresh: 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }',
  reset: 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }',
  verifyEmail: 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }',
  csrf: '{ csrfToken }',
  viewer: '{ viewer { email } }',
  sessions: '{ sessions { id } }',
} as const

/** Adds accounts with the password of the seed to a publication that has started once, and returns the ids by e-mail. */
export async function addAccounts(
  environment: Environment,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const passwordHash = await hashPassword(seedPassword)
  const added = new Map<string, string>()
  await withStores(environment, async ({ accounts }) => {
    for (const email of emails) {
      const id = `acc_${email.replace(/\W/g, '_')}`
      const account = {
        id,
        email,
        name: 'Fay Factor',
        roles: ['READER'],
        status: 'active',
        passwordHash,
        epoch: 0,
      } as const
      await patiently(() => accounts.insert(account))
      added.set(email, id)
    }
  })
  return added
}

/** Asks a store again that did not answer in time. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask()
    } catch (error) {
      if (!isStoreError(error) || asked === 100) throw error
    }
  }
}

/** Opens the stores of a publication beside its processes. */
export async function withStores<T>(
  environment: Environment,
  use: (stores: PublicationData['stores']) => Promise<T>,
): Promise<T> {
  const { stores } = createData(readConfiguration({ PORT: '0', ...environment }, environment.DATA_DIR ?? ''))
  try {
    return await use(stores)
  } finally {
    await stores.close?.()
  }
}

/** An authenticator app with one secret, which never shows a code twice. */
export interface App {
  /** The next code that was never shown, by a clock that is so many milliseconds wrong. */
  nextCode(skewMs?: number): string
}

function createApp(secret: string): App {
  let shown = 0
  return {
    nextCode(skewMs = 0) {
      shown = Math.max(shown + 1, Math.floor((Date.now() + skewMs) / 30_000))
      return codeAt(secret, shown * 30_000)
    },
  }
}

/** A store did not answer in time, as on a machine that does much else: what was asked may have happened or not. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

/**
 * The data of an answer that must have no errors.
 *
 * @throws UnavailableError when it is 503.
 */
export function dataOf({ status, data, errors, text }: Answer): Answer['data'] {
  if (status === 503) throw new UnavailableError(text)
  if (status !== 200 || errors.length > 0) throw new Error(`it was answered ${status}: ${text}`)
  return data
}

/** Enrols an authenticator app for who is signed in by cookie. */
export async function enrollApp(visitor: Visitor, skewMs = 0): Promise<{ app: App; codes: readonly string[] }> {
  const app = await startApp(visitor)
  const { codes } = dataOf(await confirmApp(visitor, app, skewMs)).confirmTotpEnrollment
  await renewCsrfToken(visitor)
  return { app, codes }
}

/** An authenticator app that has read the secret, which nothing has confirmed. */
export async function startApp(visitor: Visitor): Promise<App> {
  return createApp(dataOf(await visitor.ask(operations.enroll)).startTotpEnrollment.secret)
}

export function confirmApp(visitor: Visitor, app: App, skewMs = 0): Promise<Answer> {
  return visitor.ask(operations.confirm, { input: { code: app.nextCode(skewMs) } })
}

/** A change of a factor renews the session, and with it the token. */
export async function renewCsrfToken(visitor: Visitor): Promise<void> {
  visitor.csrfToken = dataOf(await visitor.ask(operations.csrf)).csrfToken
}

/** Registers a passkey for who is signed in by cookie. */
export async function enrollPasskey(
  visitor: Visitor,
): Promise<{ authenticator: SoftwareAuthenticator; passkeyId: string; codes: readonly string[] }> {
  const authenticator = createSoftwareAuthenticator({ origin: passkeyOrigin })
  const made = dataOf(await register(visitor, authenticator)).finishPasskeyRegistration
  await renewCsrfToken(visitor)
  return { authenticator, passkeyId: made.id, codes: made.recoveryCodes }
}

async function register(visitor: Visitor, authenticator: SoftwareAuthenticator): Promise<Answer> {
  return finishRegistration(visitor, await startRegistration(visitor, authenticator))
}

/** The response of an authenticator, which a registration waits for. */
export async function startRegistration(visitor: Visitor, authenticator: SoftwareAuthenticator): Promise<string> {
  const { options } = dataOf(await visitor.ask(operations.register)).startPasskeyRegistration
  return JSON.stringify(await authenticator.create(JSON.parse(options)))
}

export function finishRegistration(visitor: Visitor, response: string): Promise<Answer> {
  return visitor.ask(operations.registered, { input: { name: 'Laptop', response } })
}

/** The response of an authenticator, which signs in or answers a challenge. */
export async function signWithPasskey(
  visitor: Visitor,
  authenticator: SoftwareAuthenticator,
  challenge: string | null = null,
): Promise<string> {
  const { options } = dataOf(await visitor.ask(operations.startPasskey, { input: { challenge } })).startPasskeySignIn
  return JSON.stringify(await authenticator.get(JSON.parse(options)))
}

/** What the password alone comes to: the status, and what answers the challenge. */
export async function showPassword(
  url: string,
  email: string,
  password = seedPassword,
  delivery: Delivery = 'SESSION',
): Promise<{ visitor: Visitor; status: string; challenge: string | null; factors: readonly string[] }> {
  const visitor = createVisitor(url)
  const { status, challenge, factors } = dataOf(await visitor.signIn(email, delivery, password)).signIn
  return { visitor, status, challenge, factors: factors ?? [] }
}

/** Shows the password, and the code where one is asked for; throws where that does not sign in. */
export async function signInFully(
  url: string,
  email: string,
  nextCode: () => string,
  delivery: Delivery = 'SESSION',
): Promise<Visitor> {
  const { visitor, status, challenge } = await showPassword(url, email, seedPassword, delivery)
  if (status === 'SIGNED_IN') return visitor
  const answer = await visitor.ask(operations.verify, { input: { challenge, code: nextCode(), delivery } })
  keep(visitor, dataOf(answer).verifySecondFactor)
  return visitor
}
