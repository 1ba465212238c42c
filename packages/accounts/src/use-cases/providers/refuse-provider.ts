import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { invalidCredentials, type Rejection } from '../../errors.ts'

/** Says why who is signed in was refused a provider. */
export function refuseProvider(
  context: AccountsContext,
  { identity, attempt }: Pick<Parameters<Accounts['unlinkProvider']>[0], 'identity' | 'attempt'>,
  { issuer, reason }: { readonly issuer: string | null; readonly reason: string },
): Rejection<'invalid-credentials'> {
  const { subject: accountId, key: sessionKey = null } = identity
  const said = { ...judgeAttempt(context, attempt, null), accountId, sessionKey }
  context.emit({ type: 'provider.refused', ...said, issuer, reason })
  return invalidCredentials
}
