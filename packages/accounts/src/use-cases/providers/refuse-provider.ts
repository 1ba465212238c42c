import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { invalidCredentials, type Refusal } from '../../errors.ts'
import type { UnlinkProviderInput } from './provider-inputs.ts'

/** Says why who is signed in was refused a provider. */
export function refuseProvider(
  context: AccountsContext,
  { identity, attempt }: Pick<UnlinkProviderInput, 'identity' | 'attempt'>,
  { issuer, reason }: { readonly issuer: string | null; readonly reason: string },
): Refusal<'invalid-credentials'> {
  const { subject: accountId, key: sessionKey = null } = identity
  const said = { ...judgeAttempt(context, attempt, null), accountId, sessionKey }
  context.emit({ type: 'provider.refused', ...said, issuer, reason })
  return invalidCredentials
}
