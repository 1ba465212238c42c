import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { type Rejection, required } from '../../errors.ts'
import { checkProviderIdentity } from '../../providers/provider-identity.ts'
import { refuseNative, renewCredentials } from '../../sign-in/renew-credentials.ts'
import { proveProviderAgain } from '../../sign-in/sign-in-states.ts'
import { answerStepUp, type SignInSuccess } from '../open-credentials.ts'
import { refuseProvider } from './refuse-provider.ts'

export async function confirmProvider(
  context: AccountsContext,
  input: Parameters<Accounts['confirmProvider']>[0],
): Promise<SignInSuccess | Rejection<'invalid-credentials'>> {
  const elapsed = startDuration()
  required(context.providers, 'signIn.providers')
  const { identity, issuer, allowsNative = true } = checkProviderIdentity(input)
  if (!allowsNative) await refuseNative(context, identity)
  const proven = await proveProviderAgain(context, input)
  if ('refused' in proven) return refuseProvider(context, input, { issuer, reason: proven.refused })
  const { account, attempt } = proven
  const renewed = await renewCredentials(context, proven, identity)
  if (typeof renewed === 'string') return refuseProvider(context, input, { issuer, reason: renewed })
  const said = { ...attempt, accountId: account.id, sessionKey: renewed.identity.key, issuer }
  context.emit({ type: 'provider.confirmed', ...said, durationMs: elapsed() })
  return answerStepUp(account, renewed)
}
