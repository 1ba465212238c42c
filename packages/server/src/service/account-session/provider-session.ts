import type { Accounts, ProviderIdentity } from '@latchkey/accounts'
import type { AuthContext } from '@latchkey/graphql'
import type { HttpRequest } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { AccountSession } from './account-session.ts'
import { authenticatedRule } from './authenticated-rule.ts'
import { type DeliveryParts, deliverRenewed, deliverSignIn } from './deliver-sign-in.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** The parts that finish the callback of a provider. */
export interface ProviderSessionParts extends DeliveryParts {
  readonly base: Pick<AuthContext<AnyPolicy>, 'identity' | 'authorize' | 'establish' | 'response'>
  readonly request: HttpRequest
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Pick<Accounts, 'signInWithProvider' | 'confirmProvider' | 'signOut'>
  readonly sessions: Pick<Sessions, 'read'>
}

export async function signInWithProvider(
  options: ProviderSessionParts,
  verdict: ProviderIdentity,
): ReturnType<AccountSession['signInWithProvider']> {
  const { request, read, accounts, sessions } = options
  const { sessionCredential, refreshToken, device, attempt } = read()
  const replaces = await sessions.read(sessionCredential, request)
  const result = await accounts.signInWithProvider({ ...verdict, delivery: 'session', device, replaces, attempt })
  if (!result.ok || result.status === 'second-factor-required') return result
  return deliverSignIn(options, result, { refreshToken, attempt, isSessionReplaced: replaces !== null })
}

export async function confirmProvider(
  options: ProviderSessionParts,
  verdict: ProviderIdentity,
): ReturnType<AccountSession['confirmProvider']> {
  const { base, read, accounts } = options
  const identity = base.authorize(authenticatedRule)
  const { fromBrowser, attempt } = read()
  const result = await accounts.confirmProvider({ ...verdict, identity, allowsNative: !fromBrowser, attempt })
  return result.ok ? deliverRenewed(options, result) : result
}
