import type { ListedSession } from '@latchkey/sessions'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { required } from '../../errors.ts'
import { isName } from '../../providers/provider-identity.ts'
import { endSession } from '../manage-sessions.ts'

export type EndProviderSessionsInput = Parameters<Accounts['endProviderSessions']>[0]

/** The logout is written first, so that a sign-in in progress either finds it or is found here. */
export async function endProviderSessions(context: AccountsContext, input: EndProviderSessionsInput): Promise<number> {
  const { issuer, subject, sid } = input
  const { links } = required(context.providers, 'signIn.providers')
  const names = [subject, sid].filter((name) => name !== null)
  if (names.length === 0 || ![issuer, ...names].every(isName)) {
    throw new TypeError('what has ended at a provider must be a verdict of "verifyLogoutToken" that is "ok"')
  }
  await context.providerSessions.end({ issuer, subject, sid })
  const link = subject === null ? null : await links.get(issuer, subject)
  const named = sid === null ? [] : await context.providerSessions.listAccounts({ issuer, sid })
  const accountIds = [...new Set([...named, ...(link ? [link.accountId] : [])])]
  const endings = await Promise.allSettled(accountIds.map((accountId) => endOpened(context, input, accountId)))
  return sumOf(endings)
}

/** Returns the number of revoked sessions. If one failed, all others were tried before its error is thrown. */
function sumOf(endings: readonly PromiseSettledResult<number>[]): number {
  const failed = endings.find((ending) => ending.status === 'rejected')
  if (failed) throw failed.reason
  return endings.reduce((ended, ending) => ended + (ending.status === 'fulfilled' ? ending.value : 0), 0)
}

/** The holder of a session may renew it before it is revoked. */
const tries = 10

/** A session with a new key was renewed or revoked in the meantime, so the list is read again. */
async function endOpened(
  context: AccountsContext,
  { attempt, ...logout }: EndProviderSessionsInput,
  subject: string,
): Promise<number> {
  let ended = 0
  for (let made = 0; made < tries; made++) {
    const opened = (await context.sessions.list(subject)).filter((each) => isOf(logout, each))
    const ending = opened.map(({ key }) => endSession(context, { subject, key, attempt }, 'provider').then(Number))
    const gone = sumOf(await Promise.allSettled(ending))
    ended += gone
    if (gone === opened.length) return ended
  }
  throw new Error('the sessions kept being renewed while they were ended')
}

function isOf(
  { issuer, subject, sid }: Pick<EndProviderSessionsInput, 'issuer' | 'subject' | 'sid'>,
  { provider }: ListedSession,
): boolean {
  const isOfUser = subject === null || provider?.subject === subject
  return provider?.issuer === issuer && isOfUser && (sid === null || provider.sid === sid)
}
