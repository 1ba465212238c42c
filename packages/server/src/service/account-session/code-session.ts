import type { Accounts } from '@latchkey/accounts'
import type { HttpRequest } from '@latchkey/http'
import type { Sessions } from '@latchkey/sessions'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { AccountSession } from './account-session.ts'
import { type DeliveryParts, deliverSignIn, readDelivery, withDevice } from './deliver-sign-in.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** The parts of a sign-in by a mailed code. */
export interface CodeSessionParts extends DeliveryParts {
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Pick<Accounts, 'requestSignInCode' | 'signInWithCode' | 'signOut'>
  readonly sessions: Pick<Sessions, 'read'>
  readonly cookies: Pick<ServiceCookies, 'session' | 'signInCode'>
}

export async function requestSignInCode(
  { base, read, accounts, cookies }: CodeSessionParts,
  { email, delivery, deviceToken }: Parameters<AccountSession['requestSignInCode']>[0],
): ReturnType<AccountSession['requestSignInCode']> {
  const shown = read()
  const attempt = withDevice(shown.attempt, deviceToken)
  const request = { email, delivery: readDelivery(delivery, shown), attempt }
  const { accepted, challenge } = await accounts.requestSignInCode(request)
  if (delivery === 'NATIVE') return { accepted, challenge }
  base.response.setCookie(cookies.signInCode.write(challenge))
  return { accepted, challenge: null }
}

export async function signInWithCode(
  options: CodeSessionParts,
  { email, code, challenge = null, delivery, deviceToken: given }: Parameters<AccountSession['signInWithCode']>[0],
): ReturnType<AccountSession['signInWithCode']> {
  const { base, request, read, accounts, sessions, cookies } = options
  const shown = read()
  const attempt = withDevice(shown.attempt, given)
  const isNative = delivery === 'NATIVE'
  const form = { email, code, delivery: readDelivery(delivery, shown), device: shown.device, attempt }
  const replaces = await sessions.read(shown.sessionCredential, request)
  const bound = isNative ? challenge : cookies.signInCode.read(request)
  const result = await accounts.signInWithCode({ ...form, challenge: bound, replaces })
  if (!result.ok || result.status === 'second-factor-required') return result
  if (!isNative) base.response.setCookie(cookies.signInCode.clear())
  const { refreshToken } = shown
  return deliverSignIn(options, result, { refreshToken, attempt, isSessionReplaced: replaces !== null })
}
