import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignInResult } from '../../contract/sign-in-result.ts'
import { checkDelivery } from '../../delivery.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import { checkProviderIdentity } from '../../providers/provider-identity.ts'
import type { ProviderLink } from '../../providers/provider-links.ts'
import type { Providers } from '../../providers/provider-options.ts'
import { proveProvider } from '../../sign-in/sign-in-states.ts'
import { continueSignIn } from '../continue-sign-in.ts'
import { refuseSignIn } from '../open-credentials.ts'
import { dropIdleLink, openAccount, openingError, type RefusedOpening } from './open-account.ts'

export async function signInWithProvider(
  context: AccountsContext,
  input: Parameters<Accounts['signInWithProvider']>[0],
): Promise<SignInResult> {
  const elapsed = startDuration()
  const providers = required(context.providers, 'signIn.providers')
  checkDelivery(input.delivery, context)
  const { issuer, subject, binding, delivery, device, persistent, replaces, attempt } = checkProviderIdentity(input)
  const found = await providers.links.get(issuer, subject)
  const opening = { identity: input, attempt: judgeAttempt(context, attempt, null) }
  // What was begun by who is signed in opens nothing.
  const link = binding === null ? await orOpened(context, { providers, found, opening }) : found
  if (typeof link === 'string') {
    await refuseSignIn(context, { refused: link, accountId: null, attempt: opening.attempt }, elapsed())
    throw openingError(link)
  }
  const proven = await proveProvider(context, { identity: input, link, attempt })
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  const request = { delivery, attempt, elapsed, ...(device && { device }) }
  return continueSignIn(context, proven, {
    ...request,
    ...(persistent !== undefined && { persistent }),
    ...(replaces !== undefined && { replaces }),
  })
}

interface Opening {
  readonly providers: Providers
  /** The link of the user; `null`: the user has no link. */
  readonly found: ProviderLink | null
  readonly opening: Parameters<typeof openAccount>[2]
}

/** Returns the user's link, or the link of a new account. */
async function orOpened(
  context: AccountsContext,
  { providers, found, opening }: Opening,
): Promise<ProviderLink | RefusedOpening | null> {
  if (!providers.opensAccounts) return found
  const known = found && (await dropIdleLink(context, providers, found))
  return known ?? openAccount(context, providers, opening)
}
