import type { SignInResult } from '@latchkey/accounts'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import { writePendingStep } from './pending-step.ts'

/** Returns the `Set-Cookie` lines of a sign-in; empty if it was refused. */
export function cookiesOf(cookies: ServiceCookies, result: SignInResult): readonly string[] {
  if (!result.ok) return []
  if (result.status === 'second-factor-required') return [cookies.challenge.write(writePendingStep(result))]
  const { credentials, deviceToken, trustedDeviceToken } = result
  if (credentials.delivery === 'native') return []
  return [
    credentials.delivery === 'session'
      ? cookies.session.write(credentials.credential, { persistent: credentials.session.persistent })
      : cookies.refresh.write(credentials.refreshToken),
    ...(deviceToken === null ? [] : [cookies.device.write(deviceToken)]),
    ...(trustedDeviceToken === null ? [] : [cookies.remembered.write(trustedDeviceToken)]),
  ]
}
