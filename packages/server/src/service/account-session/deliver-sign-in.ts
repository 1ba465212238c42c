import type { Accounts, Attempt, Delivery } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { AccessError, type AuthContext } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { CredentialDelivery, DeliveredSignIn } from './account-session.ts'
import type { MakeIdentity } from './credential-verifiers.ts'
import type { Deliverer } from './deliverer.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** The parts that deliver a sign-in. */
export interface DeliveryParts {
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'establish' | 'response'>
  readonly accounts: Pick<Accounts, 'signOut'>
  readonly makeIdentity: MakeIdentity
  readonly cookies: Pick<ServiceCookies, 'session'>
  readonly deliverer: Deliverer
}

/** Further credentials of the request. */
export interface FormerCredentials {
  readonly refreshToken: string | null
  readonly attempt: Attempt
  /** Whether the session of its cookie was revoked, for any delivery. */
  readonly isSessionReplaced: boolean
}

const deliveries = { SESSION: 'session', TOKEN: 'token', NATIVE: 'native' } as const

/**
 * Returns the delivery of a form.
 *
 * @throws AccessError `BAD_USER_INPUT` if a page requests tokens of native applications.
 */
export function readDelivery(delivery: CredentialDelivery, { fromBrowser }: PresentedCredentials): Delivery {
  if (delivery === 'NATIVE' && fromBrowser) rejectNative('input.delivery')
  return deliveries[delivery]
}

/** Establishes the identity and delivers its credentials. The family of the old refresh cookie is revoked. */
export async function deliverSignIn(
  { base, accounts, makeIdentity, cookies, deliverer }: DeliveryParts,
  result: SignInSuccess,
  { refreshToken, attempt, isSessionReplaced }: FormerCredentials,
): Promise<DeliveredSignIn> {
  base.establish(await makeIdentity(result.identity))
  const { ok, status, account, credentials } = result
  const isSession = credentials.delivery === 'session'
  if (credentials.delivery === 'token') await accounts.signOut({ refreshToken, attempt })
  if (!isSession && isSessionReplaced) base.response.setCookie(cookies.session.clear())
  const delivered = isSession ? deliverer.session(credentials) : deliverer.tokens(credentials)
  const deviceToken = deliverer.device(result.deviceToken, credentials.delivery)
  const trustedDeviceToken = deliverer.remembered(result.trustedDeviceToken, credentials.delivery)
  const { enrollmentDueAt, mustEnroll } = result.identity
  return { ok, status, account, ...delivered, deviceToken, trustedDeviceToken, enrollmentDueAt, mustEnroll }
}

/** Establishes who has proven again who they are, and delivers the credential that takes the place of the old one. */
export async function deliverRenewed(
  { base, makeIdentity, deliverer }: Pick<DeliveryParts, 'base' | 'makeIdentity' | 'deliverer'>,
  { ok, status, account, credentials, identity }: SignInSuccess,
): Promise<DeliveredSignIn> {
  base.establish(await makeIdentity(identity))
  const delivered = credentials.delivery === 'session' ? deliverer.session(credentials) : deliverer.tokens(credentials)
  const { enrollmentDueAt, mustEnroll } = identity
  return { ok, status, account, ...delivered, deviceToken: null, trustedDeviceToken: null, enrollmentDueAt, mustEnroll }
}

/** An application outside browsers shows its device in the input. */
export function withDevice(attempt: Attempt, given: string | null = null): Attempt {
  return given === null ? attempt : { ...attempt, deviceToken: given }
}

/** A refresh token that a page can read can be read by an injected script. */
export function rejectNative(field: string): never {
  throw new AccessError('BAD_USER_INPUT', {
    message: 'Native delivery is not available in browsers. Use SESSION or TOKEN delivery.',
    field,
  })
}
