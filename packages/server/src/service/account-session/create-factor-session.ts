import type { Accounts, Rejection, SignInResult } from '@latchkey/accounts'
import type { FactorChanged, SecondStepInput } from '@latchkey/accounts/internal'
import type { AuthContext } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { CredentialDelivery, DeliveredSignIn } from './account-session.ts'
import { authenticatedRule } from './authenticated-rule.ts'
import { bindLate } from './bind-late.ts'
import { type DeliveryParts, deliverSignIn, readDelivery, withDevice } from './deliver-sign-in.ts'
import type { FactorSession } from './factor-session.ts'
import { finishPasskeySignIn, startPasskeySignIn } from './passkey-session.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

type Refused = Rejection<'invalid-credentials'>

export interface FactorSessionOptions extends DeliveryParts {
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'authorize' | 'establish' | 'response'>
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

function regenerateRecoveryCodes(
  options: FactorSessionOptions,
  code: string | null,
): ReturnType<Accounts['regenerateRecoveryCodes']> {
  if (code === null) options.base.authorize({ authenticated: true, stepUp: { maxAgeSeconds: 300 } })
  return change(options, (by) => options.accounts.regenerateRecoveryCodes({ ...by, code }))
}

interface StepForm {
  readonly delivery: CredentialDelivery
  readonly deviceToken?: string | null
  readonly trustDevice?: boolean
}

/** Finishes a sign-in or a step-up, and delivers its credentials. */
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
  // A refused step-up is 403 and keeps the session, unlike a refused sign-in.
  if (!result.ok && result.isStepUp && identity) base.authorize(authenticatedRule)
  if (!isSignedIn(result)) return result as Exclude<Result, { readonly status: 'signed-in' }>
  // With a bearer token, the session cookie belongs to another sign-in.
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

/** The credentials after a change. */
type Changed = Pick<FactorChanged, 'ok' | 'credentials' | 'deviceToken'>

/** Changes a factor or a link, and delivers the new session. */
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
