import type {
  Accounts,
  EnrollmentResult,
  FactorChanged,
  FactorChangeResult,
  PasskeyAdded,
  PasskeyRequest,
  ProviderChangeResult,
  ProviderIdentity,
  Refusal,
  SecondStepInput,
  SignInResult,
} from '@latchkey/accounts'
import type { AuthContext } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { EnrolledPasskey } from '@latchkey/store'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import { authenticatedRule } from './authenticated-rule.ts'
import { bindLate } from './bind-late.ts'
import {
  type CredentialDelivery,
  type DeliveredSignIn,
  type DeliveryParts,
  deliverSignIn,
  readDelivery,
  type SecondFactorAsked,
  withDevice,
} from './deliver-sign-in.ts'
import { finishPasskeySignIn, startPasskeySignIn } from './passkey-session.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** A code that answers a challenge. */
interface CodeForm {
  readonly challenge: string
  readonly code: string
  readonly delivery: CredentialDelivery
  /** What an application outside browsers got from an earlier sign-in. */
  readonly deviceToken?: string | null
  /** Where the service offers it; otherwise it does nothing. */
  readonly trustDevice?: boolean
}

/** A passkey that signs in, or answers a challenge. */
interface PasskeyForm {
  readonly response: unknown
  readonly challenge: string | null
  readonly delivery: CredentialDelivery
  /** Where the service offers it; otherwise it does nothing. */
  readonly trustDevice?: boolean
}

interface PasskeyRegistrationForm {
  readonly name: string
  readonly response: unknown
}

interface PasskeyNameForm {
  readonly id: string
  readonly name: string
}

type Refused = Refusal<'invalid-credentials'>

/**
 * The use cases of second factors as one request asks for them: with its credentials in, and new ones out. A change of a
 * factor renews the session of a cookie, which needs a new `csrfToken` then. They throw what the use cases throw.
 */
export interface FactorSession {
  /** Answers the challenge of a sign-in or of a step-up with a code. */
  verifySecondFactor(input: CodeForm): Promise<DeliveredSignIn | Refused>
  /** Begins an enrolment, which the same session confirms. */
  startTotpEnrollment(): Promise<EnrollmentResult>
  confirmTotpEnrollment(code: string): Promise<FactorChangeResult>
  disableTotp(code: string): Promise<FactorChangeResult>
  /** Without a code it takes a second factor that was shown within the last 300 seconds. */
  regenerateRecoveryCodes(code: string | null): Promise<FactorChangeResult>
  startPasskeyRegistration(): Promise<PasskeyRequest | Refused>
  finishPasskeyRegistration(input: PasskeyRegistrationForm): Promise<PasskeyAdded | Refused>
  /**
   * Returns what the browser needs, for any passkey or for those that answer a challenge. A cookie recognizes the browser that
   * has asked for any passkey: no other one finishes it.
   */
  startPasskeySignIn(challenge: string | null): Promise<PasskeyRequest | Refused>
  finishPasskeySignIn(input: PasskeyForm): Promise<DeliveredSignIn | SecondFactorAsked | Refused>
  /** Renames a passkey. `null`: the account has no such passkey. */
  renamePasskey(input: PasskeyNameForm): Promise<EnrolledPasskey | null>
  /** `null`: the account has no such passkey. */
  removePasskey(id: string): Promise<FactorChangeResult | null>
  /** Links the user of a verdict on a callback, which was begun in this session for it. */
  linkProvider(verdict: ProviderIdentity): Promise<ProviderChangeResult>
  /** Removes a link to a provider. `null`: the account has no such link. */
  unlinkProvider(id: string): Promise<ProviderChangeResult | null>
}

export interface FactorSessionOptions extends DeliveryParts {
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'authorize' | 'establish' | 'reply'>
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly cookies: Pick<ServiceCookies, 'session' | 'passkey'>
}

