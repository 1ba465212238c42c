import { allowNativeDelivery, type StoredAccount } from '@latchkey/accounts'
import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { type Bench, type BenchOptions, createBench, password } from './bench.ts'
import type { Answer, Delivery, Visitor } from './visitor.ts'

const payload = 'status account { id email } accessToken expiresIn refreshToken csrfToken challenge factors deviceToken'
export const operations = {
  verify: `mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { ${payload} } }`,
  enroll: 'mutation { startTotpEnrollment { secret otpauthUri qrCodeSvg } }',
  confirm: 'mutation ($input: ConfirmTotpInput!) { confirmTotpEnrollment(input: $input) { codes } }',
  disable: 'mutation ($input: DisableTotpInput!) { disableTotp(input: $input) }',
  regenerate: 'mutation ($input: RegenerateRecoveryCodesInput!) { regenerateRecoveryCodes(input: $input) { codes } }',
  register: 'mutation { startPasskeyRegistration { options } }',
  registered: `mutation ($input: FinishPasskeyRegistrationInput!) { finishPasskeyRegistration(input: $input) {
    id name createdAt lastUsedAt backedUp recoveryCodes } }`,
  startPasskey: 'mutation ($input: StartPasskeySignInInput) { startPasskeySignIn(input: $input) { options } }',
  finishPasskey: `mutation ($input: FinishPasskeySignInInput!) { finishPasskeySignIn(input: $input) { ${payload} } }`,
  rename: 'mutation ($input: RenamePasskeyInput!) { renamePasskey(input: $input) { id name recoveryCodes } }',
  remove: 'mutation ($id: ID!) { removePasskey(id: $id) }',
  csrf: '{ csrfToken }',
  viewer: '{ viewer { id } }',
  setRole: 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }',
} as const

/** A service with every second factor. */
export function createFactorBench(given: BenchOptions = {}): Bench {
  return createBench({
    ...given,
    options: {
      ...given.options,
      sessions: { nativeDelivery: allowNativeDelivery, ...given.options?.sessions },
      signIn: {
        totp: createTotp,
        passkeys: createPasskeys,
        recoveryCodes: createRecoveryCodes,
        ...given.options?.signIn,
      },
    },
  })
}

/** A visitor with an account and factors. */
export interface Person extends Visitor {
  readonly account: StoredAccount
  readonly codes: readonly string[]
  /** The code of the authenticator app now; each call waits for one that was never shown. */
  code(): string
}

/** Keeps what an answer has delivered. */
export function keep(visitor: Visitor, delivered: { accessToken?: string; refreshToken?: string; csrfToken?: string }) {
  visitor.csrfToken = delivered.csrfToken ?? null
  visitor.bearer = delivered.accessToken ?? null
  visitor.refreshToken = delivered.refreshToken ?? null
}

/** An account with an authenticator app, and a visitor who is not signed in to it. */
export async function withTotp(bench: Bench, role: 'READER' | 'ADMIN' = 'READER'): Promise<Person> {
  const visitor = await bench.signedIn(role)
  const { secret } = okData(await visitor.ask(operations.enroll)).startTotpEnrollment
  const nextCode = (): string => {
    bench.advance(30)
    return codeAt(secret, bench.clock.time)
  }
  const confirmed = okData(await visitor.ask(operations.confirm, { input: { code: nextCode() } }))
  const { codes } = confirmed.confirmTotpEnrollment
  return Object.assign(bench.visitor(), { account: visitor.account, codes, code: nextCode })
}

/** Signs in with the password; what comes of it is the challenge. */
export async function challengeOf(person: Person, delivery: Delivery = 'SESSION'): Promise<string> {
  const { signIn } = okData(await person.signIn(person.account.email, password, delivery))
  return signIn.challenge
}

/** Signs in with both factors. */
export async function signInWithBoth(person: Person, delivery: Delivery, code = person.code()): Promise<Answer> {
  const challenge = await challengeOf(person, delivery)
  const answer = await person.ask(operations.verify, { input: { challenge, code, delivery } })
  if (answer.data) keep(person, answer.data.verifySecondFactor)
  return answer
}

/** An account with a passkey, which is signed in by cookie, and its authenticator. */
export async function withPasskey(bench: Bench): Promise<
  Visitor & {
    account: StoredAccount
    codes: readonly string[]
    passkeyId: string
    authenticator: SoftwareAuthenticator
  }
> {
  const visitor = await bench.signedIn()
  const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
  const { options } = okData(await visitor.ask(operations.register)).startPasskeyRegistration
  const response = JSON.stringify(await authenticator.create(JSON.parse(options)))
  const made = okData(await visitor.ask(operations.registered, { input: { name: 'Laptop', response } }))
  const { id: passkeyId, recoveryCodes: codes } = made.finishPasskeyRegistration
  visitor.csrfToken = okData(await visitor.ask(operations.csrf)).csrfToken
  return Object.assign(visitor, { codes, passkeyId, authenticator })
}

/** Shows a passkey, for a challenge or for a sign-in. */
export async function showPasskey(
  visitor: Visitor,
  authenticator: SoftwareAuthenticator,
  { challenge = null, delivery = 'SESSION' }: { challenge?: string | null; delivery?: Delivery } = {},
): Promise<Answer> {
  const { options } = okData(await visitor.ask(operations.startPasskey, { input: { challenge } })).startPasskeySignIn
  const response = JSON.stringify(await authenticator.get(JSON.parse(options)))
  const answer = await visitor.ask(operations.finishPasskey, { input: { response, challenge, delivery } })
  if (answer.data) keep(visitor, answer.data.finishPasskeySignIn)
  return answer
}

/** The data of an answer that must have no errors. */
export function okData({ status, data, text }: Answer): Answer['data'] {
  if (status !== 200 || !data) throw new Error(`it was answered ${status}: ${text}`)
  return data
}
