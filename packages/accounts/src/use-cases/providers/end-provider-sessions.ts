import type { ListedSession } from '@latchkey/sessions'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { required } from '../../errors.ts'
import { endSession } from '../manage-sessions.ts'
import type { EndProviderSessionsInput } from './provider-inputs.ts'

/** That it has ended is written first, so that a sign-in which is under way finds it, or is found here. */
export async function endProviderSessions(context: AccountsContext, input: EndProviderSessionsInput): Promise<number> {
  const { issuer, subject, sid, attempt } = input
  const { links } = required(context.providers, 'providers')
  if (typeof issuer !== 'string' || (subject === null && sid === null)) {
    throw new TypeError('what has ended at a provider must be a verdict of "verifyLogoutToken" that is "ok"')
  }
  if (sid !== null) await context.providerSessions.end({ issuer, sid })
  const link = subject === null ? null : await links.get(issuer, subject)
  const named = sid === null ? [] : await context.providerSessions.listAccounts({ issuer, sid })
  let ended = 0
  for (const accountId of new Set([...named, ...(link ? [link.accountId] : [])])) {
    const opened = (await context.sessions.list(accountId)).filter((each) => isOf(input, each))
    for (const { key } of opened)
      if (await endSession(context, { subject: accountId, key, attempt }, 'provider')) ended += 1
  }
  return ended
}

function isOf(
  { issuer, subject, sid }: Pick<EndProviderSessionsInput, 'issuer' | 'subject' | 'sid'>,
  { provider }: ListedSession,
): boolean {
  const isOfUser = subject === null || provider?.subject === subject
  return provider?.issuer === issuer && isOfUser && (sid === null || provider.sid === sid)
}