const LateFactorSession = bindLate<FactorSessionOptions, FactorSession>({
  verifySecondFactor: (options, { challenge, code, ...form }) =>
    finishStep(options, form, (input) => options.accounts.verifySecondFactor({ challenge, code, ...input })),
  startTotpEnrollment: (options) => options.accounts.startTotpEnrollment(holderOf(options, authenticatedRule)),
  confirmTotpEnrollment: (options, code) =>
    enroll(options, (by) => options.accounts.confirmTotpEnrollment({ ...by, code })),
  disableTotp: (options, code) => change(options, (by) => options.accounts.disableTotp({ ...by, code })),
  regenerateRecoveryCodes,
  startPasskeyRegistration: (options) =>
    options.accounts.startPasskeyRegistration(holderOf(options, authenticatedRule)),
  finishPasskeyRegistration: (options, form) =>
    enroll(options, (by) => options.accounts.finishPasskeyRegistration({ ...by, ...form })),
  startPasskeySignIn: (options, challenge) => startPasskeySignIn(options, challenge, senderOf(options)),
  finishPasskeySignIn: (options, { response, challenge, ...form }) =>
    finishStep(options, form, (input) => finishPasskeySignIn(options, { response, challenge }, input)),
  renamePasskey: (options, form) =>
    options.accounts.renamePasskey({ identity: holderOf(options, 'authenticated').identity, ...form }),
  removePasskey: (options, id) => change(options, (by) => options.accounts.removePasskey({ ...by, id })),
  linkProvider: (options, verdict) => change(options, (by) => options.accounts.linkProvider({ ...verdict, ...by })),
  unlinkProvider: (options, id) => change(options, (by) => options.accounts.unlinkProvider({ ...by, id })),
})

export function createFactorSession(make: () => FactorSessionOptions): FactorSession {
  return new LateFactorSession(make)
}

function regenerateRecoveryCodes(options: FactorSessionOptions, code: string | null): Promise<FactorChangeResult> {
  if (code === null) options.base.authorize({ authenticated: true, stepUp: { maxAgeSeconds: 300 } })
  return change(options, (by) => options.accounts.regenerateRecoveryCodes({ ...by, code }))
}

interface StepForm {
  readonly delivery: CredentialDelivery
  readonly deviceToken?: string | null
  readonly trustDevice?: boolean
}

/** Asks for what finishes a sign-in or a step-up, and delivers it. */
async function finishStep<Result extends SignInResult>(
  options: FactorSessionOptions,
  { delivery, deviceToken, trustDevice = false }: StepForm,
  ask: (input: SecondStepInput) => Promise<Result>,
): Promise<DeliveredSignIn | Exclude<Result, { readonly status: 'signed-in' }>> {
  const { base, request, read, sessions } = options
  const shown = read()
  const attempt = withDevice(shown.attempt, deviceToken)
  const { identity } = base
  const result = await ask({
    delivery: readDelivery(delivery, shown),
    device: shown.device,
    replaces: await sessions.read(shown.sessionCredential, request),
    identity,
    allowsNative: !shown.fromBrowser,
    trustDevice,
    attempt,
  })
  // Who is signed in stays so: the refusal is not that of a sign-in.
  if (!result.ok && result.isStepUp && identity) base.authorize(authenticatedRule)
  if (!isSignedIn(result)) return result as Exclude<Result, { readonly status: 'signed-in' }>
  // The session cookie beside a bearer token is that of another sign-in.
  const isSessionReplaced = shown.sessionCredential !== null && identity?.via !== 'bearer'
  return deliverSignIn(options, result, { refreshToken: shown.refreshToken, attempt, isSessionReplaced })
}

function isSignedIn(result: SignInResult): result is Extract<SignInResult, { readonly status: 'signed-in' }> {
  return result.ok && result.status === 'signed-in'
}

interface Holder {
  readonly identity: Identity
  readonly attempt: PresentedCredentials['attempt']
}

function holderOf({ base, read }: FactorSessionOptions, rule: HolderRule): Holder {
  return { identity: base.authorize(rule), attempt: read().attempt }
}

type HolderRule = 'authenticated' | typeof authenticatedRule

function senderOf({ base, read }: FactorSessionOptions): Pick<SecondStepInput, 'identity' | 'attempt'> {
  return { identity: base.identity, attempt: read().attempt }
}

/** Adds a factor, as an account may before it has the one that it must have. */
function enroll<Result extends FactorChanged | Refused>(
  options: FactorSessionOptions,
  ask: (by: Holder) => Promise<Result>,
): Promise<Result> {
  return change(options, ask, authenticatedRule)
}

/** What goes on after a change. */
type Changed = Pick<FactorChanged, 'ok' | 'credentials' | 'deviceToken'>

/** Changes a factor or a link, and delivers the session that goes on. */
async function change<Result extends Changed | Refused | null>(
  options: FactorSessionOptions,
  ask: (by: Holder) => Promise<Result>,
  rule: HolderRule = 'authenticated',
): Promise<Result> {
  const by = holderOf(options, rule)
  const result = await ask(by)
  if (!result?.ok) return result
  const { deliverer } = options
  if (result.credentials) deliverer.session(result.credentials)
  // An application outside browsers has no cookie to replace.
  const isDeviceSent = by.identity.via === 'cookie' || by.attempt.deviceToken !== null
  if (isDeviceSent) deliverer.device(result.deviceToken, 'session')
  return result
}
